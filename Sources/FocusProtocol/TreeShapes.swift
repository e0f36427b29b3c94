/// An accessible as it stands in its tree.
public struct Node: Codable, Hashable, Sendable {
    public var busName: String
    public var path: String
    public var role: String
    public var name: String
    public var description: String?
    public var id: String?
    public var states: [String]
    public var interfaces: [String]
    /// How far below the element that the tree begins with: 0 for that one itself.
    public var depth: Int
    /// Its place among its parent's children, from 0; absent where its parent does not list it.
    public var index: Int?
    /// How many children its application says it has; absent where it does not know.
    public var children: Int?
    /// The technologies whose focus it is, `keyboard` too.
    public var focusedBy: [String]
    /// What is special about it: one of ``Mark``'s, or one that is newer.
    public var marks: [String]

    /// The known marks of a node.
    public enum Mark {
        /// It is its own ancestor, or stands elsewhere already: what is below it is not repeated.
        public static let cycle = "cycle"
        /// Its parent does not list it.
        public static let unlisted = "unlisted"
        /// Its children are made when needed, and are not listed.
        public static let managesDescendants = "managesDescendants"
        /// It has more children than are kept.
        public static let childrenCut = "childrenCut"
        /// The tree goes on below, deeper than is kept or was asked for.
        public static let depthCut = "depthCut"
        /// Its name is longer than is kept.
        public static let nameCut = "nameCut"
        /// It did not say what it is.
        public static let unread = "unread"
    }

    public init(
        busName: String, path: String, role: String, name: String, description: String? = nil, id: String? = nil,
        states: [String], interfaces: [String], depth: Int, index: Int? = nil, children: Int? = nil,
        focusedBy: [String] = [], marks: [String] = []
    ) {
        self.busName = busName
        self.path = path
        self.role = role
        self.name = name
        self.description = description
        self.id = id
        self.states = states
        self.interfaces = interfaces
        self.depth = depth
        self.index = index
        self.children = children
        self.focusedBy = focusedBy
        self.marks = marks
    }
}

/// An application of which an answer may not tell the truth of this moment.
public struct StaleApplication: Codable, Hashable, Sendable {
    public var busName: String
    public var name: String
    /// `notResponding`, `loading` or `limitReached`.
    public var reason: String

    public init(busName: String, name: String, reason: String) {
        self.busName = busName
        self.name = name
        self.reason = reason
    }
}
