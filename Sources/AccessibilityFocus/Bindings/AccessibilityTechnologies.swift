/// A set of assistive technologies, each named by its id; the empty set means any screen reader.
///
///     @AccessibilityFocusState(for: .orca) var isFocused: Bool
///     let both: AccessibilityTechnologies = [.orca, AccessibilityTechnologies("odilia")]
public struct AccessibilityTechnologies: SetAlgebra, Hashable, Sendable {
    public typealias Element = AccessibilityTechnologies
    public typealias ArrayLiteralElement = AccessibilityTechnologies

    private var ids: Set<String>

    /// The screen reader Orca.
    public static let orca = AccessibilityTechnologies("orca")
    /// The keyboard focus, which counts only where it is named.
    public static let keyboard = AccessibilityTechnologies("keyboard")

    /// The empty set: any screen reader.
    public init() { ids = [] }

    /// The technology with this id: the base name of its program.
    public init(_ id: String) { ids = [id] }

    /// The ids in the alphabet's order.
    public var names: [String] { ids.sorted() }

    /// Whether all of these are in the set.
    public func contains(_ member: AccessibilityTechnologies) -> Bool { member.ids.isSubset(of: ids) }

    public func union(_ other: AccessibilityTechnologies) -> AccessibilityTechnologies {
        with(ids.union(other.ids))
    }

    public func intersection(_ other: AccessibilityTechnologies) -> AccessibilityTechnologies {
        with(ids.intersection(other.ids))
    }

    public func symmetricDifference(_ other: AccessibilityTechnologies) -> AccessibilityTechnologies {
        with(ids.symmetricDifference(other.ids))
    }

    public mutating func formUnion(_ other: AccessibilityTechnologies) { ids.formUnion(other.ids) }

    public mutating func formIntersection(_ other: AccessibilityTechnologies) { ids.formIntersection(other.ids) }

    public mutating func formSymmetricDifference(_ other: AccessibilityTechnologies) {
        ids.formSymmetricDifference(other.ids)
    }

    @discardableResult
    public mutating func insert(
        _ newMember: AccessibilityTechnologies
    ) -> (inserted: Bool, memberAfterInsert: AccessibilityTechnologies) {
        let isNew = !contains(newMember)
        let known = intersection(newMember)
        formUnion(newMember)
        return (isNew, isNew ? newMember : known)
    }

    @discardableResult
    public mutating func remove(_ member: AccessibilityTechnologies) -> AccessibilityTechnologies? {
        let removed = intersection(member)
        ids.subtract(member.ids)
        return removed.isEmpty ? nil : removed
    }

    @discardableResult
    public mutating func update(with newMember: AccessibilityTechnologies) -> AccessibilityTechnologies? {
        let known = intersection(newMember)
        formUnion(newMember)
        return known.isEmpty ? nil : known
    }

    private func with(_ ids: Set<String>) -> AccessibilityTechnologies {
        var result = AccessibilityTechnologies()
        result.ids = ids
        return result
    }
}

extension AccessibilityTechnologies: CustomStringConvertible {
    public var description: String { ids.isEmpty ? "any" : names.joined(separator: ", ") }
}
