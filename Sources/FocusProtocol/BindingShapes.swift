/// One value of a focus state and the elements that have it.
public struct Prototype: Codable, Hashable, Sendable {
    /// What the state's value is while the focus is on such an element or inside of it.
    public var value: String
    /// Which elements that are.
    public var selector: String
    /// Whether the client that binds it moves the focus there itself when it is asked.
    public var moves: Bool?

    public init(value: String, selector: String, moves: Bool? = nil) {
        self.value = value
        self.selector = selector
        self.moves = moves
    }
}

/// A focus state's value, or that it changed.
public struct StateChange: Codable, Hashable, Sendable {
    public var state: String
    /// The value now; absent where the focus is on none of its elements.
    public var value: String?
    /// The value before; absent where that was none, and in what is sent first.
    public var previous: String?
    /// The element that the value was bound to and that the focus is on or inside of.
    public var element: Element?
    /// True where focusd concluded this and the technology has not said it.
    public var assumed: Bool
    /// Why this is sent: one of the interface's known causes.
    public var cause: String
    /// That of the move of the focus that changed it: all that one move changed has the same.
    public var revision: Int64

    public init(
        state: String, value: String? = nil, previous: String? = nil, element: Element? = nil, assumed: Bool,
        cause: String, revision: Int64
    ) {
        self.state = state
        self.value = value
        self.previous = previous
        self.element = element
        self.assumed = assumed
        self.cause = cause
        self.revision = revision
    }
}

/// The service asks a client to move the focus to its own element.
public struct OwnerMove: Codable, Hashable, Sendable {
    /// What `DeclineMove` names it by.
    public var token: String
    public var state: String
    /// The value whose element is meant.
    public var value: String

    public init(token: String, state: String, value: String) {
        self.token = token
        self.state = state
        self.value = value
    }
}

/// A focus state as it is now.
public struct FocusState: Codable, Hashable, Sendable {
    /// What `SetValue` and `Unbind` name it by: its own name, or an id that begins with `#`.
    public var state: String
    /// Whether it has a name, and is shared by all who bind it.
    public var named: Bool
    public var prototypes: [Prototype]
    public var technologies: [String]?
    public var modes: [String]?
    public var value: String?
    public var element: Element?
    public var assumed: Bool
    /// How many Binds keep it alive.
    public var binds: Int
    /// The processes of those.
    public var pids: [Int]
    /// How many sets of it are under way.
    public var pendingSets: Int

    public init(
        state: String, named: Bool, prototypes: [Prototype], technologies: [String]? = nil, modes: [String]? = nil,
        value: String? = nil, element: Element? = nil, assumed: Bool, binds: Int, pids: [Int], pendingSets: Int
    ) {
        self.state = state
        self.named = named
        self.prototypes = prototypes
        self.technologies = technologies
        self.modes = modes
        self.value = value
        self.element = element
        self.assumed = assumed
        self.binds = binds
        self.pids = pids
        self.pendingSets = pendingSets
    }
}
