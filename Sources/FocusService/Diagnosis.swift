import ATSPI
import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry

/// Looks at the desktop and says in words what is wrong and what to do.
@Loop
struct Diagnosis {
    let server: FocusServer

    private var desk: FocusDesk { server.desk }

    func findings() async -> [Finding] {
        guard desk.bus.live != nil else { return [noBus] }
        var findings: [Finding] = []
        findings += technologies
        findings += await toolkitSwitch()
        findings += await applications()
        findings += MirrorDiagnosis(desktop: desk.desktop).findings
        findings += counters
        return findings
    }

    private var noBus: Finding {
        var reason = "it is being searched for"
        if case .absent(let why) = desk.bus.status { reason = Diagnosis.words[why] ?? why }
        return Finding(
            code: "noAccessibilityBus", severity: "error", what: "There is no accessibility bus: \(reason).",
            whatToDo: "Install at-spi2-core and start focusd inside a desktop session, where "
                + "DBUS_SESSION_BUS_ADDRESS is set. focusd goes on looking and needs no restart.")
    }

    private static let words = [
        "noSessionBus": "no session bus answers at DBUS_SESSION_BUS_ADDRESS or in XDG_RUNTIME_DIR",
        "sessionBusSilent": "the session bus accepts connections and does not answer",
        "noAccessibilityBus": "the session bus knows no org.a11y.Bus, or that gave no address",
        "nobodyListens": "its address is known, and nobody listens there",
        "busSilent": "it accepts connections and does not answer",
        "busClosed": "it closed the connection",
    ]

    private var technologies: [Finding] {
        let active = desk.registry.activeTechnologies
        guard !active.isEmpty else {
            let names = desk.configuration.technologies.sorted().joined(separator: ", ")
            return [
                Finding(
                    code: "noTechnology", severity: "error",
                    what: "No screen reader is on the accessibility bus (known are: \(names)).",
                    whatToDo: "Start one, for example with `orca`. focusd notices by itself.")
            ]
        }
        return active.compactMap { id in
            guard let position = desk.registry.position(of: id), position.isAssumed else { return nil }
            let isWeb = position.placement.isInWebDocument
            return Finding(
                code: "assumedFocus", severity: "note",
                what: "Where \(id.rawValue) is now is concluded and not said by it"
                    + (isWeb ? ": this version moves through web pages without telling." : "."),
                whatToDo: isWeb
                    ? "Use Orca 48 or later where you need the exact element in web pages."
                    : "Nothing: its next move settles it.")
        }
    }

    private func toolkitSwitch() async -> [Finding] {
        let isEnabled = await withCheckedContinuation { continuation in
            AccessibilitySwitch().readIsEnabled { continuation.resume(returning: $0) }
        }
        guard isEnabled == false else { return [] }
        return [
            Finding(
                code: "toolkitAccessibilityOff", severity: "warning",
                what: "Accessibility is switched off for toolkits (org.a11y.Status.IsEnabled is false): Firefox, "
                    + "Chromium and some Qt versions show nothing.",
                whatToDo: "Run `gsettings set org.gnome.desktop.interface toolkit-accessibility true` and restart the "
                    + "applications that are missing.")
        ]
    }

    private func applications() async -> [Finding] {
        let list = await withCheckedContinuation { continuation in
            server.applications { continuation.resume(returning: $0) }
        }
        var findings = list.filter { !$0.responding }.map { application in
            Finding(
                code: "applicationNotResponding", severity: "warning",
                what: "The application at \(application.busName) (process \(application.pid)) does not answer.",
                whatToDo: "Wait for it or close it. Others are not held up by it.")
        }
        guard let connection = desk.bus.live else { return findings }
        let windows = await LiveFocusSearch(connection: connection).activeWindows()
        if windows.count > 1 {
            findings.append(
                Finding(
                    code: "manyActiveWindows", severity: "note",
                    what: "\(windows.count) windows claim to be active: "
                        + windows.map(\.busName).sorted().joined(separator: ", ") + ".",
                    whatToDo: "Hidden windows of some toolkits never stop claiming it. focusd goes by events instead."))
        }
        guard desk.isFollowingFocus else { return findings }
        for busName in Set(windows.map(\.busName)).sorted() where desk.tally.applications[busName] == nil {
            let name = list.first { $0.busName == busName }?.name ?? ""
            findings.append(
                Finding(
                    code: "noEvents", severity: "warning",
                    what: "The active application \(name) (\(busName)) has sent no event since focusd is there.",
                    whatToDo: "If focus changes in it go unnoticed, restart it: some toolkits look only at their start "
                        + "whether anybody listens."))
        }
        return findings
    }

    private var counters: [Finding] {
        var findings: [Finding] = []
        let forged = desk.tally[.forgedMessages] + desk.tally[.foreignSignals]
        if forged > 0 {
            findings.append(
                Finding(
                    code: "forgedMessages", severity: "warning",
                    what: "\(forged) messages spoke for somebody else and were refused.",
                    whatToDo: "Find the program that sends them: `focusctl stats` counts the kinds. A screen reader of "
                        + "your own goes into the configured technologies."))
        }
        if desk.tally[.refusedTechnologies] > 0 {
            findings.append(
                Finding(
                    code: "secondTechnology", severity: "warning",
                    what: "A second screen reader of the same name was refused while the first is there.",
                    whatToDo: "End one of the two."))
        }
        if desk.tally[.callsRefused] > 0 {
            findings.append(
                Finding(
                    code: "limitReached.callsInFlight", severity: "note",
                    what: "\(desk.tally[.callsRefused]) questions were not asked, for their applications had as many "
                        + "unanswered ones as they may have.",
                    whatToDo: "An application that is slow all the time is named here as not responding. Where none "
                        + "is, raise `max-calls-in-flight` in focusd.conf."))
        }
        if desk.tally[.subscribersTooSlow] > 0 {
            findings.append(
                Finding(
                    code: "slowSubscribers", severity: "note",
                    what: "\(desk.tally[.subscribersTooSlow]) clients read too slowly and were cut off.",
                    whatToDo: "A client that follows a stream must read it all the time."))
        }
        return findings
    }
}
