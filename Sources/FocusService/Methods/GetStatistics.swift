import ATSPI
import AccessibilityTree
import EventLoop
import FocusProtocol
import Varlink

extension FocusServer {
    /// What was counted since the start, and who holds what now.
    static func getStatistics(_ call: ServedCall) throws {
        _ = try call.parameters(of: GetStatistics.self)
        let server = call.server
        let desk = call.desk
        let use = ProcessUse()
        let latency = server.latencies.figures
        call.reply(
            GetStatistics.Reply(
                statistics: Statistics(
                    version: focusdVersion, uptimeMilliseconds: (desk.now - server.startedAt) / 1_000,
                    nodes: desk.loader.paths.nodeCount + desk.desktop.nodeCount, counters: desk.tally.named,
                    memory: MemoryStatistics(privateBytes: use.privateBytes, residentBytes: use.residentBytes),
                    descriptors: use.descriptors,
                    latency: LatencyStatistics(
                        moves: server.latencies.count, p50Microseconds: latency.middle,
                        p99Microseconds: latency.ninetyNinth, maximumMicroseconds: latency.longest),
                    limits: server.limitUses(), applications: applicationStatistics(desk),
                    clients: server.clientStatistics(), processes: server.processStatistics())))
    }

    private static func applicationStatistics(_ desk: FocusDesk) -> [ApplicationStatistics] {
        desk.tally.applications.sorted { $0.key < $1.key }.map { busName, tally in
            let mirror = desk.desktop.application(busName)?.mirror
            return ApplicationStatistics(
                busName: busName, events: tally.events, calls: tally.calls, timeouts: tally.timeouts,
                callsInFlight: desk.bus.live?.callsInFlight(to: busName) ?? 0,
                nodes: desk.loader.paths.nodeCount(of: busName) + (mirror?.tree.nodeCount ?? 0),
                responding: mirror?.life != .unresponsive)
        }
    }

    private func clientStatistics() -> [ClientStatistics] {
        let now = desk.now
        return clients.values.sorted { ($0.pid, $0.connectedAt) < ($1.pid, $1.connectedAt) }.map { client in
            ClientStatistics(
                pid: Int(client.pid), calls: Int64(clamping: client.callCount), callsInFlight: client.callsInFlight,
                bytesQueued: client.bytesQueued, bytesReceived: client.bytesReceived, isStreaming: client.isStreaming,
                connectedMilliseconds: (now - client.connectedAt) / 1_000)
        }
    }

    private func processStatistics() -> [ProcessStatistics] {
        var streams: [Int32: Int] = [:]
        var bytes: [Int32: (queued: Int, waiting: Int)] = [:]
        for client in clients.values {
            if client.isStreaming { streams[client.pid, default: 0] += 1 }
            bytes[client.pid, default: (0, 0)].queued += client.bytesQueued
            bytes[client.pid, default: (0, 0)].waiting += client.bytesWaiting
        }
        return ledger.accounts.values.sorted { $0.pid < $1.pid }.map { account in
            ProcessStatistics(
                pid: Int(account.pid), clients: account[.clients], callsInFlight: account[.calls],
                streams: streams[account.pid, default: 0], states: account[.states], prototypes: account[.prototypes],
                selectorBytes: account[.selectorBytes], selectorParts: account[.selectorParts],
                treeSelectors: account[.treeSelectors], views: account[.views],
                searches: account[.searches], moves: account[.moves], sets: account[.pendingSets],
                bytesQueued: bytes[account.pid]?.queued ?? 0, bytesWaiting: bytes[account.pid]?.waiting ?? 0)
        }
    }

    /// Every limit of what clients may cost: what is used of it now, and how often it was met.
    func limitUses() -> [LimitUse] {
        let met = desk.tally.limitsMet
        func use(_ name: String, _ used: Int, _ limit: Int) -> LimitUse {
            LimitUse(name: name, used: used, limit: limit, met: met[name, default: 0])
        }
        let announced = announcements.count(at: desk.now)
        let shared = SharedResource.allCases.flatMap { resource -> [LimitUse] in
            let (names, share) = (resource.names, limits.share(of: resource))
            let isCounted = resource != .announcements
            let most = isCounted ? ledger.accounts.values.map { $0[resource] }.max() ?? 0 : announced.most
            return [
                use(names.ofProcess, most, share.ofProcess),
                use(names.ofAll, isCounted ? ledger.total(of: resource) : announced.ofAll, share.ofAll),
            ]
        }
        let single = SingleLimit.allCases.map { limit in
            let used = limit == .maximumQueuedBytesPerClient ? clients.values.map(\.bytesQueued).max() ?? 0 : 0
            return use(limit.rawValue, used, limits.value(of: limit))
        }
        let desktop = desk.desktop
        return shared + single + [
            LimitUse(
                name: "nodes", used: desktop.nodeCount, limit: desktop.limits.maximumNodes,
                met: Int64(desktop.applications.count { isCutForOthers($0) })),
            LimitUse(
                name: "callsInFlight", used: desk.bus.live?.mostCallsInFlight ?? 0,
                limit: desk.bus.live?.maximumCallsInFlight ?? 0, met: desk.tally[.callsRefused]),
        ]
    }
}

extension FocusServer {
    /// Whether what other mirrors hold leaves no room for all of an application.
    private func isCutForOthers(_ application: DesktopApplication) -> Bool {
        guard let tree = application.mirror?.tree else { return false }
        return tree.oddities.cutNodes > 0 && tree.limits.maximumNodes < desk.desktop.treeLimits.maximumNodes
    }
}

extension ServiceLimits {
    func value(of limit: SingleLimit) -> Int {
        switch limit {
        case .maximumMessageBytes: VarlinkLimits.server.maximumMessageBytes
        case .maximumQueuedBytesPerClient: maximumQueuedBytesPerClient
        case .maximumAnswerBytes: maximumAnswerBytes
        case .maximumPrototypesPerState: maximumPrototypesPerState
        case .maximumModesPerState: maximumModesPerState
        case .maximumAnnouncementBytes: maximumAnnouncementBytes
        }
    }
}
