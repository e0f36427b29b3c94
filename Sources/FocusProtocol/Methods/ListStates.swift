/// The focus states of all clients.
public enum ListStates: MethodCall {
    public static let name = "io.focusd.Focus.ListStates"

    public typealias Parameters = NoParameters

    public struct Reply: Codable, Hashable, Sendable {
        /// In the order in which they were made.
        public var states: [FocusState]

        public init(states: [FocusState]) {
            self.states = states
        }
    }
}
