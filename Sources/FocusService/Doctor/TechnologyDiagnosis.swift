import ATSPI
import EventLoop
import FocusProtocol
import FocusRegistry

/// Which assistive technologies are there, of which version, and what those versions cannot do.
@Loop
struct TechnologyDiagnosis {
    let desk: FocusDesk
    let controller: RemoteController

    func findings() async -> [Finding] {
        let active = desk.registry.activeTechnologies
        guard !active.isEmpty else { return [noTechnology] }
        var findings: [Finding] = []
        for id in active {
            // It may leave while the one before it is asked.
            guard let connection = desk.registry.connection(of: id) else { continue }
            let version = await version(of: id, connection)
            findings += TechnologyDiagnosis.findings(id, connection, version)
            if let assumed = assumedFocus(id, version) { findings.append(assumed) }
        }
        return findings + rivals
    }

    private var noTechnology: Finding {
        let names = desk.configuration.technologies.sorted().joined(separator: ", ")
        return Finding(
            .noTechnology, "No screen reader is on the accessibility bus (known are: \(names)).",
            whatToDo: "Start one, for example with `orca`. focusd notices by itself. One of another name goes into "
                + "`technologies` in focusd.conf.")
    }

    /// As its files say it; else as it says itself, which Orca does from 49 on.
    private func version(of id: TechnologyID, _ connection: TechnologyConnection) async -> String? {
        if let version = connection.version { return version }
        guard id.rawValue == "orca" else { return nil }
        return await withCheckedContinuation { continuation in
            controller.readVersion(of: connection.pid) { continuation.resume(returning: $0) }
        }
    }

    private static func findings(
        _ id: TechnologyID, _ connection: TechnologyConnection, _ version: String?
    ) -> [Finding] {
        let place = "process \(connection.pid), \(connection.busName)"
        guard let version else {
            return [
                Finding(.technologyActive, "\(id.rawValue) is active (\(place)).", whatToDo: "Nothing."),
                Finding(
                    .technologyVersionUnknown,
                    "Which version of \(id.rawValue) is active is not known, so nothing is expected of it that only newer "
                        + "versions do.",
                    whatToDo:
                        "Nothing, unless focus in web pages must be exact: then use an installation that tells its "
                        + "version, as those of distributions do."),
            ]
        }
        let active = Finding(
            .technologyActive, "\(id.rawValue) \(version) is active (\(place)).", whatToDo: "Nothing.")
        return [active]
            + KnownLimit.of(id, version).map { limit in
                Finding(.technologyLimited, "\(id.rawValue) \(version) \(limit.what)", whatToDo: limit.whatToDo)
            }
    }

    private func assumedFocus(_ id: TechnologyID, _ version: String?) -> Finding? {
        guard let position = desk.registry.position(of: id), position.isAssumed else { return nil }
        // A newer one tells all its moves: there it is from before focusd or its bus was started again.
        let isSilent = position.placement.isInWebDocument && KnownLimit.movesSilently(id, version)
        return Finding(
            .assumedFocus,
            "Where \(id.rawValue) is now is concluded and not said by it"
                + (isSilent ? ": this version moves through web pages without telling." : "."),
            whatToDo: isSilent
                ? "Use Orca 48 or later where you need the exact element in web pages."
                : "Nothing: its next move settles it.")
    }

    private var rivals: [Finding] {
        desk.rivals.sorted { $0.key < $1.key }.map { busName, id in
            let first = desk.registry.connection(of: id)
            return Finding(
                .secondTechnology,
                "A second \(id.rawValue) (\(busName)) is refused while the first one is there"
                    + (first.map { " (process \($0.pid), \($0.busName))" } ?? "") + ".",
                whatToDo: "End one of the two. What the second one says does not count until the first has left.")
        }
    }
}

/// What a version of a technology cannot do, so that nobody looks for the fault elsewhere.
struct KnownLimit {
    /// Goes on after its name and version.
    let what: String
    let whatToDo: String

    /// Orca from this version on tells where it is in web pages and in flat review, too.
    private static let firstThatTells = 48

    private static func major(_ version: String) -> Int? { Int(version.prefix { $0 != "." }) }

    /// Whether it is known to move through web pages without telling.
    static func movesSilently(_ id: TechnologyID, _ version: String?) -> Bool {
        guard id.rawValue == "orca", let major = version.flatMap(major) else { return false }
        return major < firstThatTells
    }

    static func of(_ id: TechnologyID, _ version: String) -> [KnownLimit] {
        guard id.rawValue == "orca", let major = major(version) else { return [] }
        var limits: [KnownLimit] = []
        if major < firstThatTells {
            limits.append(
                KnownLimit(
                    what: "moves through web pages in browse mode, and in flat review, without telling anybody.",
                    whatToDo: "There the focus is marked as assumed. Use Orca 48 or later where you need it exactly."))
            limits.append(
                KnownLimit(
                    what:
                        "does not listen to announcements: `focusctl announce` shows it a notification, which is never "
                        + "urgent.",
                    whatToDo: "Nothing, or use Orca 48 or later."))
        } else {
            limits.append(
                KnownLimit(
                    what:
                        "ignores being moved without the keyboard focus while it is on a cell of a tree or a tree table.",
                    whatToDo: "Where a move from there ends with timedOut, leave the tree first, or allow the route "
                        + "grabFocus."))
        }
        return limits
    }
}
