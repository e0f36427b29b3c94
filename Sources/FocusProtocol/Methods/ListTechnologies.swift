/// The technologies that are known; with `more` again whenever that changes.
public enum ListTechnologies: MethodCall {
    public static let name = "io.focusd.Focus.ListTechnologies"
    public typealias Parameters = NoParameters

    public struct Reply: Codable, Hashable, Sendable {
        public var technologies: [Technology]
        /// Which run of focusd this is; in the first reply of a stream.
        public var instance: String?

        public init(technologies: [Technology], instance: String? = nil) {
            self.technologies = technologies
            self.instance = instance
        }
    }
}
