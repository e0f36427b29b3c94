import AccessibilityTree

/// A selector that prototypes have, as a number; whoever keeps the selectors gives it out.
package struct SelectorKey: RawRepresentable, Hashable, Sendable, Comparable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static func < (one: SelectorKey, other: SelectorKey) -> Bool { one.rawValue < other.rawValue }
}

/// Which selectors match an element or something above it, and how far above it the innermost such node is.
package struct SelectorMatches: Hashable, Sendable {
    /// 0 is the element itself, 1 its parent. In the order of the keys.
    package private(set) var depths: [(key: SelectorKey, depth: Int)] = []

    package init() {}

    /// Of several depths for one key the least counts.
    package init(_ found: some Sequence<(key: SelectorKey, depth: Int)>) {
        for (key, depth) in found.sorted(by: { ($0.key, $0.depth) < ($1.key, $1.depth) }) where depths.last?.key != key
        {
            depths.append((key, depth))
        }
    }

    package var isEmpty: Bool { depths.isEmpty }

    /// How far above the element the innermost node is that the selector matches; nil where none is.
    package func depth(of key: SelectorKey) -> Int? {
        var low = 0
        var high = depths.count
        while low < high {
            let middle = (low + high) / 2
            if depths[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < depths.count && depths[low].key == key ? depths[low].depth : nil
    }

    package static func == (one: SelectorMatches, other: SelectorMatches) -> Bool {
        one.depths.elementsEqual(other.depths, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
        for (key, depth) in depths {
            hasher.combine(key)
            hasher.combine(depth)
        }
    }
}

/// The modes in which a technology's moves count.
package struct ModeFilter: Hashable, Sendable {
    /// Nil for all but mouse review. Caret tracking and focus tracking are one.
    private let modes: Set<Mode>?
    /// Found out once: the names may be many and long, and each move looks up every filter in use.
    private let namesHash: Int

    /// All but mouse review.
    package static let usual = ModeFilter(nil)

    package init(_ modes: Set<Mode>?) {
        self.modes = modes.map { Set($0.map(ModeFilter.plain)) }
        namesHash = self.modes.hashValue
    }

    package static func == (one: ModeFilter, other: ModeFilter) -> Bool {
        one.namesHash == other.namesHash && one.modes == other.modes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(namesHash) }

    package func accepts(_ mode: Mode?) -> Bool {
        guard let modes else { return mode != .mouseReview }
        return modes.contains(ModeFilter.plain(mode ?? .focusTracking))
    }

    /// Tab into a filled entry is signalled as caret tracking only.
    private static func plain(_ mode: Mode) -> Mode { mode == .caretTracking ? .focusTracking : mode }
}

/// Whose focus a state follows: of these technologies, in these modes, the one that moved last.
package struct FocusView: Hashable, Sendable {
    /// In the alphabet's order, without repetition; nil for every assistive technology.
    package let technologies: [TechnologyID]?
    package let filter: ModeFilter

    /// Every assistive technology, in all modes but mouse review.
    package static let aggregate = FocusView()

    package init(technologies: some Sequence<TechnologyID>, filter: ModeFilter = .usual) {
        self.technologies = Set(technologies).sorted()
        self.filter = filter
    }

    package init(filter: ModeFilter = .usual) {
        technologies = nil
        self.filter = filter
    }

    package func follows(_ id: TechnologyID) -> Bool { technologies?.contains(id) ?? (id != .keyboard) }
}

/// A focus state's name: that of a shared one, or an id that begins with `#`.
package struct FocusStateID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package init(_ name: String) { rawValue = name }
}

/// One value of a focus state and the selector of the elements that have it.
package struct StatePrototype: Hashable, Sendable {
    package var value: String
    package var selector: SelectorKey

    package init(value: String, selector: SelectorKey) {
        self.value = value
        self.selector = selector
    }
}

/// A focus state's value as it is.
package struct StateValue: Hashable, Sendable {
    /// Which prototype it is; nil where the focus is on none of its elements.
    package var prototype: Int?
    package var value: String?
    /// The node that the prototype's selector matches, which the focus is on or inside of.
    package var element: ObjectReference?
    /// Concluded, not said by the technology. Never where there is no value.
    package var isAssumed = false

    package init() {}

    /// Whether a client sees no difference: which of its prototypes it was is not shown.
    package func shows(_ other: StateValue) -> Bool {
        value == other.value && element == other.element && isAssumed == other.isAssumed
    }
}

/// That a focus state's value changed, or the element that has it, or whether that is assumed.
package struct StateChange: Hashable, Sendable {
    package var state: FocusStateID
    package var current: StateValue
    package var previous: StateValue
    package var cause: Cause

    package init(state: FocusStateID, current: StateValue, previous: StateValue, cause: Cause) {
        self.state = state
        self.current = current
        self.previous = previous
        self.cause = cause
    }
}
