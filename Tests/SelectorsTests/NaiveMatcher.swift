import AccessibilityTree
import Selectors

/// The meaning of selectors written down as plainly as can be, however long it takes.
struct NaiveMatcher {
    typealias Slot = ApplicationTree.Slot

    let tree: ApplicationTree
    let context: MatchContext

    func matches(_ selector: Selector) -> [Slot] { all().filter { matches(selector.alternatives, $0) } }

    /// In document order.
    func all() -> [Slot] { tree.roots.flatMap { [$0] + below($0) } }

    private func below(_ slot: Slot) -> [Slot] { children(slot).flatMap { [$0] + below($0) } }

    private func children(_ slot: Slot) -> [Slot] {
        tree.children(of: slot).filter { tree.parent(of: $0) == slot } + tree.unlistedChildren(of: slot)
    }

    private func ancestors(_ slot: Slot) -> [Slot] {
        tree.parent(of: slot).map { [$0] + ancestors($0) } ?? []
    }

    private func matches(_ list: [ComplexSelector], _ slot: Slot) -> Bool { list.contains { matches($0, slot, nil) } }

    /// With a scope, the first step must stand to it as the combinator says.
    private func matches(_ selector: ComplexSelector, _ slot: Slot, _ scope: (Combinator, Slot)?) -> Bool {
        var rest = selector.rest
        guard let last = rest.popLast() else {
            guard holds(selector.first, slot) else { return false }
            return scope.map { related(slot, $0.0).contains($0.1) } ?? true
        }
        let before = ComplexSelector(selector.first, rest)
        return holds(last.compound, slot)
            && related(slot, last.combinator).contains { matches(before, $0, scope) }
    }

    /// The elements to which another stands as a combinator says.
    private func related(_ slot: Slot, _ combinator: Combinator) -> [Slot] {
        let parent = tree.parent(of: slot)
        let siblings = parent.map { parent in tree.children(of: parent).filter { tree.parent(of: $0) == parent } } ?? []
        let before = siblings.firstIndex(of: slot).map { Array(siblings[..<$0]) } ?? []
        switch combinator {
        case .descendant: return ancestors(slot)
        case .child: return parent.map { [$0] } ?? []
        case .nextSibling: return before.suffix(1)
        case .laterSibling: return before
        }
    }

    private func holds(_ compound: CompoundSelector, _ slot: Slot) -> Bool {
        guard tree.isRead(slot) else { return false }
        switch compound.type {
        case .any: break
        case .role(.application): guard tree.role(of: slot) == .application, tree.isRoot(slot) else { return false }
        case .role(let role): guard tree.role(of: slot) == role else { return false }
        case .anyWindow: guard tree.role(of: slot).isWindow else { return false }
        }
        return compound.conditions.allSatisfy { holds($0, slot) }
    }

    private func holds(_ condition: Condition, _ slot: Slot) -> Bool {
        switch condition {
        case .attribute(let test): return holds(test, slot)
        case .state(let state): return tree.states(of: slot).contains(state)
        case .hidden: return path(slot).visibility(unlisted: unlisted(slot)) == .hidden
        case .accessibilityFocused: return context.focused.contains(slot)
        case .ownApplication: return context.ownPID == tree.application.pid
        case .position(let positions):
            guard let place = tree.position(of: slot) else { return false }
            return (0..<100).contains { round in
                positions.step * round + positions.offset == place + 1
            }
        case .lastChild:
            guard let parent = tree.parent(of: slot), tree.position(of: slot) != nil else { return false }
            return tree.children(of: parent).last == slot
        case .not(let list): return !matches(list, slot)
        case .either(let list): return matches(list, slot)
        case .has(let list):
            return list.contains { relative in
                all().contains { matches(relative.selector, $0, (relative.combinator, slot)) }
            }
        }
    }

    // MARK: - Visibility, by the rule for paths

    private func path(_ slot: Slot) -> FocusPath {
        let nodes = ([slot] + ancestors(slot)).map { slot in
            // What was not read has no state that says anything.
            let states = tree.isRead(slot) ? tree.states(of: slot) : StateSet(.visible, .showing)
            return Node(reference: tree.reference(of: slot), role: tree.role(of: slot), states: states)
        }
        return FocusPath(nodes: nodes, application: tree.application, reachesTop: true)
    }

    private func unlisted(_ slot: Slot) -> Set<ObjectReference> {
        Set(
            ([slot] + ancestors(slot)).filter { slot in
                guard tree.isUnlisted(slot), tree.isRead(slot), let parent = tree.parent(of: slot) else { return false }
                return !tree.states(of: parent).contains(.managesDescendants)
            }.map { tree.reference(of: $0) })
    }

    // MARK: - Texts

    private func holds(_ test: AttributeTest, _ slot: Slot) -> Bool {
        switch test.subject {
        case .name: return compare(test, tree.name(of: slot))
        case .description: return compare(test, tree.description(of: slot))
        case .application: return compare(test, tree.name(of: ([slot] + ancestors(slot)).last ?? slot))
        case .pid: return compare(test, String(tree.application.pid), isNormal: false)
        case .toolkit: return compare(test, tree.application.toolkit)
        case .id: return compare(test, tree.id(of: slot) ?? "", isNormal: false)
        case .role:
            let role = tree.role(of: slot)
            if test.comparison == .equals {
                return role == Role(rawValue: UInt32(test.value) ?? 0) || role.name == test.value
            }
            return compare(test, role.name) || compare(test, role.name.split(separator: "-").joined(separator: " "))
        case .object(let name):
            guard let value = tree.attributes(of: slot)?[name] else { return false }
            return test.comparison == .isPresent || compare(test, value)
        case .text:
            let isSecret = ([slot] + ancestors(slot)).contains { tree.role(of: $0).isSecret || !tree.isRead($0) }
            guard !isSecret, tree.interfaces(of: slot).contains(.text) else { return false }
            return compare(test, context.texts[slot] ?? "")
        }
    }

    private func compare(_ test: AttributeTest, _ text: String, isNormal: Bool = true) -> Bool {
        if test.comparison == .isExactly { return Array(text.utf8) == Array(test.value.utf8) }
        if test.comparison == .isPresent { return !text.isEmpty }
        func plain(_ text: String) -> [Character] {
            let normal = isNormal ? PlainText.normal(text) : text
            return Array(test.ignoresCase ? normal.lowercased() : normal)
        }
        let (text, value) = (plain(text), plain(test.value))
        switch test.comparison {
        case .isPresent, .isExactly, .equals: return text == value
        case .hasWord: return !value.isEmpty && text.split(separator: " ").contains { Array($0) == value }
        case .hasLanguage: return text == value || text.starts(with: value + ["-"])
        case .begins: return !value.isEmpty && text.starts(with: value)
        case .ends: return !value.isEmpty && text.reversed().starts(with: value.reversed())
        case .contains:
            return !value.isEmpty && text.indices.contains { text[$0...].starts(with: value) }
        }
    }
}
