import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop

/// A private desktop with a real Orca and focusd, and a client that watches Orca's focus.
final class DesktopScene {
    let desktop: PrivateDesktop
    private(set) var orca: RealOrca
    let focusd: FocusdProcess
    private(set) var watch: FocusWatch

    /// Starts focusd first, so that it sees Orca come.
    init() throws {
        desktop = try PrivateDesktop()
        focusd = try FocusdProcess(environment: desktop.environment)
        var technologies = try Client(desktop.runtimeFolder).technologies()
        orca = try RealOrca(on: desktop)
        try technologies.waitUntilActive("orca")
        watch = try FocusWatch(desktop.runtimeFolder, technology: "orca")
    }

    func window(_ toolkit: TestWindow.Toolkit, title: String = "Window") throws -> TestWindow {
        try TestWindow(toolkit, title: title, on: desktop)
    }

    func client() throws -> Client { try Client(desktop.runtimeFolder) }

    /// Starts another Orca after the first has gone.
    func restartOrca() throws {
        var technologies = try client().technologies()
        orca = try RealOrca(on: desktop)
        try technologies.waitUntilActive("orca")
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

/// One client connection for single calls.
struct Client {
    private let socket: FocusSocket

    init(_ runtimeFolder: String) throws {
        socket = try FocusSocket(at: SocketLocation(runtimeFolder: runtimeFolder), deadline: .after(.seconds(10)))
    }

    func focus(of technology: String? = nil) throws -> Focus {
        try socket.call(
            GetFocus.self, parameters: .init(technology: technology), deadline: .after(.seconds(20))
        ).focus
    }

    func move(
        to reference: String, technologies: [String]? = nil, again: Bool? = nil, routes: [String]? = nil,
        timeoutMilliseconds: Int? = nil
    ) throws -> Outcome {
        try socket.call(
            MoveFocus.self,
            parameters: .init(
                element: reference, technologies: technologies, again: again, routes: routes,
                timeoutMilliseconds: timeoutMilliseconds), deadline: .after(.seconds(60))
        ).outcome
    }

    func diagnose() throws -> [Finding] {
        try socket.call(Diagnose.self, parameters: .init(), deadline: .after(.seconds(20))).findings
    }

    func applications() throws -> [Application] {
        try socket.call(ListApplications.self, parameters: .init(), deadline: .after(.seconds(20))).applications
    }

    func technologies() throws -> TechnologyWatch {
        TechnologyWatch(
            stream: try socket.stream(ListTechnologies.self, parameters: .init(), deadline: .after(.seconds(10))))
    }
}

/// A stream of technologies.
struct TechnologyWatch {
    fileprivate var stream: ReplyStream<ListTechnologies>

    fileprivate init(stream: ReplyStream<ListTechnologies>) { self.stream = stream }

    mutating func waitUntilActive(_ id: String) throws {
        while let reply = try stream.next(deadline: .after(.seconds(40))) {
            if reply.technologies.contains(where: { $0.id == id && $0.active }) { return }
        }
        throw Missing(what: "\(id) did not become active")
    }
}

/// A stream of one technology's focus; its first reply is taken when it is made.
final class FocusWatch {
    private var stream: ReplyStream<GetFocus>
    let first: Focus

    init(_ runtimeFolder: String, technology: String?, updates: Bool? = nil) throws {
        let socket = try FocusSocket(
            at: SocketLocation(runtimeFolder: runtimeFolder), deadline: .after(.seconds(10)))
        stream = try socket.stream(
            GetFocus.self, parameters: .init(technology: technology, updates: updates), deadline: .after(.seconds(10)))
        guard let reply = try stream.next(deadline: .after(.seconds(20))) else {
            throw Missing(what: "the stream ended before its first reply")
        }
        first = reply.focus
    }

    /// The next change.
    func next(within seconds: Int = 20) throws -> Focus {
        guard let reply = try stream.next(deadline: .after(.seconds(seconds))) else {
            throw Missing(what: "the stream ended")
        }
        return reply.focus
    }

    /// Reads on until a change fits; each is waited for as long.
    @discardableResult
    func next(within seconds: Int = 20, until description: String, _ fits: (Focus) -> Bool) throws -> Focus {
        var seen: [String] = []
        for _ in 0..<100 {
            let focus = try next(within: seconds)
            if fits(focus) { return focus }
            seen.append("\(focus.cause) \(focus.element?.name ?? "none")")
        }
        throw Missing(what: "no change: \(description)", seen: seen)
    }
}
