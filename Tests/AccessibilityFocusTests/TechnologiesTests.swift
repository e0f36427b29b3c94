import Testing

@testable import AccessibilityFocus

/// Technologies are a set over names.
struct TechnologiesTests {
    @Test("the empty set means any, and is sent as none")
    func empty() {
        #expect(AccessibilityTechnologies().isEmpty)
        #expect(AccessibilityTechnologies().wire == nil)
        #expect(AccessibilityTechnologies().description == "any")
        let literal: AccessibilityTechnologies = []
        #expect(literal == AccessibilityTechnologies())
    }

    @Test("names come in the alphabet's order, each once")
    func names() {
        let set: AccessibilityTechnologies = [.orca, .keyboard, AccessibilityTechnologies("odilia"), .orca]
        #expect(set.names == ["keyboard", "odilia", "orca"])
        #expect(set.wire == ["keyboard", "odilia", "orca"])
        #expect(set.contains(.orca))
        #expect(set.contains([.orca, .keyboard]))
        #expect(!AccessibilityTechnologies.orca.contains(set))
    }

    @Test("it keeps the laws of a set algebra")
    func laws() {
        let all: [AccessibilityTechnologies] = [
            [], .orca, .keyboard, [.orca, .keyboard], AccessibilityTechnologies("x"),
            [.orca, AccessibilityTechnologies("x")],
        ]
        for one in all {
            #expect(one.union(one) == one)
            #expect(one.symmetricDifference(one).isEmpty)
            #expect(one.intersection([]).isEmpty)
            for other in all {
                #expect(one.union(other) == other.union(one))
                #expect(one.union(other).contains(one))
                #expect(one.intersection(other).isSubset(of: one))
                #expect(one.subtracting(other).isDisjoint(with: other))
                #expect(one.symmetricDifference(other) == one.union(other).subtracting(one.intersection(other)))
                var changed = one
                let inserted = changed.insert(other)
                #expect(inserted.inserted == !one.contains(other))
                #expect(changed == one.union(other))
                #expect(changed.update(with: other) == (other.isEmpty ? nil : other))
                #expect(changed.remove(other) == (other.isEmpty ? nil : other))
                #expect(changed == one.subtracting(other))
            }
        }
    }
}
