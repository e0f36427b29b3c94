import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop

/// A private desktop with a real Orca and focusd, and a client that watches Orca's focus.
final class DesktopScene {
    let desktop: PrivateDesktop
    private(set) var orca: RealOrca
    private(set) var focusd: FocusdProcess
    private(set) var watch: FocusWatch
    /// The first number of Orca's version.
    let orcaVersion: Int

    /// Starts focusd first, so that it sees Orca come.
    init() throws {
        desktop = try PrivateDesktop()
        focusd = try FocusdProcess(environment: desktop.environment)
        var technologies = try Client(desktop.runtimeFolder).technologies()
        orca = try RealOrca(on: desktop)
        let version = try technologies.waitUntilActive("orca").version ?? ""
        guard let number = version.split(separator: ".").first.flatMap({ Int($0) }) else {
            throw Missing(what: "no number in Orca's version: '\(version)'")
        }
        orcaVersion = number
        watch = try FocusWatch(desktop.runtimeFolder, technology: "orca")
    }

    func window(
        _ toolkit: TestWindow.Toolkit, title: String = "Window", changes: Bool = false, hasScene: Bool = false
    ) throws -> TestWindow {
        try TestWindow(toolkit, title: title, changes: changes, hasScene: hasScene, on: desktop)
    }

    /// Binds a state in a stream of its own, to values with their selectors, in this order.
    func bind(_ prototypes: KeyValuePairs<String, String>, technologies: [String]? = nil) throws -> StateWatch {
        try StateWatch(desktop.runtimeFolder, prototypes, technologies: technologies)
    }

    func client() throws -> Client { try Client(desktop.runtimeFolder) }

    /// Starts another Orca after the first has gone.
    func restartOrca(replacing: Bool = false) throws {
        var technologies = try client().technologies()
        orca = try RealOrca(on: desktop, replacing: replacing)
        try technologies.waitUntilActive("orca")
    }

    /// Kills focusd, as a crash, and starts it again, as its supervisor.
    func restartFocusd() throws {
        focusd.process.end()
        focusd = try FocusdProcess(environment: desktop.environment)
    }

    /// Puts the window's own focus on one of its parts and waits until Orca is there: a known place to start from.
    ///
    /// Orca misses what GTK 4 says before the registry lists the new application: it is said again then.
    func start(at name: String, in window: TestWindow) throws {
        for _ in 0..<5 {
            try window.tell("focus First")
            try window.tell("focus \(name)")
            do {
                try watch.next(within: 4, until: "Orca on \(name)") { $0.element?.name == name && !$0.assumed }
                return
            } catch FocusSocketError.timedOut {
                // A stream that timed out is over.
                watch = try FocusWatch(desktop.runtimeFolder, technology: "orca")
                if watch.first.element?.name == name { return }
            }
        }
        throw Missing(what: "Orca did not come to \(name) of \(window.application)")
    }

    /// The names of the elements that the keyboard is on from now on, the first of them now.
    func keyboardPlaces() throws -> Record<String> {
        try FocusWatch(desktop.runtimeFolder, technology: "keyboard").names()
    }

    /// Where Orca is once nothing has come for a second.
    func settledPlace() throws -> Focus? {
        var last: Focus?
        do {
            while true { last = try watch.next(within: 1) }
        } catch FocusSocketError.timedOut {
            // A stream that timed out is over.
            watch = try FocusWatch(desktop.runtimeFolder, technology: "orca")
        }
        return last ?? watch.first
    }

    func move(
        to reference: String, technologies: [String]? = nil, again: Bool? = nil, routes: [String]? = nil,
        timeoutMilliseconds: Int? = nil
    ) throws -> Outcome {
        try client().move(
            to: reference, technologies: technologies, again: again, routes: routes,
            timeoutMilliseconds: timeoutMilliseconds)
    }
}
