import FocusProtocol
import Foundation
import Glibc
import TestDesktop
import Testing

/// Limits of what binds may hold are met at the socket: told by name, counted, in nobody's way, and given back.
@Suite(.serialized) struct ShareTests {
    /// A process that takes as much of one thing as it gets, and the limit that it was told then.
    private func greedy(_ service: Service, _ what: String) throws -> (process: TestDesktop.ChildProcess, told: String)
    {
        let script = "\(Places.package)/Tests/SocketTests/greedy_client.py"
        let process = try TestDesktop.ChildProcess(
            "/usr/bin/python3", [script, service.socket, "share", what],
            environment: ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"])
        let told = try process.output.first(within: 60, "the limit of \(what)") { _ in true }
        try process.output.line("READY", within: 60)
        return (process, told)
    }

    private func use(_ statistics: Statistics, _ limit: String) throws -> LimitUse {
        try #require(statistics.limits.first { $0.name == limit }, "\(limit)")
    }

    /// Somebody else gets some of everything meanwhile.
    private func expectServed(_ service: Service, _ what: String) throws {
        let stranger = try service.client()
        let bind = try stranger.call(
            #"{"method":"io.focusd.Focus.Bind","more":true,"parameters":{"prototypes":"#
                + #"[{"value":"a","selector":"panel:has(> label)"}],"modes":["flat-review"]}}"#)
        #expect(bind.error == nil && bind.continues, "\(what): \(bind.text)")
        let search = try service.client().call(
            #"{"method":"io.focusd.Focus.Find","parameters":{"selector":"label[name=never]"}}"#)
        #expect(search.error == nil, "\(what): \(search.text)")
        stranger.vanish()
    }

    private func expectFreed(_ service: Service, _ what: String) throws {
        let statistics = try service.statistics(until: "\(what): they have gone") { $0.clients.count == 1 }
        let own = ["maximumClients": 1, "maximumCalls": 1]
        for limit in statistics.limits where limit.name.hasPrefix("maximum") && !limit.name.hasSuffix("PerProcess") {
            #expect(limit.used == own[limit.name, default: 0], "\(what): \(limit)")
        }
    }

    /// How many processes it takes to leave the last of them less than its share.
    @Test(arguments: [("prototypes", 2), ("selectorBytes", 2), ("selectorParts", 2), ("treeSelectors", 4)])
    func `several processes meet what there is for all, and one that has nothing gets some still`(
        what: String, count: Int
    ) throws {
        let service = try Service()
        let name = "maximum\(what.prefix(1).uppercased())\(what.dropFirst())"
        let crowd = try (0..<count).map { _ in try greedy(service, what) }
        #expect(crowd.map(\.told) == Array(repeating: "\(name)PerProcess", count: count - 1) + [name])
        let met = try use(service.statistics(), name)
        #expect(met.met > 0 && met.used > met.limit / 2 && met.used < met.limit, "\(met)")
        try expectServed(service, what)
        for (process, _) in crowd { process.signal(SIGKILL) }
        try expectFreed(service, what)
    }
}
