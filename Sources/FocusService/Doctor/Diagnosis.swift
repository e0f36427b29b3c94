import ATSPI
import AccessibilityTree
import EventLoop
import FocusProtocol

/// Looks at the desktop and says in words what is wrong and what to do.
///
/// Each finding is of how things are now, or of an ``Incidents``' record, which is forgotten in time: what is mended is
/// told no more.
@Loop
struct Diagnosis {
    let server: FocusServer

    private var desk: FocusDesk { server.desk }

    func findings() async -> [Finding] {
        var findings = DescriptorUse.now.findings
        if let connection = desk.bus.live {
            findings += await onBus(connection)
        } else {
            findings.append(noBus)
        }
        return findings + IncidentDiagnosis(incidents: desk.incidents, now: desk.now).findings
    }

    private func onBus(_ connection: BusConnection) async -> [Finding] {
        // ORDER: the first to ask the registry for anything is who starts it.
        let roots = await readApplications(connection)
        // The bus went while it was asked.
        if case .failure(.disconnected) = roots { return [noBus] }
        var findings: [Finding] = []
        if case .failure(let failure) = roots { findings.append(Diagnosis.registryFinding(failure)) }
        findings += await TechnologyDiagnosis(desk: desk, controller: server.announcer.controller).findings()
        findings += await toolkitSwitch()
        if case .success = roots { findings += await ApplicationDiagnosis(server: server).findings(connection) }
        findings += MirrorDiagnosis(desktop: desk.desktop).findings
        return findings
    }

    private func readApplications(_ connection: BusConnection) async -> Result<[ObjectReference], CallFailure> {
        await withCheckedContinuation { continuation in
            connection.readApplications { continuation.resume(returning: $0) }
        }
    }

    // MARK: - The bus

    private var noBus: Finding {
        var reason = "it is being searched for"
        if case .absent(let why) = desk.bus.status { reason = Diagnosis.words[why] ?? why }
        return Finding(
            .noAccessibilityBus, "There is no accessibility bus: \(reason).",
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

    private static func registryFinding(_ failure: CallFailure) -> Finding {
        guard failure == .notResponding else {
            return Finding(
                .noRegistry,
                "The accessibility bus has no registry (org.a11y.atspi.Registry), and none can be started there: no "
                    + "application is listed, and most send no events.",
                whatToDo: "Install at-spi2-core. If it is installed, log out and in again: applications that run now "
                    + "joined without the registry.")
        }
        return Finding(
            .registryNotResponding,
            "The registry of the accessibility bus (org.a11y.atspi.Registry) is there and does not answer.",
            whatToDo:
                "End the process at-spi2-registryd: the bus starts another, and applications join it by themselves "
                + "when they are started again.")
    }

    // MARK: - The switch

    private func toolkitSwitch() async -> [Finding] {
        let isEnabled = await withCheckedContinuation { continuation in
            AccessibilitySwitch().readIsEnabled { continuation.resume(returning: $0) }
        }
        switch isEnabled {
        case true: return []
        case nil:
            return [
                Finding(
                    .toolkitSwitchUnknown,
                    "Whether accessibility is switched on for toolkits is not known: org.a11y.Status on the session bus "
                        + "does not say.",
                    whatToDo: "If Firefox, Chromium or a Qt application is missing, look whether focusd has the "
                        + "DBUS_SESSION_BUS_ADDRESS of the desktop session.")
            ]
        default:
            return [
                Finding(
                    .toolkitAccessibilityOff,
                    "Accessibility is switched off for toolkits (org.a11y.Status.IsEnabled is false): Firefox, Chromium "
                        + "and some Qt versions show nothing.",
                    whatToDo: "Start the screen reader: from at-spi2-core 2.61 on that switches it on. Before, run "
                        + "`gsettings set org.gnome.desktop.interface toolkit-accessibility true`. Then restart the "
                        + "applications that are missing.")
            ]
        }
    }
}
