/// What a call is answered with when nothing is scripted.
enum Truth: Sendable {
    case values([DBusValue])
    /// A reply that was made before.
    case message(FakeMessage)
    /// A string that may be no text.
    case bytes([UInt8])
    case error(String, String)

    static func value(_ value: DBusValue) -> Truth { .values([value]) }
    static func unknownMethod(_ call: FakeCall) -> Truth {
        .error("org.freedesktop.DBus.Error.UnknownMethod", "no method \(call.member)")
    }
}

extension FakeApplication {
    /// Takes a call in: notes it, and answers it unless the application is stopped. On the connection's own thread.
    func receive(_ call: FakeCall) {
        let name = call.property ?? call.member
        let (isStopped, keepsCalls) = state.withLock { state in
            state.tally[name, default: 0] += 1
            if state.isStopped { state.backlog.append(call) }
            return (state.isStopped, state.keepsCalls)
        }
        if keepsCalls { calls.append(call) }
        if !isStopped { answer(call) }
    }

    func answer(_ call: FakeCall) {
        let reaction = takeReaction(to: call)
        let decided = reaction.isDecidedOnArrival ? truthOrFailure(call) : nil
        let finish = { @Sendable in self.finish(call, reaction, decided) }
        if let gate = reaction.gate {
            gate.pass { self.connection.perform(finish) }
        } else if reaction.delay > .zero {
            connection.after(reaction.delay, finish)
        } else {
            finish()
        }
    }

    private func finish(_ call: FakeCall, _ reaction: Reaction, _ decided: Truth?) {
        do {
            for effect in reaction.first { try effect(self) }
            switch reaction.answer {
            case .truth: tell(decided ?? truthOrFailure(call), to: call)
            case .values(let values):
                let isProperty = call.property != nil && call.member == "Get"
                call.reply(isProperty ? values.map { .variant($0.unwrapped) } : values)
            case .error(let name, let text): call.fail(name, text)
            case .bytes(let bytes): call.reply(bytes: bytes)
            case .silence: break
            case .disconnection: connection.disconnect()
            }
            for effect in reaction.afterwards { try effect(self) }
        } catch {
            preconditionFailure("a scripted effect of \(name) failed: \(error)")
        }
    }

    private func tell(_ truth: Truth, to call: FakeCall) {
        switch truth {
        case .values(let values): call.reply(values)
        case .message(let message): call.reply(copyOf: message)
        case .bytes(let bytes): call.reply(bytes: bytes)
        case .error(let name, let text): call.fail(name, text)
        }
    }

    private func truthOrFailure(_ call: FakeCall) -> Truth {
        do { return try truth(call) } catch { return .error("org.freedesktop.DBus.Error.Failed", "\(error)") }
    }

    private func truth(_ call: FakeCall) throws -> Truth {
        if call.path == "/org/a11y/atspi/cache" { return try cacheTruth(call) }
        guard let node = find(call.path) else {
            return .error("org.freedesktop.DBus.Error.UnknownObject", "no object \(call.path)")
        }
        switch call.interface {
        case "org.freedesktop.DBus.Properties": return propertyTruth(call, node)
        case "org.freedesktop.DBus.Introspectable": return .value("<node/>")
        default: break
        }
        let interface = call.interface.map(shortName) ?? "Accessible"
        guard node.read({ $0.interfaces.contains(interface) }) else {
            return .error("org.freedesktop.DBus.Error.UnknownInterface", "no interface \(interface)")
        }
        switch interface {
        case "Accessible": return try accessibleTruth(call, node)
        case "Application": return call.member == "GetLocale" ? .value("C") : .unknownMethod(call)
        case "Component": return try componentTruth(call, node)
        case "Selection": return selectionTruth(call, node)
        case "Table": return tableTruth(call, node)
        case "Text": return textTruth(call, node)
        default: return .unknownMethod(call)
        }
    }

    private func accessibleTruth(_ call: FakeCall, _ node: FakeNode) throws -> Truth {
        let content = node.snapshot
        let roleName = content.roleName ?? content.role.name
        switch call.member {
        case "GetChildren" where content.children.count > 100:
            // Without a check of each of the many.
            return .message(try .reply(trustedArray: content.children.map(value), of: "(so)"))
        case "GetChildren": return .value(.array("(so)", content.children.map(value)))
        case "GetChildAtIndex":
            return .value(value(child(Int(call.arguments.first?.number ?? -1), of: node)))
        case "GetIndexInParent": return .value(.int32(indexInParent(node)))
        case "GetRelationSet":
            let relations = content.relations.map { kind, targets in
                DBusValue.structure([.uint32(kind), .array("(so)", targets.map(value))])
            }
            return .value(.array("(ua(so))", relations))
        case "GetRole": return .value(.uint32(content.role.rawValue))
        case "GetRoleName": return .value(.string(roleName))
        case "GetLocalizedRoleName": return .value(.string(content.localizedRoleName ?? roleName))
        case "GetState": return .value(content.states.words)
        case "GetAttributes": return .value(.stringDictionary(content.attributes))
        case "GetApplication": return .value(.reference(busName, node.applicationPath))
        case "GetInterfaces": return .value(.strings(content.interfaces.map { "org.a11y.atspi." + $0 }))
        default: return .unknownMethod(call)
        }
    }

    private func propertyTruth(_ call: FakeCall, _ node: FakeNode) -> Truth {
        let interface = shortName(call.subject ?? "")
        switch call.member {
        case "Get":
            let content = node.snapshot
            guard content.interfaces.contains(interface), let name = call.property,
                let value = property(name, interface, content)
            else {
                let error = toolkit == .qt ? "UnknownInterface" : "InvalidArgs"
                return .error("org.freedesktop.DBus.Error." + error, "no property \(call.property ?? "")")
            }
            if name == "Name", interface == "Accessible", let bytes = content.nameBytes { return .bytes(bytes) }
            return .value(.variant(value))
        case "GetAll":
            let content = node.snapshot
            let names = content.interfaces.contains(interface) ? Self.propertyNames[interface] ?? [] : []
            return .value(
                .variantDictionary(names.compactMap { name in property(name, interface, content).map { (name, $0) } }))
        case "Set":
            // The registry gives each application a number so.
            if call.property == "Id", let number = call.arguments.last?.unwrapped.number {
                state.withLock { $0.applicationID = Int32(truncatingIfNeeded: number) }
            }
            return .values([])
        default: return .unknownMethod(call)
        }
    }

    private static let propertyNames = [
        "Accessible": ["Name", "Description", "Parent", "ChildCount", "Locale", "HelpText", "AccessibleId"],
        "Application": ["ToolkitName", "Version", "ToolkitVersion", "AtspiVersion", "InterfaceVersion", "Id"],
        "Selection": ["NSelectedChildren"], "Table": ["NRows", "NColumns"],
        "Text": ["CharacterCount", "CaretOffset"],
    ]

    private func property(_ name: String, _ interface: String, _ content: FakeNode.Content) -> DBusValue? {
        switch (interface, name) {
        case ("Accessible", "Name"): return .string(content.name)
        case ("Accessible", "ChildCount"): return .int32(content.count)
        case ("Accessible", "Parent"): return value(content.parent)
        case ("Accessible", "Description"): return .string(content.description)
        case ("Accessible", "Locale"): return .string(content.locale)
        case ("Accessible", "HelpText"): return .string(content.helpText)
        case ("Accessible", "AccessibleId"):
            let isMissing = toolkit == .qt && content.accessibleID == ""
            return isMissing ? nil : content.accessibleID.map { .string($0) }
        case ("Application", "ToolkitName"): return .string(toolkit.name)
        case ("Application", "Version"), ("Application", "ToolkitVersion"): return .string(toolkit.version)
        case ("Application", "AtspiVersion"): return "2.1"
        case ("Application", "InterfaceVersion"): return .uint32(1)
        case ("Application", "Id"): return .int32(state.withLock { $0.applicationID })
        case ("Selection", "NSelectedChildren"):
            return .int32(Int32(content.children.count { find($0.path)?.states.contains(.selected) == true }))
        case ("Table", "NRows"): return .int32(content.rows)
        case ("Table", "NColumns"): return .int32(content.columns)
        case ("Text", "CharacterCount"): return .int32(Int32(content.text.unicodeScalars.count))
        case ("Text", "CaretOffset"): return .int32(content.caretOffset)
        default: return nil
        }
    }

    func indexInParent(_ node: FakeNode) -> Int32 {
        if let index = node.indexInParent { return index }
        return find(node.parent.path)?.children.firstIndex { $0.path == node.path }.map { Int32($0) } ?? -1
    }

    /// A reference as a value: the application's own name where none is given, but for the null references.
    func value(_ reference: FakeReference) -> DBusValue {
        let filled = filled(reference)
        return .reference(filled.bus, filled.path)
    }

    func filled(_ reference: FakeReference) -> FakeReference {
        guard reference.bus.isEmpty, !reference.isNull else { return reference }
        return FakeReference(bus: busName, path: reference.path)
    }

    private func shortName(_ interface: String) -> String {
        let prefix = "org.a11y.atspi."
        return interface.hasPrefix(prefix) ? String(interface.dropFirst(prefix.count)) : interface
    }
}
