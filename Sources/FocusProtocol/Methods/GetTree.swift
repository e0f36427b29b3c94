/// The tree below an element, or of all applications: a parent before its children.
public enum GetTree: MethodCall {
    public static let name = "io.focusd.Focus.GetTree"

    public struct Parameters: Codable, Hashable, Sendable {
        /// Matches the one element to begin with; absent for all applications.
        public var selector: String?
        /// How many levels below that are wanted; all where absent.
        public var depth: Int?

        public init(selector: String? = nil, depth: Int? = nil) {
            self.selector = selector
            self.depth = depth
        }
    }

    /// A part of a tree, or the whole where it is small. The parts of a stream follow on each other.
    public struct Reply: Codable, Hashable, Sendable {
        public var nodes: [Node]
        /// Whether, with this reply, all was sent that there is.
        public var complete: Bool
        /// Applications that do not answer or are still being read.
        public var stale: [StaleApplication]
        /// Which run of focusd this is; in the first reply of a stream.
        public var instance: String?

        public init(nodes: [Node], complete: Bool, stale: [StaleApplication] = [], instance: String? = nil) {
            self.nodes = nodes
            self.complete = complete
            self.stale = stale
            self.instance = instance
        }
    }
}
