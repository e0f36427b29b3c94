import AccessibilityTree

/// One run of matching over one state of a tree. Remembers what it found out, so that no question is answered twice.
///
/// Calls go as deep as a selector has steps and parentheses, never as deep as a tree.
final class Matching {
    typealias Slot = ApplicationTree.Slot

    let tree: ApplicationTree
    /// Those of the tree: a run looks at very many.
    private let entries: [ApplicationTree.Entry]
    let context: MatchContext
    private(set) var needs: [Need] = []
    // SAFETY: no access to one of these is ever inside another; they are asked for all the time.
    @exclusivity(unchecked) private var tables: [SlotTable]
    @exclusivity(unchecked) private(set) var budget: Int
    @exclusivity(unchecked) private(set) var isExhausted = false
    private lazy var onlyApplicationName = tree.roots.count == 1 ? tree.name(of: tree.roots[0]) : nil
    private(set) lazy var hasUnlisted = tree.hasUnlisted
    private lazy var pid = String(tree.application.pid)

    init(_ selector: CompiledSelector, _ tree: ApplicationTree, _ context: MatchContext) {
        self.tree = tree
        entries = tree.entries
        self.context = context
        tables = Array(repeating: SlotTable(), count: selector.tableCount)
        budget = context.budget
    }

    /// Pays for work; false where none is left, and every answer from then on is worth nothing.
    func spend(_ work: Int = 1) -> Bool {
        budget -= work
        if budget < 0 { isExhausted = true }
        return !isExhausted
    }

    func known(_ table: Int, _ slot: Slot) -> Answer? { Answer(rawValue: tables[table][slot]) }

    func remember(_ answer: Answer, _ table: Int, _ slot: Slot) { tables[table][slot] = answer.rawValue }

    func note(_ table: Int, _ slot: Slot) -> UInt8 { tables[table][slot] }
    func setNote(_ note: UInt8, _ table: Int, _ slot: Slot) { tables[table][slot] = note }

    // MARK: - The tree

    func parent(of slot: Slot) -> Slot? {
        let parent = entries[Int(slot.number)].parent
        return parent >= 0 ? Slot(number: parent) : nil
    }

    func children(of slot: Slot) -> [Slot] { entries[Int(slot.number)].children }
    func role(of slot: Slot) -> Role { entries[Int(slot.number)].role }
    func states(of slot: Slot) -> StateSet { entries[Int(slot.number)].states }
    func isRead(_ slot: Slot) -> Bool { entries[Int(slot.number)].flags.contains(.isRead) }

    /// Its place among its parent's children; nil where its parent does not list it.
    func position(of slot: Slot) -> Int? {
        let entry = entries[Int(slot.number)]
        guard entry.parent >= 0 else { return nil }
        let siblings = entries[Int(entry.parent)].children
        let place = Int(entry.place)
        return place < siblings.count && siblings[place] == slot && !entry.flags.contains(.isUnlisted)
            ? place : tree.position(of: slot)
    }

    // MARK: - Whole selectors

    func answer(_ alternatives: [CompiledComplex], _ slot: Slot) -> Answer {
        var best = Answer.no
        for alternative in alternatives {
            best = max(best, answer(alternative, alternative.subject, slot))
            if best == .yes { break }
        }
        return best
    }

    /// Whether an element is what the steps up to one say.
    private func answer(_ complex: CompiledComplex, _ step: Int, _ slot: Slot) -> Answer {
        let isRemembered = step < complex.subject
        if isRemembered, let known = known(complex.answers(step), slot) { return known }
        let compound = complex.compounds[step]
        var answer = Answer(spend() && holdsCheap(compound, slot) && holdsStructural(compound, slot))
        if compound.hasNested, answer != .no { answer = nested(compound.tests.nested, slot) }
        if answer != .no, step > 0 { answer = min(answer, left(complex, step, slot)) }
        if compound.needsFacts, answer != .no { answer = facts(compound.tests, slot, so: answer) }
        if isRemembered { remember(answer, complex.answers(step), slot) }
        return answer
    }

    /// Whether what stands before a step is found from an element.
    private func left(_ complex: CompiledComplex, _ step: Int, _ slot: Slot) -> Answer {
        switch complex.combinators[step - 1] {
        case .child: parent(of: slot).map { answer(complex, step - 1, $0) } ?? .no
        case .descendant: above(complex, step - 1, slot)
        case .nextSibling: previousSibling(slot).map { answer(complex, step - 1, $0) } ?? .no
        case .laterSibling: siblingsBefore(complex, step - 1, slot)
        }
    }

    private func above(_ complex: CompiledComplex, _ step: Int, _ slot: Slot) -> Answer {
        beyond(complex.beyond(step), slot) {
            self.answer(complex, step, $0)
        } next: {
            self.parent(of: $0)
        }
    }

    private func siblingsBefore(_ complex: CompiledComplex, _ step: Int, _ slot: Slot) -> Answer {
        guard let parent = parent(of: slot), var place = position(of: slot) else { return .no }
        let siblings = children(of: parent)
        return beyond(complex.beyond(step), slot) {
            self.answer(complex, step, $0)
        } next: { _ in
            while place > 0 {
                place -= 1
                if self.isSibling(siblings[place], slot, parent) { return siblings[place] }
            }
            return nil
        }
    }

    /// The best answer of those that come one after another from an element on, remembered for each on the way.
    func beyond(
        _ table: Int, _ slot: Slot, answer: (Slot) -> Answer, next: (Slot) -> Slot?
    ) -> Answer {
        if let known = known(table, slot) { return known }
        var coming = next(slot)
        // In a walk what comes next was looked at before.
        if let first = coming, let known = self.known(table, first), spend() {
            let best = max(known, answer(first))
            remember(best, table, slot)
            return best
        }
        var passed = [slot]
        var answers: [Answer] = []
        var found = Answer.no
        while let current = coming, spend() {
            answers.append(answer(current))
            if answers.last == .yes { break }
            if let known = self.known(table, current) {
                found = known
                break
            }
            passed.append(current)
            coming = next(current)
        }
        for index in passed.indices.reversed() {
            if index < answers.count { found = max(found, answers[index]) }
            remember(found, table, passed[index])
        }
        return found
    }

    // MARK: - One step

    func holdsCheap(_ compound: CompiledCompound, _ slot: Slot) -> Bool {
        guard isRead(slot) else { return false }
        switch compound.type {
        case .any: break
        case .anyWindow: if !role(of: slot).isWindow { return false }
        case .role(let role):
            if self.role(of: slot) != role || role == .application && !tree.isRoot(slot) { return false }
        }
        let states = compound.states.bits
        if states != 0, self.states(of: slot).bits & states != states { return false }
        for test in compound.tests.cheap where !holds(test, slot) { return false }
        return true
    }

    private func holds(_ test: CheapTest, _ slot: Slot) -> Bool {
        switch test {
        case .name(let comparison): compare(comparison, entries[Int(slot.number)].name)
        case .description(let comparison): compare(comparison, tree.description(of: slot))
        case .role(let comparison): comparison.holds(role(of: slot))
        case .application(let comparison): compare(comparison, applicationName(of: slot))
        case .pid(let comparison): comparison.holds(pid)
        case .toolkit(let comparison): comparison.holds(tree.application.toolkit)
        case .accessibilityFocused: context.focused.contains(slot)
        case .ownApplication: tree.application.pid == context.ownPID
        }
    }

    private func compare(_ comparison: TextComparison, _ text: String) -> Bool {
        spend(comparison.work(text)) && comparison.holds(text)
    }

    private func applicationName(of slot: Slot) -> String {
        if let onlyApplicationName { return onlyApplicationName }
        var top = slot
        while let parent = parent(of: top), spend() { top = parent }
        return tree.name(of: top)
    }

    func holdsStructural(_ compound: CompiledCompound, _ slot: Slot) -> Bool {
        guard compound.hasStructural else { return true }
        for test in compound.tests.structural {
            switch test {
            case .position(let positions):
                guard let place = position(of: slot) ?? tree.madePosition(of: slot), positions.contains(place + 1)
                else { return false }
            case .lastChild:
                guard let parent = parent(of: slot), let place = position(of: slot),
                    place == children(of: parent).count - 1
                else { return false }
            case .hidden: if !isHidden(slot) { return false }
            }
        }
        return true
    }

    func nested(_ tests: [NestedTest], _ slot: Slot) -> Answer {
        var answer = Answer.yes
        for test in tests {
            answer = min(answer, nested(test, slot))
            if answer == .no { break }
        }
        return answer
    }

    private func nested(_ test: NestedTest, _ slot: Slot) -> Answer {
        if let known = known(test.answers, slot) { return known }
        let answer =
            switch test.kind {
            case .not(let list): self.answer(list, slot).inverted
            case .either(let list): self.answer(list, slot)
            case .has(let relatives): has(relatives, slot)
            }
        remember(answer, test.answers, slot)
        return answer
    }

    /// What may have to be fetched, the dearest last: nothing is asked for an element that cannot match any more.
    func facts(_ compound: CompoundTests, _ slot: Slot, so far: Answer) -> Answer {
        var answer = min(far, nested(compound.nestedWithFacts, slot))
        if answer == .no { return .no }
        var missing: [Need] = []
        for fact in compound.facts {
            switch fact {
            case .id(let comparison):
                if let id = tree.id(of: slot) {
                    if !compare(comparison, id) { return .no }
                } else {
                    missing.append(.id(slot))
                }
            case .attribute(let name, let comparison, let text):
                if let attributes = tree.attributes(of: slot) {
                    guard let value = attributes[name], comparison == .isPresent || compare(text, value) else {
                        return .no
                    }
                } else if missing.last != .attributes(slot) {
                    missing.append(.attributes(slot))
                }
            }
        }
        if !compound.texts.isEmpty {
            guard tree.interfaces(of: slot).contains(.text), !isSecret(slot) else { return .no }
            if let text = context.texts[slot] {
                for comparison in compound.texts where !compare(comparison, text) { return .no }
            } else {
                missing.append(.text(slot))
            }
        }
        if !missing.isEmpty {
            needs += missing
            answer = .unknown
        }
        return answer
    }
}

extension TextComparison {
    /// What it costs, in looks at one element.
    func work(_ text: String) -> Int { 1 + text.utf8.count / 32 * (1 + searchWeight) }
}
