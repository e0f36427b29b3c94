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

    private let place: SocketPlace
    private let manager: ServiceManager
    private let server: FocusServer
    private let desk: FocusDesk
    private let log: Log
    private var termination: TerminationWatch?

    /// Takes the socket's place. Throws, having touched nothing, where another focusd serves or the folder is unsafe.
    package init(_ options: Options) throws(SocketFolder.Refusal) {
        manager = ServiceManager()
        let handedOver = manager.takeListener()
        manager.closeRest()
        place = try SocketPlace(
            runtimeDirectory: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, handedOver: handedOver != nil,
            backlog: 128)
        let own = try place.open(handedOver: handedOver != nil)
        let settings = options.settings
        var bus = AccessibilityBus.Limits()
        // Questions about focus find room beside the mirror's, however few those may be.
        bus.connection.maximumCallsInFlight = max(settings.callsInFlight, bus.connection.maximumCallsInFlight)
        desk = FocusDesk(
            configuration: FocusDesk.Configuration(settings), bus: AccessibilityBus(limits: bus),
            lastPlaces: PlaceKeeper(Daemon.placesFile(place)))
        server = FocusServer(desk: desk, log: options.log)
        log = options.log
        if let handedOver { server.serve(handedOver) }
        if let own { server.serve(own, isOwn: true) }
    }

    /// Begins: the socket is served from now on; the bus is looked for in the background.
    package func start() {
        place.onRenewed = { [weak self] in self?.placeRenewed($0) }
        place.onTrouble = { [weak self] in self?.log.warning("the socket cannot be found by new clients: \($0)") }
        place.onUnwatched = { [weak self] in self?.tellUnwatched() }
        if place.isUnwatched { tellUnwatched() }
        place.onTaken = { [weak self] in
            self?.log.warning("somebody else listens at \($0) now, as systemd does for focusd.socket: making room")
            self?.stop()
        }
        log.info("serving \(place.path)")
        termination = TerminationWatch(signals: [SIGTERM, SIGINT, SIGHUP]) { [weak self] in self?.stop() }
        desk.onBusChanged = { [weak self] in self?.tellBusStatus() }
        desk.start()
        manager.ready(busStatus)
    }

    private func stop() {
        log.info("stopping")
        manager.stopping()
        place.leave()
        server.stop()
        Loop.stop()
    }

    private func placeRenewed(_ descriptor: Int32) {
        log.warning("the socket's place was gone and is made again: serving \(place.path)")
        server.serve(descriptor, isOwn: true)
        desk.lastPlaces.move(to: Daemon.placesFile(place), desk.registry, onBus: desk.bus.live?.serverID)
    }

    private func tellUnwatched() {
        log.warning(
            "the socket's folder cannot be watched, as the system has no inotify instance left "
                + "(fs.inotify.max_user_instances): should it be removed, that is noticed within a minute")
    }

    private static func placesFile(_ place: SocketPlace) -> KeptFile? { KeptFile("\(place.folderPath)/places") }

    // MARK: - What the service manager shows

    private var busStatus: String {
        desk.bus.live == nil ? "Looking for the accessibility bus" : "On the accessibility bus"
    }

    private func tellBusStatus() { manager.status(busStatus) }
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
