import FocusRegistry

/// What went wrong lately and through whom. It is bounded, and forgotten when it has not happened again for a while.
///
/// Counters since the start never go back; what the doctor tells must go away when it is mended. A value that knows no
/// clock: the caller passes times in.
package struct Incidents: Sendable {
    package enum Kind: Hashable, Sendable {
        /// Somebody spoke for somebody else.
        case forgedMessage
        /// Somebody who is no known technology spoke as a screen reader.
        case strangeScreenReader
        /// Arguments that are not what the interface says.
        case malformedMessage
        /// A question was not asked, for too many are unanswered.
        case callRefused
        /// The bus carried no further question.
        case busRefused
        /// An application sent more than is kept while it was being read.
        case heldEvents
        /// A client did not read what it follows.
        case slowClient
        /// Nobody else was let in.
        case clients
        /// A client came to a limit of this name.
        case limit(String)

        /// Of the name that clients are told in `LimitExceeded`.
        package init(limit name: String) {
            self = name == SharedResource.clients.names.ofAll ? .clients : .limit(name)
        }
    }

    package enum Culprit: Hashable, Sendable {
        /// A connection on the accessibility bus.
        case connection(String)
        /// A process at the socket.
        case process(Int)
        /// It is nobody's doing, or everybody's.
        case nobody
    }

    package struct Record: Hashable, Sendable {
        package let kind: Kind
        package let culprit: Culprit
        package private(set) var count = 0
        package let first: Microseconds
        package private(set) var last: Microseconds
        /// Who that is, where it could be found out.
        package fileprivate(set) var pid: Int?
        package fileprivate(set) var program: String?

        fileprivate init(_ kind: Kind, _ culprit: Culprit, at time: Microseconds) {
            (self.kind, self.culprit, first, last) = (kind, culprit, time, time)
        }

        fileprivate mutating func happened(at time: Microseconds) {
            count += 1
            last = max(last, time)
        }
    }

    private struct Key: Hashable {
        let kind: Kind
        let culprit: Culprit
    }

    /// Records of one kind: whoever has done nothing for longest is forgotten first.
    package static let maximumPerKind = 32
    /// Kinds at once. Names of limits are focusd's own, and this many do not exist.
    package static let maximumRecords = 1_024

    /// How long a thing is told of after it happened last.
    package let memory: Microseconds
    private var records: [Key: Record] = [:]

    package init(memory: Microseconds) { self.memory = memory }

    /// Takes note. True where nothing of this kind was known of this culprit: who it is may be found out now.
    @discardableResult
    package mutating func note(_ kind: Kind, by culprit: Culprit, at now: Microseconds) -> Bool {
        let key = Key(kind: kind, culprit: culprit)
        // What happened longer ago is another matter.
        if let record = records[key], now - record.last >= memory { records[key] = nil }
        let isNew = records[key] == nil
        if isNew { makeRoom(for: kind, at: now) }
        records[key, default: Record(kind, culprit, at: now)].happened(at: now)
        return isNew
    }

    /// Says who a culprit is.
    package mutating func identify(_ culprit: Culprit, pid: Int, program: String?) {
        for key in records.keys where key.culprit == culprit {
            records[key]?.pid = pid
            records[key]?.program = program
        }
    }

    /// What there is to tell of a kind now, the last first.
    package func recent(_ kind: Kind, at now: Microseconds) -> [Record] {
        recent(at: now).filter { $0.kind == kind }
    }

    /// Everything there is to tell now, the last first.
    package func recent(at now: Microseconds) -> [Record] {
        records.values.filter { now - $0.last < memory }.sorted { $0.last > $1.last }
    }

    /// Forgets what is mended by an application's leaving. Who forged something may leave, and is told of all the same.
    package mutating func left(_ busName: String) {
        records = records.filter { key, _ in
            key.culprit != .connection(busName) || ![.callRefused, .heldEvents].contains(key.kind)
        }
    }

    private mutating func makeRoom(for kind: Kind, at now: Microseconds) {
        records = records.filter { now - $0.value.last < memory }
        let alike = records.filter { $0.key.kind == kind }
        let isFull = alike.count >= Incidents.maximumPerKind || records.count >= Incidents.maximumRecords
        guard isFull, let oldest = (alike.isEmpty ? records : alike).min(by: { $0.value.last < $1.value.last }) else {
            return
        }
        records[oldest.key] = nil
    }
}
