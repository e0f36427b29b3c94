import AccessibilityTree

/// A child that a selector names by its place, below the elements that another selector matches.
package struct NamedPlace: Hashable, Sendable {
    package let parent: Selector
    /// From 0.
    package let place: Int
}

extension Selector {
    /// The children that it names by `parent > child:nth-child(7)` or `:first-child`.
    ///
    /// Of objects that make their children when they are asked for, only these can be found without being in focus.
    package var namedPlaces: [NamedPlace] {
        alternatives.flatMap { complex -> [NamedPlace] in
            complex.rest.indices.compactMap { index in
                let step = complex.rest[index]
                guard step.combinator == .child, let place = step.compound.namedPlace else { return nil }
                let parent = ComplexSelector(complex.first, Array(complex.rest[..<index]))
                return NamedPlace(parent: Selector([parent]), place: place)
            }
        }
    }
}

extension CompoundSelector {
    /// The one place that it can have, from 0; nil where it does not say, or says several.
    fileprivate var namedPlace: Int? {
        for condition in conditions {
            if case .position(let positions) = condition, positions.step == 0, positions.offset >= 1 {
                return positions.offset - 1
            }
        }
        return nil
    }
}
