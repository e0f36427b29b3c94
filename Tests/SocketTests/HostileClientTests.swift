import FakePeers
import FocusProtocol
import Foundation
import Glibc
import TestDesktop
import Testing

/// Whatever a client sends, focusd answers it to the letter or closes that connection, and everybody else lives on.
@Suite(.serialized) struct HostileClientTests {
    private let service: Service
    /// A client that behaves, there before the others.
    private let other: RawClient

    init() throws {
        service = try Service()
        other = try service.client()
        #expect(try other.call(Wire.getInfo).error == nil)
    }

    private func expectUnharmed(_ location: SourceLocation = #_sourceLocation) throws {
        #expect(try other.call(Wire.getInfo).error == nil, sourceLocation: location)
        #expect(try service.client().call(Wire.getInfo).error == nil, sourceLocation: location)
    }

    private func expectFault(_ count: Int64 = 1, _ location: SourceLocation = #_sourceLocation) throws {
        let counted = try Service.statistics(other).counters["clientsClosedForFault"]
        #expect(counted == count, sourceLocation: location)
    }

    @Test(arguments: [
        "garbage", "", "[]", "null", "\"method\"", "{}", #"{"method":7}"#, #"{"method":null}"#, #"{"method":"a.B""#,
        #"{"method":"a.B","parameters":[]}"#, #"{"method":"a.B","more":"yes"}"#, #"{"method":"a.B","method":"a.C"}"#,
        #"{"method":"a.B"} {"method":"a.B"}"#,
    ])
    func `a message that is no call closes the connection`(_ text: String) throws {
        let client = try service.client()
        try client.send(text)
        #expect(try client.next() == nil)
        try expectUnharmed()
        try expectFault()
    }

    @Test func `bytes that are not UTF-8 close the connection`() throws {
        let client = try service.client()
        try client.send(bytes: Array(#"{"method":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8) + [0])
        #expect(try client.next() == nil)
        try expectUnharmed()
        try expectFault()
    }

    @Test func `objects deeper than allowed close the connection`() throws {
        let client = try service.client()
        let deep = String(repeating: #"{"a":"#, count: 63) + "1" + String(repeating: "}", count: 63)
        // As deep as allowed: the message's own object counts as one.
        let allowed = try client.call(#"{"method":"io.focusd.Focus.GetFocus","parameters":\#(deep)}"#)
        #expect(allowed.error == "org.varlink.service.InvalidParameter")
        try client.send(#"{"method":"io.focusd.Focus.GetFocus","parameters":{"a":\#(deep)}}"#)
        #expect(try client.next() == nil)
        let deepest = try service.client()
        try deepest.send(#"{"method":"a.B","parameters":"# + String(repeating: #"{"a":"#, count: 100_000))
        #expect(try deepest.next() == nil)
        try expectUnharmed()
        try expectFault(2)
    }

    @Test func `half a message and then the end is no call`() throws {
        let client = try service.client()
        try client.send(bytes: Array(#"{"method":"org.varlink.service.Get"#.utf8))
        client.endWriting()
        #expect(try client.next() == nil)
        let vanishing = try service.client()
        try vanishing.send(bytes: Array(#"{"method":"org.varlink.service.Get"#.utf8))
        vanishing.vanish()
        try service.statistics(until: "both are counted") { $0.counters["clientsClosedForFault"] == 2 }
        try expectUnharmed()
    }

    @Test func `a message without end is cut off at its limit`() throws {
        let before = try service.residentKilobytes
        let client = try service.client()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        var sent = 0
        while sent < 100, try client.send(bytes: piece) { sent += 1 }
        // The service keeps one message's worth; the socket's buffers hold a little more.
        #expect(sent < 4)
        #expect(try client.next() == nil)
        try expectUnharmed()
        try expectFault()
        #expect(try service.residentKilobytes < before + 20_000)
    }

    @Test func `a message may be as long as its limit`() throws {
        let client = try service.client()
        let head = #"{"method":"org.varlink.service.GetInfo""#
        let padding = String(repeating: " ", count: (1 << 20) - head.utf8.count - 1)
        #expect(try client.call(head + padding + "}").error == nil)
        try client.send(head + padding + " }")
        #expect(try client.next() == nil)
        try expectUnharmed()
    }

    @Test func `a call may come byte by byte`() throws {
        let client = try service.client()
        try client.sendByteByByte(Wire.getInfo)
        #expect(try client.reply().parameters["product"] as? String == "focusd")
    }

    @Test func `a thousand calls at once are answered in their order`() throws {
        let client = try service.client()
        let calls = (0..<1_000).map { #"{"method":"a.B.M\#($0)"}"# }
        try client.send(bytes: calls.flatMap { Array($0.utf8) + [0] })
        for number in 0..<1_000 {
            let reply = try client.reply()
            #expect(reply.error == "org.varlink.service.InterfaceNotFound")
            guard number % 100 == 0 else { continue }
            try expectUnharmed()
        }
        let methods = (0..<1_000).map { #"{"method":"io.focusd.Focus.M\#($0)"}"# }
        try client.send(bytes: methods.flatMap { Array($0.utf8) + [0] })
        for number in 0..<1_000 {
            #expect(try client.reply().parameters["method"] as? String == "io.focusd.Focus.M\(number)")
        }
    }

    @Test func `as many calls as one reading holds do not stand on each other`() throws {
        let client = try service.client()
        let call = Array(#"{"method":""}"#.utf8) + [0]
        let count = (1 << 20) / call.count
        let bytes = Array(repeating: call, count: count).flatMap { $0 }
        let sender = Sender(client, bytes)
        for _ in 0..<count { #expect(try client.reply().error == "org.varlink.service.InterfaceNotFound") }
        try sender.wait()
        try expectUnharmed()
    }

    @Test(arguments: [
        (#"{"method":"gibberish"}"#, "org.varlink.service.InterfaceNotFound", ["interface": ""]),
        (
            #"{"method":"io.example.None.Get"}"#, "org.varlink.service.InterfaceNotFound",
            ["interface": "io.example.None"]
        ),
        (
            #"{"method":"io.focusd.Focus.Nothing"}"#, "org.varlink.service.MethodNotFound",
            ["method": "io.focusd.Focus.Nothing"]
        ),
        (
            #"{"method":"io.focusd.Focus.GetFocus","parameters":{"tecnology":"orca"}}"#,
            "org.varlink.service.InvalidParameter", ["parameter": "tecnology"]
        ),
        (
            #"{"method":"io.focusd.Focus.GetFocus","parameters":{"technology":7}}"#,
            "org.varlink.service.InvalidParameter", ["parameter": "technology"]
        ),
        (
            #"{"method":"io.focusd.Focus.GetFocus","parameters":{"updates":false,"updates":true}}"#,
            "org.varlink.service.InvalidParameter", ["parameter": "updates"]
        ),
        (
            #"{"method":"io.focusd.Focus.GetFocus","parameters":{"technology":"\u0000"}}"#,
            "org.varlink.service.InvalidParameter", ["parameter": "technology"]
        ),
        (
            #"{"method":"io.focusd.Focus.GetFocus","parameters":{"technology":"nobody"}}"#,
            "io.focusd.Focus.UnknownTechnology", ["id": "nobody"]
        ),
        (
            #"{"method":"org.varlink.service.GetInterfaceDescription"}"#, "org.varlink.service.InvalidParameter",
            ["parameter": "interface"]
        ),
        (
            #"{"method":"org.varlink.service.GetInfo","parameters":{"x":1}}"#, "org.varlink.service.InvalidParameter",
            ["parameter": "x"]
        ),
        (
            #"{"method":"io.focusd.Focus.MoveFocus","parameters":{"element":"nonsense"}}"#,
            "org.varlink.service.InvalidParameter", ["parameter": "element"]
        ),
        (
            #"{"method":"io.focusd.Focus.MoveFocus","parameters":{"element":":1.5/a","timeoutMilliseconds":60001}}"#,
            "org.varlink.service.InvalidParameter", ["parameter": "timeoutMilliseconds"]
        ),
    ])
    func `a call that cannot be served names what is wrong`(
        _ call: String, _ error: String, _ parameters: [String: String]
    ) throws {
        let client = try service.client()
        let reply = try client.call(call)
        #expect(reply.error == error)
        #expect(reply.parameters as? [String: String] == parameters)
        #expect(try client.call(Wire.getInfo).error == nil)
    }

    @Test func `parameters that are null or left out are none`() throws {
        let client = try service.client()
        for method in ["io.focusd.Focus.GetFocus", "io.focusd.Focus.ListTechnologies", "org.varlink.service.GetInfo"] {
            #expect(try client.call(#"{"method":"\#(method)","parameters":null}"#).error == nil)
            #expect(try client.call(#"{"method":"\#(method)","parameters":{}}"#).error == nil)
            #expect(try client.call(#"{"method":"\#(method)"}"#).error == nil)
        }
        let nulls = #"{"method":"io.focusd.Focus.GetFocus","parameters":{"technology":null,"updates":null}}"#
        #expect(try client.call(nulls).error == nil)
    }

    @Test func `oneway gets neither reply nor error`() throws {
        let client = try service.client()
        try client.send(#"{"method":"org.varlink.service.GetInfo","oneway":true}"#)
        try client.send(#"{"method":"io.focusd.Focus.Nothing","oneway":true}"#)
        try client.send(Wire.move(to: ":1.5/a", flags: #","oneway":true"#))
        let reply = try client.call(#"{"method":"io.focusd.Focus.Last"}"#)
        #expect(reply.parameters["method"] as? String == "io.focusd.Focus.Last")
        client.endWriting()
        #expect(try client.next() == nil)
    }

    @Test(arguments: [#""upgrade":true"#, #""oneway":true,"more":true"#])
    func `what Varlink does not allow here closes the connection, once in the log`(_ flags: String) throws {
        let client = try service.client()
        try client.send(#"{"method":"org.varlink.service.GetInfo",\#(flags)}"#)
        #expect(try client.next() == nil)
        try expectUnharmed()
        try expectFault()
        // What it writes is read by another thread.
        let log = service.focusd.process.errors
        _ = try log.first(within: 20, "the line of the log") { $0.contains("closed the connection") }
        #expect(log.all.count { $0.contains("closed the connection") } == 1)
    }

    @Test func `nothing continues where more was not asked`() throws {
        let client = try service.client()
        #expect(try !client.call(Wire.getFocus).text.contains("continues"))
        #expect(try !client.call(Wire.listTechnologies).text.contains("continues"))
    }

    @Test func `a stream occupies its connection`() throws {
        let client = try service.client()
        #expect(try client.call(Wire.watchFocus).continues)
        try client.send(Wire.getInfo)
        try expectUnharmed()
        client.endWriting()
        let rest = try client.rest()
        #expect(rest.last?.parameters["product"] as? String == "focusd")
    }

    @Test func `five hundred clients that come and go leave nothing behind`() throws {
        let settled = { (statistics: Statistics) in statistics.clients.count == 2 }
        try service.statistics(until: "only these clients", settled)
        let before = try service.openDescriptors
        for number in 0..<500 {
            let client = try service.client()
            switch number % 5 {
            case 0: try client.send(Wire.watchFocus)
            case 1: try client.send(bytes: Array("{".utf8))
            case 2: #expect(try client.call(Wire.getInfo).error == nil)
            case 3: client.endWriting()
            default: break
            }
            client.vanish()
        }
        try service.statistics(until: "all have gone", settled)
        // The client that asked may still be in one of the counts, and a look for the bus.
        #expect(try service.openDescriptors <= before + 4)
    }
}
