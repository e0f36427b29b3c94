import AccessibilityTree
import FocusProtocol
import FocusRegistry
import Foundation
import Testing

import FocusService

/// What is remembered of things that went wrong, and for how long, with times given in.
@Suite struct IncidentTests {
    private let minute: Microseconds = 60_000_000
    private let evil = Incidents.Culprit.connection(":1.5")

    @Test func `what happened once is told for its time and no longer`() {
        var incidents = Incidents(memory: 10 * minute)
        incidents.note(.forgedMessage, by: evil, at: minute)
        #expect(incidents.recent(.forgedMessage, at: minute).map(\.count) == [1])
        #expect(incidents.recent(.forgedMessage, at: 11 * minute - 1).count == 1)
        #expect(incidents.recent(.forgedMessage, at: 11 * minute).isEmpty)
    }

    @Test func `what goes on is told with when it began and when it was last`() {
        var incidents = Incidents(memory: 10 * minute)
        let news = (1...30).map { incidents.note(.forgedMessage, by: evil, at: Int64($0) * minute) }
        #expect(news == [true] + Array(repeating: false, count: 29))
        let record = incidents.recent(.forgedMessage, at: 39 * minute).first
        #expect(record?.count == 30 && record?.first == minute && record?.last == 30 * minute)
        #expect(incidents.recent(.forgedMessage, at: 40 * minute).isEmpty)
        // It begins anew, and who it is is asked again.
        let isNew = incidents.note(.forgedMessage, by: evil, at: 50 * minute)
        #expect(isNew)
        #expect(incidents.recent(.forgedMessage, at: 50 * minute).map(\.first) == [50 * minute])
    }

    @Test func `culprits are told apart, the last first, and named`() {
        var incidents = Incidents(memory: 10 * minute)
        incidents.note(.forgedMessage, by: evil, at: 1)
        incidents.note(.malformedMessage, by: evil, at: 2)
        incidents.note(.forgedMessage, by: .process(7), at: 3)
        incidents.identify(evil, pid: 12, program: "evil")
        #expect(incidents.recent(.forgedMessage, at: 4).map(\.culprit) == [.process(7), evil])
        #expect(
            incidents.recent(at: 4).filter { $0.culprit == evil }.allSatisfy { $0.pid == 12 && $0.program == "evil" })
        #expect(incidents.recent(.forgedMessage, at: 4).first?.pid == nil)
    }

    @Test func `leaving mends what only the application itself suffers from`() {
        var incidents = Incidents(memory: 10 * minute)
        for kind in [Incidents.Kind.forgedMessage, .callRefused, .heldEvents] { incidents.note(kind, by: evil, at: 1) }
        incidents.note(.callRefused, by: .connection(":1.6"), at: 1)
        incidents.left(":1.5")
        #expect(Set(incidents.recent(at: 2).map(\.kind)) == [.forgedMessage, .callRefused])
        #expect(incidents.recent(.callRefused, at: 2).map(\.culprit) == [.connection(":1.6")])
    }

    @Test func `thousands of culprits cost no more than some, and the last are kept`() {
        var incidents = Incidents(memory: 10 * minute)
        incidents.note(.slowClient, by: .process(1), at: 0)
        for number in 1...5_000 { incidents.note(.forgedMessage, by: .connection(":1.\(number)"), at: Int64(number)) }
        let kept = incidents.recent(.forgedMessage, at: 5_001)
        #expect(kept.count == Incidents.maximumPerKind && kept.first?.culprit == .connection(":1.5000"))
        #expect(incidents.recent(.slowClient, at: 5_001).count == 1)
    }

    // MARK: - Focus events that come again

    private let element = ObjectReference(busName: ":1.5", path: "/a")
    private let other = ObjectReference(busName: ":1.5", path: "/b")

    @Test func `the same focus again and again is counted by how often it came`() {
        var runs = FocusRuns(memory: 10 * minute)
        for time in [1, 2] as [Microseconds] { runs.focused(element, at: time) }
        #expect(runs.repetitions(of: ":1.5", usual: 1, at: 3)?.count == 1)
        #expect(runs.repetitions(of: ":1.5", usual: 2, at: 3) == nil)
        runs.focused(element, at: 3)
        #expect(runs.repetitions(of: ":1.5", usual: 2, at: 4)?.count == 1)
        #expect(runs.repetitions(of: ":1.6", usual: 1, at: 4) == nil)
        #expect(runs.repetitions(of: ":1.5", usual: 2, at: 3 + 10 * minute) == nil)
        runs.forget(":1.5")
        #expect(runs.repetitions(of: ":1.5", usual: 1, at: 4) == nil)
    }

    @Test func `another element, a window, a lost focus or some time begin anew`() {
        var runs = FocusRuns(memory: 10 * minute)
        runs.focused(element, at: 1)
        runs.focused(other, at: 2)
        runs.focused(element, at: 3)
        runs.interrupted(":1.5")
        runs.focused(element, at: 4)
        runs.focused(element, at: 5 + FocusRuns.gap)
        #expect(runs.repetitions(of: ":1.5", usual: 1, at: 6 + FocusRuns.gap) == nil)
    }

    // MARK: - Codes

    /// Every limit that a client can be told of has a code. Some take long to come to; all are told of in the same way.
    @Test func `each limit that is refused with has a finding of its own`() throws {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        let file = folder.appendingPathComponent("Sources/FocusService/Clients/ServiceLimits.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        var names = Set(text.matches(of: /"((?:maximum|announcements)\w+)"/).map(\.1))
        for line in text.split(separator: "\n") where line.hasPrefix("    case maximum") {
            names.formUnion(line.matches(of: /maximum\w+/).map(\.0))
        }
        #expect(names.count >= 32, "\(names)")
        #expect(FindingCode(limit: "maximumNew") == .limitOther)
        for name in names { #expect(FindingCode(limit: String(name)) != .limitOther, "\(name)") }
    }
}
