/// A stream in which the changes of any number of states are.
public enum OpenSession: MethodCall {
    public static let name = "io.focusd.Focus.OpenSession"

    public typealias Parameters = NoParameters

    public struct Reply: Codable, Hashable, Sendable {
        /// In the first reply: what `Bind` names it by.
        public var session: String?
        public var change: StateChange?
        public var move: OwnerMove?
        /// In the first reply; changes when focusd restarts.
        public var instance: String?

        public init(
            session: String? = nil, change: StateChange? = nil, move: OwnerMove? = nil, instance: String? = nil
        ) {
            self.session = session
            self.change = change
            self.move = move
            self.instance = instance
        }
    }
}
