import ATSPI
import AccessibilityTree
import EventLoop
import FocusProtocol
import FocusRegistry

/// What is wrong with applications: those that do not answer, show nothing, or do not tell where the focus is.
@Loop
struct ApplicationDiagnosis {
    /// How long an event may be under way that tells of what live state shows already.
    private static let patienceMilliseconds: Int64 = 300

    let server: FocusServer

    private var desk: FocusDesk { server.desk }

    func findings(_ connection: BusConnection) async -> [Finding] {
        let list = await withCheckedContinuation { continuation in
            server.applications { continuation.resume(returning: $0) }
        }
        let names = Dictionary(list.map { ($0.busName, named($0)) }) { first, _ in first }
        var findings = list.filter { !$0.responding }.map { application in
            Finding(
                .applicationNotResponding, "The application \(named(application)) does not answer.",
                whatToDo: "Wait for it or close it. Others are not held up by it.")
        }
        findings += unlisted(besides: Set(names.keys))
        findings += repeated(list)
        // Who does not answer is asked no more: each question would wait its time.
        guard let roots = await roots(of: list.filter(\.responding), connection) else { return findings }
        let search = LiveFocusSearch(connection: connection)
        let windows = await search.children(of: roots)
        let active = await search.active(among: windows)
        findings += empty(roots, windows, names)
        findings += await emptyWindows(active, search, names)
        if active.count > 1 { findings.append(manyActive(active, names)) }
        guard let since = desk.followingSince else { return findings }
        if desk.now - since > ApplicationDiagnosis.silenceMicroseconds { findings += silent(active, names) }
        if active.count == 1, let window = active.first, let finding = await untold(window, search, names) {
            findings.append(finding)
        }
        return findings
    }

    private func named(_ application: Application) -> String {
        let name = application.name.isEmpty ? "without a name" : application.name
        return "\(name) (process \(application.pid), \(application.busName))"
    }

    private func roots(of list: [Application], _ connection: BusConnection) async -> [ObjectReference]? {
        let names = Set(list.map(\.busName))
        let result = await withCheckedContinuation { continuation in
            connection.readApplications { continuation.resume(returning: $0) }
        }
        guard case .success(let roots) = result else { return nil }
        return roots.filter { names.contains($0.busName) }
    }

    // MARK: - Nothing is shown

    /// Focus or windows are there, and the registry lists nobody of that name.
    private func unlisted(besides listed: Set<String>) -> [Finding] {
        let ids = desk.registry.activeTechnologies + [.keyboard]
        let elements = ids.compactMap { desk.registry.position(of: $0)?.element } + [desk.registry.activeWindow]
        let busNames = Set(elements.compactMap { $0?.busName }).subtracting(listed)
        return busNames.filter { $0 != desk.bus.uniqueName }.sorted().map { busName in
            Finding(
                .applicationNotListed,
                "The focus is in an application (\(busName)) that the registry does not list: what looks for elements "
                    + "does not find it.",
                whatToDo: "Start it again. Some toolkits join the registry only when they start, and a registry that "
                    + "started later does not know them.")
        }
    }

    /// Tells of windows or focus, and has not one window.
    private func empty(
        _ roots: [ObjectReference], _ windows: [[ObjectReference]?], _ names: [String: String]
    ) -> [Finding] {
        let busNames = Set(zip(roots, windows).filter { $0.1?.isEmpty ?? false }.map(\.0.busName))
        let full = Set(zip(roots, windows).filter { !($0.1?.isEmpty ?? true) }.map(\.0.busName))
        return busNames.subtracting(full).sorted().filter { desk.tally.applications[$0]?.events ?? 0 > 0 }.map {
            Finding(
                .applicationShowsNothing,
                "The application \(names[$0] ?? $0) tells of windows or focus, and shows no window.",
                whatToDo: ApplicationDiagnosis.showIt)
        }
    }

    private func emptyWindows(
        _ active: [ObjectReference], _ search: LiveFocusSearch, _ names: [String: String]
    ) async -> [Finding] {
        let children = await search.children(of: active)
        return zip(active, children).filter { $0.1?.isEmpty ?? false }.map { window, _ in
            Finding(
                .applicationShowsNothing,
                "The active window of \(names[window.busName] ?? window.busName) shows nothing of what is in it.",
                whatToDo: ApplicationDiagnosis.showIt)
        }
    }

    private static let showIt =
        "Switch accessibility on for toolkits and restart the application. Chromium and what is built on it need "
        + "`--force-renderer-accessibility`, Qt 6.4 needs QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1. Some programs, such as "
        + "games, show nothing at all."

    // MARK: - Windows and events

    private func manyActive(_ windows: [ObjectReference], _ names: [String: String]) -> Finding {
        let owners = windows.map { names[$0.busName] ?? $0.busName }.sorted().joined(separator: ", ")
        return Finding(
            .manyActiveWindows, "\(windows.count) windows claim to be active: \(owners).",
            whatToDo: "Hidden windows of some toolkits never stop claiming it. focusd goes by events instead.")
    }

    /// Who has just begun to listen has heard nothing of anybody.
    private static let silenceMicroseconds: Microseconds = 3_000_000

    /// Active, and never heard of.
    private func silent(_ windows: [ObjectReference], _ names: [String: String]) -> [Finding] {
        Set(windows.map(\.busName)).sorted().filter { desk.tally.applications[$0]?.events ?? 0 == 0 }.map {
            Finding(
                .noEvents,
                "The active application \(names[$0] ?? $0) has sent no event since focusd follows the keyboard.",
                whatToDo: "If focus changes in it go unnoticed, restart it: some toolkits look only at their start "
                    + "whether anybody listens.")
        }
    }

    /// The keyboard focus is on another element than the application told, and it does not tell.
    private func untold(
        _ window: ObjectReference, _ search: LiveFocusSearch, _ names: [String: String]
    ) async -> Finding? {
        guard let told = desk.registry.position(of: .keyboard)?.element,
            let focused = await search.focused(in: window), await isElsewhere(focused, told, search)
        else { return nil }
        // What is told in this moment is under way.
        await Loop.pause(milliseconds: ApplicationDiagnosis.patienceMilliseconds)
        guard desk.registry.position(of: .keyboard)?.element == told, await isElsewhere(focused, told, search) else {
            return nil
        }
        return Finding(
            .noFocusEvents,
            "The keyboard focus moved in \(names[window.busName] ?? window.busName), and it sent no event of that.",
            whatToDo:
                "Neither focusd nor a screen reader can know of it. Restart the application; if it does not help, "
                + "tell its makers.")
    }

    /// Whether one has the focus and the other, which was told last, has not. A row in a list does not have the state.
    private func isElsewhere(
        _ focused: ObjectReference, _ told: ObjectReference, _ search: LiveFocusSearch
    ) async -> Bool {
        guard focused != told, await search.hasFocus(focused), await !search.hasFocus(told) else { return false }
        let lineage = desk.registry.position(of: .keyboard)?.placement.lineage
        return lineage?.contains(focused) != true
    }

    private func repeated(_ list: [Application]) -> [Finding] {
        list.compactMap { application in
            // GTK 3 says everything twice, always.
            let usual = application.toolkit == "gtk" ? 2 : 1
            guard let repetition = desk.focusRuns.repetitions(of: application.busName, usual: usual, at: desk.now)
            else {
                return nil
            }
            return Finding(
                .repeatedFocusEvents,
                "The application \(named(application)) said \(times(repetition.count)) more than "
                    + "\(usual == 1 ? "once" : "twice") in a row that the same element has the focus, the last time "
                    + "\(AgeWords.ago(desk.now - repetition.last)).",
                whatToDo:
                    "Nothing: the same is counted once. A screen reader may say it twice; then tell the makers of "
                    + "the application.")
        }
    }

    private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
