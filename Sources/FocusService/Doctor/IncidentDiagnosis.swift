import ATSPI
import FocusProtocol
import FocusRegistry

/// What went wrong lately, in words: who sent what is not true, and which limits were met.
struct IncidentDiagnosis {
    let incidents: Incidents
    let now: Microseconds

    var findings: [Finding] {
        let byKind = Dictionary(grouping: incidents.recent(at: now), by: \.kind)
        return byKind.map { finding($0.key, Records($0.value, now)) }
            .sorted { ($0.code, $0.what) < ($1.code, $1.what) }
    }

    private func finding(_ kind: Incidents.Kind, _ records: Records) -> Finding {
        switch kind {
        case .forgedMessage:
            Finding(
                .forgedMessages,
                "\(records.messages) spoke for somebody else and \(records.were) refused, \(records.times): "
                    + "\(records.culprits).",
                whatToDo: "Find out what that program is; it may mean harm. Nothing that it forged counted.")
        case .strangeScreenReader:
            Finding(
                .forgedMessages,
                "\(records.messages) said where a screen reader is and came from no known one, \(records.times): "
                    + "\(records.culprits).",
                whatToDo:
                    "If that is a screen reader of yours, put its name into `technologies` in focusd.conf. Else find "
                    + "out what that program is; nothing that it said counted.")
        case .malformedMessage:
            Finding(
                .malformedMessages,
                "\(records.messages) could not be understood, \(records.times): \(records.culprits).",
                whatToDo: "Nothing, if nothing is missing. Else tell the makers of the application.")
        case .callRefused:
            Finding(
                .limitCallsInFlight,
                "\(counted(records.count, "question")) \(records.were) not asked, for an application had as many "
                    + "unanswered ones as it may have, \(records.times): \(records.culprits).",
                whatToDo: "An application that is slow all the time is named here as not responding. Where none "
                    + "is, set `max-calls-in-flight` in focusd.conf to more than \(BusConnection.Limits().maximumCallsInFlight)."
            )
        case .busRefused:
            Finding(
                .limitBusReplies,
                "The accessibility bus did not carry \(counted(records.count, "question")) on, for a limit of its own, "
                    + "\(records.times).",
                whatToDo: "Raise `max_replies_per_connection` in the configuration of the bus.")
        case .heldEvents:
            Finding(
                .limitHeldEvents,
                "An application sent more events while its elements were read than are kept, \(records.times): "
                    + "\(records.culprits).",
                whatToDo: "Nothing is missed: it is read once more. If it happens again and again, that application "
                    + "floods the bus; tell its makers.")
        case .slowClient:
            Finding(
                .slowSubscribers,
                "\(counted(records.count, "client")) read too slowly and \(records.were) cut off, \(records.times): "
                    + "\(records.culprits).",
                whatToDo: "A client that follows a stream must read it all the time.")
        case .clients:
            Finding(
                .limitClients,
                "\(counted(records.count, "client")) \(records.were) not let in, for the last places are kept for "
                    + "processes that have fewer, \(records.times): \(records.culprits).",
                whatToDo: "`focusctl stats` lists the clients: end those that are not needed.")
        case .limit(let name):
            Finding(
                FindingCode(limit: name),
                "\(LimitWords.whatHappened(name)) for the limit \(name), \(records.times): \(records.culprits).",
                whatToDo: LimitWords.whatToDo(name))
        }
    }

    private func counted(_ count: Int, _ one: String) -> String { count == 1 ? "1 \(one)" : "\(count) \(one)s" }

    /// The records of one kind, and how they are told.
    private struct Records {
        /// Culprits that are named in one finding.
        private static let maximumNamed = 5

        let count: Int
        private let records: [Incidents.Record]
        private let now: Microseconds

        init(_ records: [Incidents.Record], _ now: Microseconds) {
            self.records = records
            self.now = now
            count = records.reduce(0) { $0 + $1.count }
        }

        var messages: String { count == 1 ? "1 message" : "\(count) messages" }
        var were: String { count == 1 ? "was" : "were" }

        var times: String {
            let last = AgeWords.ago(now - (records.map(\.last).max() ?? now))
            guard count > 1 else { return last }
            return "the first \(AgeWords.ago(now - (records.map(\.first).min() ?? now))), the last \(last)"
        }

        var culprits: String {
            let named = records.prefix(Records.maximumNamed).map { record in
                words(record) + (record.count > 1 ? ", \(record.count) times" : "")
            }
            let rest = records.count - named.count
            return named.joined(separator: "; ") + (rest > 0 ? "; and \(rest) others" : "")
        }

        private func words(_ record: Incidents.Record) -> String {
            let program = record.program.map { String($0.prefix(64)) }
            switch record.culprit {
            case .connection(let busName):
                guard let pid = record.pid else { return "\(busName), which has left" }
                return "\(program ?? "a program without a name") (process \(pid), \(busName))"
            case .process(let pid): return "\(program ?? "a program that has ended") (process \(pid))"
            case .nobody: return "the bus"
            }
        }
    }
}
