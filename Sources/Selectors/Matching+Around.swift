import AccessibilityTree

/// Answers that depend on the elements around one: siblings, what is below, whether it is seen.
extension Matching {
    // MARK: - Siblings

    /// A child that hangs elsewhere, or stands in the list twice, is nobody's sibling here.
    func isSibling(_ other: Slot, _ slot: Slot, _ parent: Slot) -> Bool {
        other != slot && self.parent(of: other) == parent
    }

    func previousSibling(_ slot: Slot) -> Slot? {
        guard let parent = self.parent(of: slot), var place = self.position(of: slot) else { return nil }
        let siblings = self.children(of: parent)
        while place > 0, spend() {
            place -= 1
            if isSibling(siblings[place], slot, parent) { return siblings[place] }
        }
        return nil
    }

    private func nextSibling(_ slot: Slot) -> Slot? {
        guard let parent = self.parent(of: slot), var place = self.position(of: slot) else { return nil }
        let siblings = self.children(of: parent)
        while place + 1 < siblings.count, spend() {
            place += 1
            if isSibling(siblings[place], slot, parent) { return siblings[place] }
        }
        return nil
    }

    /// The elements that hang below one, listed or not.
    func children(_ slot: Slot) -> [Slot] {
        let listed = self.children(of: slot)
        guard hasUnlisted else { return listed }
        let unlisted = tree.unlistedChildren(of: slot)
        return unlisted.isEmpty ? listed : listed + unlisted
    }

    // MARK: - :has()

    func has(_ relatives: [CompiledRelative], _ slot: Slot) -> Answer {
        var best = Answer.no
        for relative in relatives {
            best = max(best, right(relative.complex, 0, relative.combinator, slot))
            if best == .yes { break }
        }
        return best
    }

    /// Whether a step is found from an element on by a combinator.
    private func right(_ complex: CompiledComplex, _ step: Int, _ combinator: Combinator, _ slot: Slot) -> Answer {
        switch combinator {
        case .descendant: return below(complex, step, slot)
        case .laterSibling: return siblingsAfter(complex, step, slot)
        case .nextSibling: return nextSibling(slot).map { forward(complex, step, $0) } ?? .no
        case .child:
            var best = Answer.no
            for child in children(slot) where self.parent(of: child) == slot {
                guard best != .yes, spend() else { break }
                best = max(best, forward(complex, step, child))
            }
            return best
        }
    }

    /// Whether an element is what one step says, and the steps after it are found from it on.
    private func forward(_ complex: CompiledComplex, _ step: Int, _ slot: Slot) -> Answer {
        let table = complex.answers(step)
        if let known = known(table, slot) { return known }
        let compound = complex.compounds[step]
        var answer = Answer(spend() && holdsCheap(compound, slot) && holdsStructural(compound, slot))
        if compound.hasNested, answer != .no { answer = nested(compound.tests.nested, slot) }
        if answer != .no, step < complex.subject {
            answer = min(answer, right(complex, step + 1, complex.combinators[step], slot))
        }
        if compound.needsFacts, answer != .no { answer = facts(compound.tests, slot, so: answer) }
        remember(answer, table, slot)
        return answer
    }

    private func siblingsAfter(_ complex: CompiledComplex, _ step: Int, _ slot: Slot) -> Answer {
        guard let parent = self.parent(of: slot), var place = self.position(of: slot) else { return .no }
        let siblings = self.children(of: parent)
        return beyond(complex.beyond(step), slot) {
            self.forward(complex, step, $0)
        } next: { _ in
            while place + 1 < siblings.count {
                place += 1
                if self.isSibling(siblings[place], slot, parent) { return siblings[place] }
            }
            return nil
        }
    }

    private struct Level {
        var slot: Slot
        var children: [Slot]
        var next = 0
        var best = Answer.no
    }

    /// Whether a step is found anywhere below an element. Each part of the tree is walked once for each step.
    private func below(_ complex: CompiledComplex, _ step: Int, _ slot: Slot) -> Answer {
        let table = complex.beyond(step)
        if let known = known(table, slot) { return known }
        let first = children(slot)
        if first.isEmpty { return .no }
        var levels = [Level(slot: slot, children: first)]
        while let top = levels.indices.last {
            guard levels[top].next < levels[top].children.count else {
                let done = levels.removeLast()
                remember(done.best, table, done.slot)
                if top == 0 { return done.best }
                levels[top - 1].best = max(levels[top - 1].best, done.best)
                continue
            }
            let child = levels[top].children[levels[top].next]
            levels[top].next += 1
            guard spend() else { return .no }
            guard self.parent(of: child) == levels[top].slot else { continue }
            let known = known(table, child)
            let best = max(forward(complex, step, child), known ?? .no)
            if best == .yes {
                for level in levels { remember(.yes, table, level.slot) }
                return .yes
            }
            levels[top].best = max(levels[top].best, best)
            if known == nil {
                let below = children(child)
                if !below.isEmpty { levels.append(Level(slot: child, children: below)) }
            }
        }
        return .no
    }

    // MARK: - Visibility

    /// What is remembered of an element's way up: 1 visible, 2 scrolled out, 3 hidden; 4 more inside what scrolls.
    private static let scrolls: UInt8 = 4

    /// As ``FocusPath/visibility(unlisted:)`` has it, of the way up to the root.
    func isHidden(_ slot: Slot) -> Bool {
        // In a walk what is above was looked at before.
        if let parent = self.parent(of: slot) {
            let above = note(CompiledSelector.visibilityTable, parent)
            if above != 0 {
                let note = noteBelow(above, slot)
                setNote(note, CompiledSelector.visibilityTable, slot)
                return note & 3 == 3
            }
        }
        var passed: [Slot] = []
        var next: Slot? = slot
        var note: UInt8 = 1
        while let current = next, spend() {
            let known = self.note(CompiledSelector.visibilityTable, current)
            if known != 0 {
                note = known
                break
            }
            passed.append(current)
            next = self.parent(of: current)
        }
        for current in passed.reversed() {
            note = noteBelow(note, current)
            setNote(note, CompiledSelector.visibilityTable, current)
        }
        return note & 3 == 3
    }

    private func noteBelow(_ above: UInt8, _ slot: Slot) -> UInt8 {
        // An application has no states that mean anything, and what is not read has none yet.
        guard isRead(slot), self.role(of: slot) != .application else { return above }
        var note = above
        if note & 3 == 1, isUnseen(slot) { note = note & Matching.scrolls | (note & Matching.scrolls != 0 ? 2 : 3) }
        return self.role(of: slot).scrollsItsContent ? note | Matching.scrolls : note
    }

    private func isUnseen(_ slot: Slot) -> Bool {
        let states = self.states(of: slot)
        if !states.contains(.visible) { return true }
        if tree.application.setsShowing, !states.contains(.showing) { return true }
        guard tree.isUnlisted(slot), let parent = self.parent(of: slot) else { return false }
        return !self.states(of: parent).contains(.managesDescendants)
    }

    // MARK: - Secrets

    /// Whether it or anything around it is a password field or a terminal.
    func isSecret(_ slot: Slot) -> Bool {
        var next: Slot? = slot
        while let current = next, spend() {
            // What is not read may be one.
            if self.role(of: current).isSecret || !isRead(current) { return true }
            next = self.parent(of: current)
        }
        return isExhausted
    }
}
