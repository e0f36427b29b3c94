import AccessibilityTree

/// Which changes of a tree can matter to a selector, and for which elements.
struct Reach: Hashable, Sendable {
    struct OfStates: Hashable, Sendable {
        var states: StateSet
        var region: Region
    }

    private(set) var ofStates: [OfStates] = []
    private(set) var ofName: Region = []
    private(set) var ofRole: Region = []
    private(set) var ofDescription: Region = []
    private(set) var ofID: Region = []
    private(set) var ofAttributes: Region = []
    private(set) var ofText: Region = []
    private(set) var ofFocus: Region = []
    /// Of a node that is there now, or is not, or stands elsewhere.
    private(set) var ofPlace: Region = []
    private(set) var dependsOnApplicationName = false

    init(_ selector: Selector) {
        visit(selector.alternatives, .itself)
    }

    func region(of states: StateSet) -> Region {
        ofStates.reduce([]) { $1.states.bits & states.bits == 0 ? $0 : $0.union($1.region) }
    }

    // MARK: - Finding out

    /// `outer` leads from the elements that match the list to those that are meant in the end.
    private mutating func visit(_ list: [ComplexSelector], _ outer: Region) {
        for complex in list {
            var outer = outer
            for step in complex.rest.reversed() {
                visit(step.compound, outer)
                let across = Region.forward(step.combinator)
                if across == .siblings { ofPlace.formUnion(across.then(outer)) }
                outer = across.then(outer)
            }
            visit(complex.first, outer)
        }
    }

    private mutating func visit(_ relatives: [RelativeSelector], _ outer: Region) {
        for relative in relatives {
            var outer = outer
            let combinators = [relative.combinator] + relative.selector.combinators
            for (compound, combinator) in zip(relative.selector.compounds, combinators) {
                let across = Region.backward(combinator)
                if across == .siblings { ofPlace.formUnion(across.then(outer)) }
                outer = across.then(outer)
                visit(compound, outer)
                ofPlace.formUnion(outer)
            }
        }
    }

    private mutating func visit(_ compound: CompoundSelector, _ outer: Region) {
        if compound.type != .any { ofRole.formUnion(outer) }
        for condition in compound.conditions { visit(condition, outer) }
    }

    private mutating func visit(_ condition: Condition, _ outer: Region) {
        let withBelow = Region([.itself, .descendants]).then(outer)
        switch condition {
        case .attribute(let test): visit(test.subject, outer)
        case .state(let state): add(StateSet(state), outer)
        case .hidden:
            add(StateSet(.visible, .showing, .managesDescendants), withBelow)
            ofRole.formUnion(withBelow)
        case .accessibilityFocused: ofFocus.formUnion(outer)
        case .ownApplication: break
        case .position, .lastChild: ofPlace.formUnion(Region([.itself, .siblings]).then(outer))
        case .not(let list), .either(let list): visit(list, outer)
        case .has(let list): visit(list, outer)
        }
    }

    private mutating func visit(_ subject: AttributeTest.Subject, _ outer: Region) {
        switch subject {
        case .name: ofName.formUnion(outer)
        case .description: ofDescription.formUnion(outer)
        case .id: ofID.formUnion(outer)
        case .role: ofRole.formUnion(outer)
        case .application: dependsOnApplicationName = true
        case .pid, .toolkit: break
        case .text:
            ofText.formUnion(outer)
            // A password field hides what is in it.
            ofRole.formUnion(Region([.itself, .descendants]).then(outer))
        case .object: ofAttributes.formUnion(outer)
        }
    }

    private mutating func add(_ states: StateSet, _ region: Region) {
        if let index = ofStates.firstIndex(where: { $0.region == region }) {
            ofStates[index].states = StateSet(bits: ofStates[index].states.bits | states.bits)
        } else {
            ofStates.append(OfStates(states: states, region: region))
        }
    }
}

extension Selector {
    /// Whether where assistive technologies are decides about a match.
    package var dependsOnFocus: Bool { !Reach(self).ofFocus.isEmpty }
}
