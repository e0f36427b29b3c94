/// The focus states of all clients.
public enum ListStates: MethodCall {
    public static let name = "io.focusd.Focus.ListStates"

    public typealias Parameters = NoParameters

    /// All states, or a part where there are many. The parts of a stream follow on each other.
    public struct Reply: Codable, Hashable, Sendable {
        /// In the order in which they were made.
        public var states: [FocusState]
        /// Whether, with this reply, all were sent that there are.
        public var complete: Bool
        /// Which run of focusd this is; in the first reply of a stream.
        public var instance: String?

        public init(states: [FocusState], complete: Bool = true, instance: String? = nil) {
            self.states = states
            self.complete = complete
            self.instance = instance
        }
    }
}
