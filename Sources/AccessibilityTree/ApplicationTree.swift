/// One application's accessibles as they hang together: what it said of each, and who lists whom as a child.
///
/// Lists of children are kept as they were said, also where they contradict each other: a node has one parent, the
/// first that listed it; others that list it, too, only name it. So a walk down the ``children(of:)`` that enters a node
/// only below its ``parent(of:)`` ends, whatever an application claims.
package struct ApplicationTree: Sendable {
    /// A node's place in memory; another node's after it was removed. Identity is ``reference(of:)``.
    package struct Slot: Hashable, Sendable {
        package let number: Int32

        package init(number: Int32) { self.number = number }
    }

    package struct Limits: Hashable, Sendable {
        /// Nodes of one application.
        package var maximumNodes = 200_000
        /// Children kept of one object.
        package var maximumChildren = 50_000
        /// Levels below the application. A branch that is hung in as a whole may go deeper until ``prune()``.
        package var maximumDepth = 1_000
        /// UTF-8 bytes kept of a name, description or id; the rest is cut with a mark.
        package var maximumTextBytes = 4_096
        /// Nodes known and in no list yet, as they are between two signals about them.
        package var maximumUnattached = 4_096
        /// Nodes kept below one that does not list them.
        package var maximumUnlisted = 1_024
        /// Object attributes of one node.
        package var maximumAttributes = 256
        package init() {}
    }

    /// What an application said that cannot be so, counted.
    package struct Oddities: Hashable, Sendable {
        /// A node that lists itself or one of its ancestors.
        package var cycles = 0
        /// A node that more than one other lists.
        package var secondParents = 0
        /// References to other applications' objects where only own ones can be.
        package var foreignChildren = 0
        /// Counts and indices that no list bears out.
        package var wrongCounts = 0
        /// Nodes for which there was no room.
        package var cutNodes = 0
        /// Objects with more children than are kept.
        package var cutChildren = 0
        /// Objects whose children are deeper than is kept.
        package var cutLevels = 0
        /// Names, descriptions and ids longer than is kept.
        package var cutTexts = 0
        package init() {}
    }

    package let busName: String
    package var limits: Limits
    /// Who the application is. Its name is that of its first root.
    package var application: ApplicationNode
    package internal(set) var roots: [Slot] = []
    package var oddities = Oddities()
    /// Nodes that are in the tree or were read for it.
    package internal(set) var nodeCount = 0
    /// Nodes in no list yet.
    package internal(set) var unattachedCount = 0
    /// Nodes that were read, and whose accessible id was not asked yet.
    package internal(set) var unaskedIDCount = 0
    /// Grows with every change.
    package internal(set) var revision: UInt64 = 0
    /// Whether changes are written down for ``takeChanges()``.
    package var recordsChanges = false
    var changes: [TreeChange] = []

    /// What is known of each slot, by its number: for who looks at very many of them.
    package internal(set) var entries: [Entry] = []
    var free: [Int32] = []
    var paths = SlotIndex()
    var pathStarts = PathStarts()
    var names = SlotIndex()
    var rolesIndex = SlotIndex()
    var descriptions: [Slot: String] = [:]
    var ids: [Slot: String] = [:]
    var idIndex: [String: [Slot]] = [:]
    var attributesOf: [Slot: [String: String]] = [:]
    /// Nodes that somebody lists who is not their parent.
    var otherListers: [Slot: Set<Slot>] = [:]
    /// How many listings ``otherListers`` holds.
    var otherListingCount = 0
    /// Nodes that say whose children they are, and are not listed there.
    var unlisted: [Slot: [Slot]] = [:]
    /// What a cache told of who is whose child, until it is put in order.
    var told: [Told] = []

    /// Who left whose list while lists are made of what was told; nil at other times.
    var dropped: [(child: Slot, parent: Slot)]?

    struct Told {
        var parent: Int32
        var index: Int32
        var slot: Int32
    }

    package struct Entry {
        /// What comes after the last `/` of its path; what comes before it is shared.
        package internal(set) var pathEnd = ""
        package internal(set) var name = ""
        package internal(set) var states = StateSet()
        package internal(set) var children: [Slot] = []
        package internal(set) var role = Role.invalid
        package internal(set) var interfaces = InterfaceSet()
        package internal(set) var parent: Int32 = -1
        /// Where it stood in its parent's list when last looked.
        package internal(set) var place: Int32 = 0
        /// −1 where the application does not know.
        package internal(set) var statedChildren: Int32 = -1
        package internal(set) var flags: Flags = []
        /// The number of what comes before the last `/` of its path.
        package internal(set) var pathStart: UInt16 = 0

        package var isDoomed: Bool { flags.contains(.isDoomed) }
    }

    package struct Flags: OptionSet {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let isUsed = Flags(rawValue: 1)
        /// It said what it is.
        package static let isRead = Flags(rawValue: 2)
        package static let isRoot = Flags(rawValue: 4)
        /// Its list of children is known.
        package static let isListed = Flags(rawValue: 8)
        package static let hasChildrenCut = Flags(rawValue: 16)
        package static let hasDepthCut = Flags(rawValue: 32)
        package static let hasNameCut = Flags(rawValue: 64)
        /// It hangs below a parent that does not list it.
        package static let isUnlisted = Flags(rawValue: 128)
        /// Its accessible id was read.
        package static let hasID = Flags(rawValue: 256)
        /// It is about to be forgotten.
        package static let isDoomed = Flags(rawValue: 512)
        /// It was made when it was asked for, and `place` is where it said it stands.
        package static let isPlaced = Flags(rawValue: 1_024)
        /// It is inside of a password field or a terminal.
        package static let isConcealed = Flags(rawValue: 2_048)
    }

    package init(busName: String, limits: Limits = Limits()) {
        self.busName = busName
        self.limits = limits
        application = ApplicationNode(busName: busName, name: "", toolkit: "", pid: 0)
    }

    /// Everything that changed since the last time, where ``recordsChanges``.
    package mutating func takeChanges() -> [TreeChange] {
        defer { changes.removeAll(keepingCapacity: true) }
        return changes
    }

    // MARK: - Reading

    package func slot(at path: String) -> Slot? {
        slot(at: path, hash: path.hashValue)
    }

    func slot(at path: String, hash: Int) -> Slot? {
        paths.first(hash: hash) { hasPath(entries[Int($0)], path) }.map { Slot(number: $0) }
    }

    package func contains(_ slot: Slot) -> Bool {
        entries.indices.contains(Int(slot.number)) && self[slot].flags.contains(.isUsed)
    }

    package func reference(of slot: Slot) -> ObjectReference {
        ObjectReference(busName: busName, path: path(of: slot))
    }

    package func path(of slot: Slot) -> String { path(self[slot]) }
    package func role(of slot: Slot) -> Role { self[slot].role }
    package func name(of slot: Slot) -> String { self[slot].name }
    package func states(of slot: Slot) -> StateSet { self[slot].states }
    package func interfaces(of slot: Slot) -> InterfaceSet { self[slot].interfaces }
    package func description(of slot: Slot) -> String { descriptions[slot] ?? "" }

    /// Whether it said what it is; until then it has no role, name and states.
    package func isRead(_ slot: Slot) -> Bool { self[slot].flags.contains(.isRead) }
    package func isRoot(_ slot: Slot) -> Bool { self[slot].flags.contains(.isRoot) }

    /// Nil at the roots and for a node in no list.
    package func parent(of slot: Slot) -> Slot? {
        let parent = self[slot].parent
        return parent >= 0 ? Slot(number: parent) : nil
    }

    /// The children it lists, in order, also such whose parent is another: see ``ApplicationTree``.
    package func children(of slot: Slot) -> [Slot] { self[slot].children }

    /// Whether any node hangs below a parent that does not list it.
    package var hasUnlisted: Bool { !unlisted.isEmpty }

    /// Nodes that name it as their parent, and that it does not list.
    package func unlistedChildren(of slot: Slot) -> [Slot] { unlisted[slot] ?? [] }

    package func isUnlisted(_ slot: Slot) -> Bool { self[slot].flags.contains(.isUnlisted) }

    /// How many children the application says it has; nil where it does not know.
    package func statedChildCount(of slot: Slot) -> Int? {
        if self[slot].flags.contains(.isListed), !self[slot].flags.contains(.hasChildrenCut) {
            return self[slot].children.count
        }
        let count = self[slot].statedChildren
        return count >= 0 ? Int(count) : nil
    }

    /// Whether its children are known; those of ``State/managesDescendants`` never are.
    package func isListed(_ slot: Slot) -> Bool { self[slot].flags.contains(.isListed) }
    package func hasChildrenCut(_ slot: Slot) -> Bool { self[slot].flags.contains(.hasChildrenCut) }
    package func hasDepthCut(_ slot: Slot) -> Bool { self[slot].flags.contains(.hasDepthCut) }
    package func hasNameCut(_ slot: Slot) -> Bool { self[slot].flags.contains(.hasNameCut) }

    /// Its place among its parent's children; nil for a root's and where its parent does not list it.
    package func position(of slot: Slot) -> Int? {
        let entry = self[slot]
        guard entry.parent >= 0, !entry.flags.contains(.isUnlisted) else { return nil }
        let siblings = entries[Int(entry.parent)].children
        // It stands where it stood, or near it.
        let guess = Int(entry.place)
        if guess < siblings.count, siblings[guess] == slot { return guess }
        var distance = 1
        while distance < siblings.count + guess {
            let before = guess - distance
            let after = guess + distance
            if before >= 0, before < siblings.count, siblings[before] == slot { return before }
            if after < siblings.count, siblings[after] == slot { return after }
            distance += 1
        }
        return nil
    }

    /// Where a node stands among children that its parent makes when they are asked for; nil where that was not asked.
    package func madePosition(of slot: Slot) -> Int? {
        let entry = self[slot]
        return entry.flags.isSuperset(of: [.isUnlisted, .isPlaced]) ? Int(entry.place) : nil
    }

    /// Levels above it up to its root.
    package func depth(of slot: Slot) -> Int {
        var depth = 0
        var next = self[slot].parent
        while next >= 0, depth <= limits.maximumDepth {
            depth += 1
            next = entries[Int(next)].parent
        }
        return depth
    }

    /// The accessible id, empty where it has none; nil where that was not asked yet.
    package func id(of slot: Slot) -> String? {
        guard self[slot].flags.contains(.hasID) else { return nil }
        return ids[slot] ?? ""
    }

    /// Browsers give the id that a page's author wrote as an attribute, and no accessible id.
    package var keepsIDsInAttributes: Bool { ["Gecko", "Chromium"].contains(application.toolkit) }

    /// The object attributes; nil where they were not asked for yet.
    package func attributes(of slot: Slot) -> [String: String]? { isConcealed(slot) ? [:] : attributesOf[slot] }

    /// Whether something of the application is left out because of a limit.
    package var isCut: Bool { oddities.cutNodes + oddities.cutChildren + oddities.cutLevels > 0 }

    // MARK: - Finding

    /// The nodes whose name is this after ``PlainText/normal(_:)``, in no order.
    package func slots(named normalName: String) -> [Slot] {
        var found: [Slot] = []
        names.forEach(hash: normalName.hashValue) { number in
            if PlainText.normal(entries[Int(number)].name) == normalName { found.append(Slot(number: number)) }
        }
        return found
    }

    /// The nodes of this role, in no order.
    package func slots(withRole role: Role) -> [Slot] {
        var found: [Slot] = []
        rolesIndex.forEach(hash: ApplicationTree.spread(role)) { number in
            if entries[Int(number)].role == role { found.append(Slot(number: number)) }
        }
        return found
    }

    /// The nodes with this accessible id, of those whose id was read.
    package func slots(withID id: String) -> [Slot] { idIndex[id] ?? [] }

    /// Every node in use, in no order; also such as hang in no list.
    package var allSlots: [Slot] {
        entries.indices.compactMap { entries[$0].flags.contains(.isUsed) ? Slot(number: Int32($0)) : nil }
    }

    /// Nodes in the tree, `count` of them at most, going on from where the last such question ended, round and round.
    package func slots(from next: inout Int, count: Int) -> [Slot] {
        var found: [Slot] = []
        var steps = 0
        while found.count < count, steps < entries.count {
            if next >= entries.count { next = 0 }
            if entries[next].flags.contains(.isUsed) { found.append(Slot(number: Int32(next))) }
            next += 1
            steps += 1
        }
        return found
    }

    subscript(slot: Slot) -> Entry {
        @inline(__always) get { entries[Int(slot.number)] }
        @inline(__always) _modify { yield &entries[Int(slot.number)] }
    }

    static func spread(_ role: Role) -> Int { Int(role.rawValue) }

    mutating func changed(_ change: TreeChange) {
        revision &+= 1
        if recordsChanges { changes.append(change) }
    }
}
