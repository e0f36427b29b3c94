/// What focusd did since it started, for people who measure it.
public enum GetStatistics: MethodCall {
    public static let name = "io.focusd.Focus.GetStatistics"
    public typealias Parameters = NoParameters

    public struct Reply: Codable, Hashable, Sendable {
        public var statistics: Statistics

        public init(statistics: Statistics) {
            self.statistics = statistics
        }
    }
}

/// What one run of focusd counted, and what it and its clients hold now.
public struct Statistics: Codable, Hashable, Sendable {
    public var version: String
    public var uptimeMilliseconds: Int64
    /// Accessibles known now.
    public var nodes: Int
    /// Named counters, each since the start, like `signals` or `forgedMessages`.
    public var counters: [String: Int64]
    public var memory: MemoryStatistics
    /// Descriptors that are open.
    public var descriptors: Int
    public var latency: LatencyStatistics
    public var limits: [LimitUse]
    public var applications: [ApplicationStatistics]
    public var clients: [ClientStatistics]
    public var processes: [ProcessStatistics]

    public init(
        version: String, uptimeMilliseconds: Int64, nodes: Int, counters: [String: Int64],
        memory: MemoryStatistics = MemoryStatistics(), descriptors: Int = 0,
        latency: LatencyStatistics = LatencyStatistics(), limits: [LimitUse] = [],
        applications: [ApplicationStatistics], clients: [ClientStatistics], processes: [ProcessStatistics] = []
    ) {
        self.version = version
        self.uptimeMilliseconds = uptimeMilliseconds
        self.nodes = nodes
        self.counters = counters
        self.memory = memory
        self.descriptors = descriptors
        self.latency = latency
        self.limits = limits
        self.applications = applications
        self.clients = clients
        self.processes = processes
    }
}

/// Memory of focusd.
public struct MemoryStatistics: Codable, Hashable, Sendable {
    /// What is in memory for this process alone.
    public var privateBytes: Int
    /// All that is in memory of it, also what other processes share.
    public var residentBytes: Int

    public init(privateBytes: Int = 0, residentBytes: Int = 0) {
        self.privateBytes = privateBytes
        self.residentBytes = residentBytes
    }
}

/// How long the last moves took, from a technology's signal until they were written to the clients.
public struct LatencyStatistics: Codable, Hashable, Sendable {
    /// Moves since the start; the other numbers are of the last thousand.
    public var moves: Int64
    public var p50Microseconds: Int
    public var p99Microseconds: Int
    public var maximumMicroseconds: Int

    public init(moves: Int64 = 0, p50Microseconds: Int = 0, p99Microseconds: Int = 0, maximumMicroseconds: Int = 0) {
        self.moves = moves
        self.p50Microseconds = p50Microseconds
        self.p99Microseconds = p99Microseconds
        self.maximumMicroseconds = maximumMicroseconds
    }
}

/// A limit of what clients or applications may cost.
public struct LimitUse: Codable, Hashable, Sendable {
    /// As `LimitExceeded` names it.
    public var name: String
    /// What is used of it now: of a limit for each process, what the one with the most has.
    public var used: Int
    public var limit: Int
    /// How often it was met since the start.
    public var met: Int64

    public init(name: String, used: Int, limit: Int, met: Int64) {
        self.name = name
        self.used = used
        self.limit = limit
        self.met = met
    }
}

/// What one application cost.
public struct ApplicationStatistics: Codable, Hashable, Sendable {
    public var busName: String
    public var events: Int64
    /// Calls made to it since the start, and those that it did not answer in time.
    public var calls: Int64
    public var timeouts: Int64
    /// Calls that it has not answered yet.
    public var callsInFlight: Int
    /// Accessibles of it that are known.
    public var nodes: Int
    /// Whether it is asked: one that does not answer is left alone for a while.
    public var responding: Bool

    public init(
        busName: String, events: Int64, calls: Int64, timeouts: Int64, callsInFlight: Int = 0, nodes: Int = 0,
        responding: Bool = true
    ) {
        self.busName = busName
        self.events = events
        self.calls = calls
        self.timeouts = timeouts
        self.callsInFlight = callsInFlight
        self.nodes = nodes
        self.responding = responding
    }
}

/// What one connection of a client cost and holds.
public struct ClientStatistics: Codable, Hashable, Sendable {
    public var pid: Int
    public var calls: Int64
    /// Calls that are not answered, its stream included.
    public var callsInFlight: Int
    /// Bytes written for it that it has not read yet.
    public var bytesQueued: Int
    /// Bytes that it sent since it connected.
    public var bytesReceived: Int64
    public var isStreaming: Bool
    public var connectedMilliseconds: Int64

    public init(
        pid: Int, calls: Int64, callsInFlight: Int = 0, bytesQueued: Int, bytesReceived: Int64 = 0, isStreaming: Bool,
        connectedMilliseconds: Int64 = 0
    ) {
        self.pid = pid
        self.calls = calls
        self.callsInFlight = callsInFlight
        self.bytesQueued = bytesQueued
        self.bytesReceived = bytesReceived
        self.isStreaming = isStreaming
        self.connectedMilliseconds = connectedMilliseconds
    }
}

/// What one process holds over all its connections: limits count by process.
public struct ProcessStatistics: Codable, Hashable, Sendable {
    public var pid: Int
    /// Connections.
    public var clients: Int
    public var callsInFlight: Int
    public var streams: Int
    public var states: Int
    public var prototypes: Int
    /// Bytes of the selectors, values, names and modes of its binds.
    public var selectorBytes: Int
    /// Steps and conditions of their selectors.
    public var selectorParts: Int
    /// Those of them that need trees of applications.
    public var treeSelectors: Int
    /// Different choices of technologies and modes in its binds.
    public var views: Int
    /// Searches, waits and trees under way.
    public var searches: Int
    public var moves: Int
    public var sets: Int
    /// Bytes written for it that it has not read yet.
    public var bytesQueued: Int
    /// Bytes received of which no call was made yet.
    public var bytesWaiting: Int

    public init(
        pid: Int, clients: Int, callsInFlight: Int, streams: Int, states: Int, prototypes: Int,
        selectorBytes: Int, selectorParts: Int, treeSelectors: Int, views: Int, searches: Int, moves: Int,
        sets: Int, bytesQueued: Int, bytesWaiting: Int
    ) {
        self.pid = pid
        self.clients = clients
        self.callsInFlight = callsInFlight
        self.streams = streams
        self.states = states
        self.prototypes = prototypes
        self.selectorBytes = selectorBytes
        self.selectorParts = selectorParts
        self.treeSelectors = treeSelectors
        self.views = views
        self.searches = searches
        self.moves = moves
        self.sets = sets
        self.bytesQueued = bytesQueued
        self.bytesWaiting = bytesWaiting
    }
}
