/// The elements that a selector matches now.
public enum Find: MethodCall {
    public static let name = "io.focusd.Focus.Find"

    public struct Parameters: Codable, Hashable, Sendable {
        public var selector: String
        /// How many elements at most, 1 to 10,000; 100 where absent.
        public var limit: Int?
        /// What else is wanted of each, and costs questions to the applications: see ``Field``.
        public var fields: [String]?

        public init(selector: String, limit: Int? = nil, fields: [String]? = nil) {
            self.selector = selector
            self.limit = limit
            self.fields = fields
        }
    }

    /// What an element is only sent with on request.
    public enum Field {
        public static let attributes = "attributes"
        public static let extents = "extents"
        public static let selector = "selector"
    }

    public struct Reply: Codable, Hashable, Sendable {
        public var elements: [Element]
        /// Whether these are all that there are.
        public var complete: Bool
        /// Applications that could match, and do not answer or are still being read.
        public var stale: [StaleApplication]

        public init(elements: [Element], complete: Bool, stale: [StaleApplication] = []) {
            self.elements = elements
            self.complete = complete
            self.stale = stale
        }
    }
}
