/// Waits until an element is there, has a focus, or is gone.
public enum Wait: MethodCall {
    public static let name = "io.focusd.Focus.Wait"

    public struct Parameters: Codable, Hashable, Sendable {
        public var selector: String
        /// `present`, `focused` or `gone`: see ``Condition``.
        public var condition: String
        /// With `focused`, the technology that must be on it; the assistive one that moved last where absent.
        public var technology: String?
        /// How long to wait, 1 to 3,600,000; 10,000 where absent.
        public var timeoutMilliseconds: Int?

        public init(
            selector: String, condition: String, technology: String? = nil, timeoutMilliseconds: Int? = nil
        ) {
            self.selector = selector
            self.condition = condition
            self.technology = technology
            self.timeoutMilliseconds = timeoutMilliseconds
        }
    }

    /// What can be waited for.
    public enum Condition: String, CaseIterable, Sendable {
        /// An element matches.
        case present
        /// A technology is on an element that matches, or inside of it.
        case focused
        /// No element matches.
        case gone
    }

    public struct Reply: Codable, Hashable, Sendable {
        /// Absent where it was waited for until it was gone.
        public var element: Element?

        public init(element: Element? = nil) {
            self.element = element
        }
    }
}
