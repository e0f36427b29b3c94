/// Everything the doctor can find: the codes that scripts rely on, each with its severity.
///
/// A code is never renamed and never used for something else. `docs/doctor.md` has a row for each.
package enum FindingCode: String, CaseIterable, Sendable {
    // The bus.
    case noAccessibilityBus, noRegistry, registryNotResponding

    // Assistive technologies.
    case noTechnology, technologyActive, technologyVersionUnknown, technologyLimited, assumedFocus, secondTechnology

    // Applications.
    case toolkitAccessibilityOff, toolkitSwitchUnknown
    case applicationNotResponding, applicationShowsNothing, applicationNotListed, treeContradicts
    case manyActiveWindows, noEvents, noFocusEvents, repeatedFocusEvents

    // What others sent.
    case forgedMessages, malformedMessages

    // Limits on what applications may cost.
    case limitNodesPerApplication = "limitReached.nodesPerApplication"
    case limitNodesInAll = "limitReached.nodesInAll"
    case limitChildrenPerObject = "limitReached.childrenPerObject"
    case limitDepth = "limitReached.depth"
    case limitNameBytes = "limitReached.nameBytes"
    case limitCallsInFlight = "limitReached.callsInFlight"
    case limitHeldEvents = "limitReached.heldEvents"

    // Limits of the bus and of the process.
    case limitMatchRules = "limitReached.matchRules"
    case limitBusReplies = "limitReached.busReplies"
    case limitDescriptors = "limitReached.descriptors"

    // Limits on what clients may cost.
    case slowSubscribers
    case limitClients = "limitReached.clients"
    case limitClientsPerProcess = "limitReached.clientsPerProcess"
    case limitMessageBytes = "limitReached.messageBytes"
    case limitMovesPerProcess = "limitReached.movesPerProcess"
    case limitSearchesPerProcess = "limitReached.searchesPerProcess"
    case limitStatesPerProcess = "limitReached.statesPerProcess"
    case limitPrototypesPerState = "limitReached.prototypesPerState"
    case limitModesPerState = "limitReached.modesPerState"
    case limitPrototypesPerProcess = "limitReached.prototypesPerProcess"
    case limitSelectorBytesPerProcess = "limitReached.selectorBytesPerProcess"
    case limitViewsPerProcess = "limitReached.viewsPerProcess"
    case limitTreeSelectorsPerProcess = "limitReached.treeSelectorsPerProcess"
    case limitPendingSetsPerProcess = "limitReached.pendingSetsPerProcess"
    case limitAnnouncementsPerSecond = "limitReached.announcementsPerSecond"
    case limitAnnouncementBytes = "limitReached.announcementBytes"
    case limitCallsPerProcess = "limitReached.callsPerProcess"
    case limitSelectorPartsPerProcess = "limitReached.selectorPartsPerProcess"
    case limitQueuedBytesPerProcess = "limitReached.queuedBytesPerProcess"
    case limitReceivedBytesPerProcess = "limitReached.receivedBytesPerProcess"
    case limitQueuedBytesPerClient = "limitReached.queuedBytesPerClient"
    case limitAnswerBytes = "limitReached.answerBytes"
    // The same of all clients together: others are refused for them.
    case limitCalls = "limitReached.calls"
    case limitSearches = "limitReached.searches"
    case limitMoves = "limitReached.moves"
    case limitPendingSets = "limitReached.pendingSets"
    case limitStates = "limitReached.states"
    case limitPrototypes = "limitReached.prototypes"
    case limitSelectorBytes = "limitReached.selectorBytes"
    case limitSelectorParts = "limitReached.selectorParts"
    case limitViews = "limitReached.views"
    case limitTreeSelectors = "limitReached.treeSelectors"
    case limitQueuedBytes = "limitReached.queuedBytes"
    case limitReceivedBytes = "limitReached.receivedBytes"
    case limitAnnouncementsPerSecondOfAll = "limitReached.announcementsPerSecondOfAll"
    /// A limit that has no code of its own.
    case limitOther = "limitReached.other"

    // What focusctl finds by itself: the way to focusd, versions, the units, programs that are missing on the bus.
    case noRuntimeDirectory, runtimeDirectoryFine, unsafeDirectory, noService, nobodyListens
    case focusdNotAnswering, focusdRefused, focusdBroken
    case daemonOlderThanClient, daemonNewerThanClient, interfaceDiffers
    case noSystemd, systemctlSilent, unitsNotInstalled, socketUnitDisabled, socketUnitInactive, socketGone
    case unitFailed, unitRestarts, unitMemory, unitNeedsReload, notTheUnit
    case applicationMissing

    /// How bad it is.
    package enum Severity: String, Sendable, CaseIterable {
        /// Nothing, or nothing of this kind, works.
        case error
        /// Something does not work, or will not.
        case warning
        /// Worth knowing, and nothing to worry about.
        case note
    }

    package var severity: Severity {
        switch self {
        case .noAccessibilityBus, .noRegistry, .registryNotResponding, .noTechnology, .noRuntimeDirectory,
            .unsafeDirectory, .noService, .nobodyListens, .focusdNotAnswering, .focusdRefused, .focusdBroken,
            .unitFailed, .socketGone:
            .error
        case .secondTechnology, .toolkitAccessibilityOff, .applicationNotResponding, .applicationShowsNothing,
            .applicationNotListed, .noFocusEvents, .forgedMessages, .limitNodesPerApplication, .limitNodesInAll,
            .limitChildrenPerObject, .limitDepth, .limitNameBytes, .limitDescriptors, .limitClients,
            .daemonOlderThanClient, .interfaceDiffers, .socketUnitDisabled, .socketUnitInactive, .unitRestarts,
            .unitMemory, .applicationMissing,
            .limitCalls, .limitSearches, .limitMoves, .limitPendingSets, .limitStates, .limitPrototypes,
            .limitSelectorBytes, .limitSelectorParts, .limitViews, .limitTreeSelectors, .limitQueuedBytes,
            .limitReceivedBytes, .limitAnnouncementsPerSecondOfAll:
            .warning
        case .technologyActive, .technologyVersionUnknown, .technologyLimited, .assumedFocus, .toolkitSwitchUnknown,
            .treeContradicts, .manyActiveWindows, .noEvents, .repeatedFocusEvents, .malformedMessages,
            .limitCallsInFlight, .limitHeldEvents, .limitMatchRules, .limitBusReplies, .slowSubscribers,
            .limitClientsPerProcess, .limitMessageBytes, .limitMovesPerProcess, .limitSearchesPerProcess,
            .limitStatesPerProcess, .limitPrototypesPerState, .limitModesPerState, .limitPrototypesPerProcess,
            .limitSelectorBytesPerProcess, .limitTreeSelectorsPerProcess, .limitPendingSetsPerProcess,
            .limitAnnouncementsPerSecond, .limitAnnouncementBytes, .limitOther, .limitCallsPerProcess,
            .limitSelectorPartsPerProcess, .limitViewsPerProcess, .limitQueuedBytesPerProcess,
            .limitReceivedBytesPerProcess,
            .limitQueuedBytesPerClient, .limitAnswerBytes, .runtimeDirectoryFine,
            .daemonNewerThanClient, .noSystemd, .systemctlSilent, .unitsNotInstalled, .unitNeedsReload, .notTheUnit:
            .note
        }
    }

    /// The code for a limit by the name that `LimitExceeded` gives it.
    package init(limit: String) {
        var name = limit
        if name.hasPrefix("maximum") {
            name.removeFirst("maximum".count)
            name = name.prefix(1).lowercased() + name.dropFirst()
        }
        self = FindingCode(rawValue: "limitReached." + name) ?? .limitOther
    }
}

extension Finding {
    /// A finding of a known code, which decides how bad it is.
    package init(_ code: FindingCode, _ what: String, whatToDo: String) {
        self.init(code: code.rawValue, severity: code.severity.rawValue, what: what, whatToDo: whatToDo)
    }
}
