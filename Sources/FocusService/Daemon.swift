import ATSPI
import AccessibilityTree
import EventLoop
import Glibc
import Settings

/// The whole service: made once, by `focusd`.
@Loop
package final class Daemon {
    package struct Options: Sendable {
        /// What the person whose desktop it is chose.
        package var settings = Settings()
        package var log = Log()
        package init() {}
    }

    private let folder: SocketFolder
    private let server: FocusServer
    private let desk: FocusDesk
    private let log: Log
    private var termination: TerminationWatch?

    /// Takes the socket's place. Throws, having touched nothing, where another focusd serves or the folder is unsafe.
    package init(_ options: Options) throws(SocketFolder.Refusal) {
        let folder = try SocketFolder(runtimeDirectory: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) })
        let descriptor = try folder.listen(backlog: 128)
        let settings = options.settings
        var bus = AccessibilityBus.Limits()
        // Questions about focus find room beside the mirror's, however few those may be.
        bus.connection.maximumCallsInFlight = max(settings.callsInFlight, bus.connection.maximumCallsInFlight)
        desk = FocusDesk(
            configuration: FocusDesk.Configuration(settings), bus: AccessibilityBus(limits: bus))
        server = FocusServer(desk: desk, log: options.log)
        self.folder = folder
        log = options.log
        server.serve(descriptor)
    }

    /// Begins: the socket is served from now on; the bus is looked for in the background.
    package func start() {
        log.info("serving \(folder.path)/io.focusd.Focus")
        termination = TerminationWatch(signals: [SIGTERM, SIGINT, SIGHUP]) { [weak self] in self?.stop() }
        desk.start()
    }

    private func stop() {
        log.info("stopping")
        server.stop()
        folder.removeSocket()
        Loop.stop()
    }
}

extension FocusDesk.Configuration {
    /// What the settings say, and what is usual elsewhere.
    fileprivate init(_ settings: Settings) {
        technologies = Set(settings.technologies)
        troubleMemory = Int64(settings.rememberTroubleSeconds) * 1_000_000
        desktop.mirrorsAll = settings.mirror == .desktop
        desktop.keepMilliseconds = Int64(settings.keepMirrorSeconds) * 1_000
        desktop.tree.maximumNodes = settings.nodesPerApplication
        desktop.tree.maximumChildren = settings.childrenPerObject
        desktop.tree.maximumDepth = settings.depth
        desktop.tree.maximumTextBytes = settings.nameBytes
        desktop.limits.maximumNodes = settings.nodes
        let usual = CallQueue.Limits().maximumCallsInFlight
        // Some of what an application may have to answer at once is left for questions about focus.
        desktop.limits.questions.maximumCallsInFlight =
            settings.callsInFlight <= usual ? settings.callsInFlight : max(usual, settings.callsInFlight * 3 / 4)
    }
}
