/// One of AT-SPI's states, by its number.
package struct State: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The state that an event names, like `focused`; nil where no version of AT-SPI has it.
    package init?(name: some StringProtocol) {
        guard let number = State.names.firstIndex(where: { $0 == name }) else { return nil }
        rawValue = UInt8(number)
    }

    package var name: String {
        Int(rawValue) < State.names.count ? State.names[Int(rawValue)] : "state-\(rawValue)"
    }

    package static let active = State(rawValue: 1)
    package static let defunct = State(rawValue: 6)
    package static let editable = State(rawValue: 7)
    package static let enabled = State(rawValue: 8)
    package static let focusable = State(rawValue: 11)
    package static let focused = State(rawValue: 12)
    package static let iconified = State(rawValue: 15)
    package static let managesDescendants = State(rawValue: 31)
    package static let readOnly = State(rawValue: 43)
    package static let sensitive = State(rawValue: 24)
    package static let showing = State(rawValue: 25)
    package static let visible = State(rawValue: 30)

    /// Names by number, from `AtspiStateType` in at-spi2-core.
    fileprivate static let names = [
        "invalid", "active", "armed", "busy", "checked", "collapsed", "defunct", "editable", "enabled",
        "expandable", "expanded", "focusable", "focused", "has-tooltip", "horizontal", "iconified", "modal",
        "multi-line", "multiselectable", "opaque", "pressed", "resizable", "selectable", "selected", "sensitive",
        "showing", "single-line", "stale", "transient", "vertical", "visible", "manages-descendants",
        "indeterminate", "required", "truncated", "animated", "invalid-entry", "supports-autocompletion",
        "selectable-text", "is-default", "visited", "checkable", "has-popup", "read-only",
    ]
}

/// The states that an accessible is in: a bit for each number below 64.
package struct StateSet: Hashable, Sendable {
    package var bits: UInt64

    package init(bits: UInt64 = 0) { self.bits = bits }

    /// AT-SPI's wire form: two words, the lower numbers first.
    package init(low: UInt32, high: UInt32) { bits = UInt64(high) << 32 | UInt64(low) }

    package init(_ states: State...) {
        bits = 0
        for state in states { insert(state) }
    }

    package func contains(_ state: State) -> Bool { bits & StateSet.mask(state) != 0 }

    package mutating func insert(_ state: State) { bits |= StateSet.mask(state) }

    package mutating func remove(_ state: State) { bits &= ~StateSet.mask(state) }

    /// The states' names in the order of their numbers.
    package var names: [String] {
        (UInt8(0)..<64).filter { bits & (1 << UInt64($0)) != 0 }.map { State(rawValue: $0).name }
    }

    private static func mask(_ state: State) -> UInt64 { state.rawValue < 64 ? 1 << UInt64(state.rawValue) : 0 }
}
