/// Where a technology is; with `more` a stream of every move.
public enum GetFocus: MethodCall {
    public static let name = "io.focusd.Focus.GetFocus"

    public struct Parameters: Codable, Hashable, Sendable {
        /// A technology's id, or absent for the aggregate of all active ones.
        public var technology: String?
        /// Also sends changes of mode and region on the same element.
        public var updates: Bool?

        public init(technology: String? = nil, updates: Bool? = nil) {
            self.technology = technology
            self.updates = updates
        }
    }

    public struct Reply: Codable, Hashable, Sendable {
        public var focus: Focus
        /// Which run of focusd this is; in the first reply of a stream.
        public var instance: String?

        public init(focus: Focus, instance: String? = nil) {
            self.focus = focus
            self.instance = instance
        }
    }
}
