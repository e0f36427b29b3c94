/// Makes a focus state or joins a named one; with `more` its value and every change of it.
public enum Bind: MethodCall {
    public static let name = "io.focusd.Focus.Bind"

    public struct Parameters: Codable, Hashable, Sendable {
        /// In the order that decides where two match the same element.
        public var prototypes: [Prototype]
        /// Whose focus it follows; absent for every active assistive technology's.
        public var technologies: [String]?
        /// The modes that count; absent for all but `mouse-review`.
        public var modes: [String]?
        /// Makes it one that all clients of the user share.
        public var name: String?
        /// The session it lives as long as, from `OpenSession`; absent for as long as this call.
        public var session: String?

        public init(
            prototypes: [Prototype], technologies: [String]? = nil, modes: [String]? = nil, name: String? = nil,
            session: String? = nil
        ) {
            self.prototypes = prototypes
            self.technologies = technologies
            self.modes = modes
            self.name = name
            self.session = session
        }
    }

    public struct Reply: Codable, Hashable, Sendable {
        /// In the first reply: what `SetValue` and `Unbind` name it by.
        public var state: String?
        public var change: StateChange?
        public var move: OwnerMove?
        /// In a stream's first reply; changes when focusd restarts.
        public var instance: String?

        public init(
            state: String? = nil, change: StateChange? = nil, move: OwnerMove? = nil, instance: String? = nil
        ) {
            self.state = state
            self.change = change
            self.move = move
            self.instance = instance
        }
    }
}
