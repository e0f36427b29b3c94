import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// A client that ends its writing is still answered; one that goes is waited for no more.
@Suite(.serialized) struct HalfCloseTests {
    @Test func `calls made before the end of writing are answered, then the connection ends`() throws {
        let service = try Service()
        let client = try service.client()
        let calls = [Wire.getInfo, #"{"method":"io.focusd.Focus.Nothing"}"#, Wire.getFocus]
        try client.send(bytes: calls.flatMap { Array($0.utf8) + [0] })
        client.endWriting()
        let replies = try client.rest()
        #expect(replies.map(\.error) == [nil, "org.varlink.service.MethodNotFound", nil])
    }

    @Test func `a stream ends with its last reply again, without continues`() async throws {
        try await withBusyService { busy in
            let client = try busy.service.client()
            #expect(try client.call(Wire.watchFocus).elementName == "OK")
            try await busy.reader.present("cancel", of: busy.application)
            let change = try client.reply()
            #expect(change.elementName == "Cancel" && change.continues)
            client.endWriting()
            let rest = try client.rest()
            #expect(rest.count == 1)
            let last = try #require(rest.last)
            #expect(last.error == nil && !last.continues)
            #expect(last.parameters as NSDictionary == change.parameters as NSDictionary)
            // It is no subscriber any more.
            try await busy.reader.present("help", of: busy.application)
            try busy.service.statistics(until: "it has gone") { !$0.clients.contains(where: \.isStreaming) }
        }
    }

    @Test(arguments: [Wire.watchFocus, Wire.watchTechnologies])
    func `a stream asked for before the end of writing has one reply`(_ call: String) throws {
        let service = try Service()
        let client = try service.client()
        try client.send(call)
        client.endWriting()
        let replies = try client.rest()
        // The end may be seen before or after the first reply is made.
        #expect((1...2).contains(replies.count))
        #expect(replies.last?.error == nil && replies.last?.continues == false)
        #expect(replies.dropLast().allSatisfy { $0.continues })
    }

    @Test func `a pending move is answered after the end of writing`() async throws {
        try await withBusyService { busy in
            let application = busy.application
            application.script("GetState", on: "cancel", .never)
            let client = try busy.service.client()
            try client.send(Wire.move(to: application.referenceText("cancel")))
            client.endWriting()
            let replies = try client.rest()
            let outcome = replies.first?.parameters["outcome"] as? [String: Any]
            #expect(replies.count == 1)
            #expect(outcome?["reason"] as? String == "applicationNotResponding")
        }
    }

    @Test func `a client that goes is not waited for`() async throws {
        try await withBusyService { busy in
            let (service, application) = (busy.service, busy.application)
            try await busy.reader.setDescendants(.ignore)
            let before = try service.statistics().clients.count
            let client = try service.client()
            let call = Wire.move(to: application.referenceText("cancel"), milliseconds: 60_000)
            application.script("GetState", on: "cancel", .never)
            try client.send(call)
            _ = try await application.waitForCall("GetState", on: "cancel")
            client.vanish()
            // Long before the question's own deadline could end it: the first to answer sees it gone.
            let statistics = try service.statistics(until: "it has gone") { $0.clients.count <= before }
            #expect(statistics.counters["callTimeouts"] == 0)
        }
    }
}
