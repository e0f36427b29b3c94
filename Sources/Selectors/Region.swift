/// Where the elements are that a change at one element can make match or not match any more, seen from that one.
struct Region: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let itself = Region(rawValue: 1)
    static let descendants = Region(rawValue: 2)
    /// All children of its parent.
    static let siblings = Region(rawValue: 4)
    /// All below its parent.
    static let siblingTrees = Region(rawValue: 8)
    static let ancestors = Region(rawValue: 16)
    static let everything = Region(rawValue: 32)

    /// Where one comes to by going to this region first and to another from there.
    func then(_ next: Region) -> Region {
        var all: Region = []
        for first in Region.single where contains(first) {
            for second in Region.single where next.contains(second) { all.formUnion(Region.step(first, second)) }
        }
        return all
    }

    private static let single: [Region] = [.itself, .descendants, .siblings, .siblingTrees, .ancestors, .everything]

    private static func step(_ first: Region, _ second: Region) -> Region {
        switch (first, second) {
        case (.itself, _): second
        case (.everything, _), (_, .everything): .everything
        case (_, .itself): first
        case (.descendants, .descendants), (.descendants, .siblings), (.descendants, .siblingTrees): .descendants
        case (.descendants, .ancestors): [.itself, .descendants, .ancestors]
        case (.siblings, .siblings): .siblings
        case (.siblings, .ancestors), (.ancestors, .ancestors): .ancestors
        case (.siblings, _): .siblingTrees
        case (.siblingTrees, .ancestors): .everything
        case (.siblingTrees, _): .siblingTrees
        default: .everything
        }
    }

    /// From an element to those that stand to it as a combinator says, and back.
    static func forward(_ combinator: Combinator) -> Region {
        switch combinator {
        case .descendant, .child: .descendants
        case .nextSibling, .laterSibling: .siblings
        }
    }

    static func backward(_ combinator: Combinator) -> Region {
        switch combinator {
        case .descendant, .child: .ancestors
        case .nextSibling, .laterSibling: .siblings
        }
    }
}
