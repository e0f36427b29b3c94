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

/// Counters of one run of focusd.
public struct Statistics: Codable, Hashable, Sendable {
    public var version: String
    public var uptimeMilliseconds: Int64
    /// Accessibles known now.
    public var nodes: Int
    /// Named counters, each since the start, like `signalsReceived` or `signalsRefused`.
    public var counters: [String: Int64]
    public var applications: [ApplicationStatistics]
    public var clients: [ClientStatistics]

    public init(
        version: String, uptimeMilliseconds: Int64, nodes: Int, counters: [String: Int64],
        applications: [ApplicationStatistics], clients: [ClientStatistics]
    ) {
        self.version = version
        self.uptimeMilliseconds = uptimeMilliseconds
        self.nodes = nodes
        self.counters = counters
        self.applications = applications
        self.clients = clients
    }
}

/// What one application cost.
public struct ApplicationStatistics: Codable, Hashable, Sendable {
    public var busName: String
    public var events: Int64
    public var calls: Int64
    public var timeouts: Int64

    public init(busName: String, events: Int64, calls: Int64, timeouts: Int64) {
        self.busName = busName
        self.events = events
        self.calls = calls
        self.timeouts = timeouts
    }
}

/// What one client connection cost.
public struct ClientStatistics: Codable, Hashable, Sendable {
    public var pid: Int
    public var calls: Int64
    /// Bytes written for it that it has not read yet.
    public var bytesQueued: Int
    public var isStreaming: Bool

    public init(pid: Int, calls: Int64, bytesQueued: Int, isStreaming: Bool) {
        self.pid = pid
        self.calls = calls
        self.bytesQueued = bytesQueued
        self.isStreaming = isStreaming
    }
}
