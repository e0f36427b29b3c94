/// The applications on the accessibility bus.
public enum ListApplications: MethodCall {
    public static let name = "io.focusd.Focus.ListApplications"
    public typealias Parameters = NoParameters

    public struct Reply: Codable, Hashable, Sendable {
        public var applications: [Application]
        /// Which run of focusd this is; in the first reply of a stream.
        public var instance: String?

        public init(applications: [Application], instance: String? = nil) {
            self.applications = applications
            self.instance = instance
        }
    }
}
