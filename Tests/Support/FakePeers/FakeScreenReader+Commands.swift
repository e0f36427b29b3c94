import Foundation

/// The commands that the program `fake-screen-reader` reads, a line each; every one is answered with one line.
extension FakeScreenReader {
    /// Carries out one line and says what to answer: `ok …` or `error …`.
    package func carryOut(_ line: String) -> String {
        do {
            return try "ok \(perform(line.split(separator: " ").map(String.init)))"
        } catch {
            return "error \(error)"
        }
    }

    private func perform(_ words: [String]) throws -> String {
        var next = words.dropFirst().makeIterator()
        func word(_ what: String) throws -> String {
            guard let word = next.next() else { throw FakePeerError.unexpectedAnswer("no \(what)") }
            return word
        }
        func number(_ what: String) throws -> Int32 {
            guard let number = Int32(try word(what)) else { throw FakePeerError.unexpectedAnswer("no number \(what)") }
            return number
        }
        switch words.first {
        case "present":
            let presentation = try present(
                mode: try word("MODE"), bus: try word("BUS"), path: try word("PATH"), start: try number("START"),
                end: try number("END"))
            try connection.settle()
            return String(presentation.monotonicMicroseconds)
        case "pair":
            let (mode, bus) = (try word("MODE"), try word("BUS"))
            for path in [try word("PATH1"), try word("PATH2")] { try present(mode: mode, bus: bus, path: path) }
            try connection.settle()
        case "signal":
            // A dash stands for an empty word.
            try signal(
                try word("MEMBER"), try word("DETAIL").replacing("-", with: ""), try number("DETAIL1"),
                try number("DETAIL2"), try word("BUS").replacing("-", with: ""), try word("PATH"))
            try connection.settle()
        case "nonsense":
            try connection.emit(
                path: Self.path, interface: Self.interface, member: "RegionChanged", nonsense(try word("body")))
            try connection.settle()
        case "storm":
            let (count, bus) = (try number("COUNT"), try word("BUS"))
            let paths = (try word("PATH1"), try word("PATH2"))
            let flood = try storm(count: Int(count), bus: bus, paths: paths, perSecond: next.next().flatMap { Int($0) })
            return String(try flood.waitBlocking(within: .seconds(600)) / 2)
        case "follow": behaviour.followsFocus = try word("on or off") == "on"
        case "repeat": behaviour.repeatsSameElement = try word("on or off") == "on"
        case "descendants": behaviour.descendants = try descendants(try word("policy"), &next)
        case "register": try registerEvents()
        case "presented": return String(presented.count)
        case "heard":
            let (member, count) = (try word("MEMBER"), Int(try number("COUNT")))
            _ = try connection.signals.waitBlocking(count, for: "\(member) \(count)") { $0.member == member }
            return try json(connection.signals.all.filter { $0.member == member }.map { FakeMention($0) })
        case "controller":
            guard let generation = FakeRemoteController.Generation(rawValue: try word("GENERATION")),
                let answer = FakeRemoteController.Answer(rawValue: try word("ANSWER"))
            else { throw FakePeerError.unexpectedAnswer("no such controller") }
            remoteController = try FakeRemoteController(session: try word("ADDRESS"), generation, answer: answer)
        case "told":
            let count = Int(try number("COUNT"))
            guard let calls = remoteController?.calls else { throw FakePeerError.unexpectedAnswer("no controller") }
            if count > 0 { _ = try calls.waitBlocking(count, for: "call \(count)") }
            return try json(calls.all.map { FakeMention($0) })
        default: throw FakePeerError.unexpectedAnswer("no such command")
        }
        return words.joined(separator: " ")
    }

    private func json(_ mentions: [FakeMention]) throws -> String {
        String(decoding: try JSONEncoder().encode(mentions), as: UTF8.self)
    }

    private func nonsense(_ body: String) -> [DBusValue] {
        switch body {
        case "number": ["", 0, 0, .variant(7), .variantDictionary([])]
        case "string": ["", "0", "0", .variant("x"), .variantDictionary([])]
        case "short": ["", 0]
        default: []
        }
    }

    private func descendants(_ policy: String, _ rest: inout IndexingIterator<ArraySlice<String>>) throws -> Descendants
    {
        switch policy {
        case "follow": return .follow
        case "ignore": return .ignore
        case "after":
            if let number = rest.next().flatMap({ Int($0) }) { return .followAfter(.milliseconds(number)) }
        case "first":
            if let bus = rest.next(), let path = rest.next() {
                return .presentFirst(FakeReference(bus: bus, path: path))
            }
        default: break
        }
        throw FakePeerError.unexpectedAnswer("no such policy")
    }
}
