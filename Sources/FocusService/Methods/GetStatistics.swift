import AccessibilityTree
import EventLoop
import FocusProtocol

extension FocusServer {
    /// What was counted since the start, and who holds what now.
    static func getStatistics(_ call: ServedCall) throws {
        _ = try call.parameters(of: GetStatistics.self)
        let desk = call.desk
        let applications = desk.tally.applications.sorted { $0.key < $1.key }.map { busName, tally in
            ApplicationStatistics(
                busName: busName, events: tally.events, calls: tally.calls, timeouts: tally.timeouts)
        }
        let clients = call.server.clients.values.sorted { $0.pid < $1.pid }.map { client in
            ClientStatistics(
                pid: Int(client.pid), calls: Int64(clamping: client.callCount), bytesQueued: client.bytesQueued,
                isStreaming: client.isStreaming)
        }
        call.reply(
            GetStatistics.Reply(
                statistics: Statistics(
                    version: focusdVersion, uptimeMilliseconds: (desk.now - call.server.startedAt) / 1_000,
                    nodes: desk.loader.paths.nodeCount + desk.desktop.nodeCount, counters: desk.tally.named,
                    applications: applications,
                    clients: clients)))
    }
}
