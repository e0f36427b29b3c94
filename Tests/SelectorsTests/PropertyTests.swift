import AccessibilityTree
import Selectors
import Testing

/// The matcher against the plain meaning, on random trees with random selectors.
struct PropertyTests {
    @Test("what matches is what the plain meaning says, in the order of the tree", arguments: 0..<UInt64(20))
    func likeNaive(seed: UInt64) {
        var world = RandomTree(seed: seed, size: 60)
        var selectors = RandomSelectors(seed: seed)
        for round in 0..<40 {
            let selector = selectors.selector()
            world.settle()
            let result = selector.matches(in: world.tree, world.context)
            let expected = NaiveMatcher(tree: world.tree, context: world.context).matches(selector)
            #expect(result.matches == expected, "seed \(seed), round \(round): \(selector)")
            #expect(result.needs.isEmpty && result.undecided.isEmpty && !result.isBudgetExceeded)
            let matcher = SelectorMatcher(selector)
            for slot in world.tree.allSlots {
                let answer = matcher.answer(slot, in: world.tree, world.context)
                #expect(answer == (expected.contains(slot) ? .yes : .no), "seed \(seed), round \(round): \(selector)")
            }
            for _ in 0..<4 { world.change() }
        }
    }

    @Test("a live query is after any changes what matching anew is", arguments: 0..<UInt64(20))
    func live(seed: UInt64) {
        var world = RandomTree(seed: seed, size: 60)
        var random = RandomSelectors(seed: seed)
        let selectors = (0..<25).map { _ in random.selector() }
        var queries = selectors.map { LiveQuery($0) }
        for round in 0..<25 {
            let changes = world.tree.takeChanges()
            for index in queries.indices {
                let needs = queries[index].update(changes, in: world.tree, world.context)
                let anew = selectors[index].matches(in: world.tree, world.context)
                let what = "seed \(seed), round \(round): \(selectors[index]) after \(changes)"
                #expect(queries[index].matches(in: world.tree) == anew.matches, "\(what)")
                #expect(queries[index].isUndecided == !anew.undecided.isEmpty, "\(what)")
                // Nothing that is needed is forgotten, though it may be asked for only where it decides.
                #expect(needs.isEmpty == anew.needs.isEmpty || anew.undecided.isEmpty, "\(what)")
            }
            for _ in 0..<Int.random(in: 1...6, using: &world.random) { world.change() }
            if world.random.chance(1, in: 2) { world.settle() }
        }
    }

    @Test(
        "a tree knows of how many elements the id was not asked: an index is trusted by that", arguments: 0..<UInt64(10)
    )
    func unaskedIDs(seed: UInt64) {
        var world = RandomTree(seed: seed, size: 30)
        for _ in 0..<200 {
            world.change()
            let tree = world.tree
            let unasked = tree.allSlots.count { tree.isRead($0) && tree.id(of: $0) == nil }
            #expect(tree.unaskedIDCount == unasked, "seed \(seed)")
        }
    }

    @Test("fetching what is needed leads to an answer, and matching asks for nothing twice", arguments: 0..<UInt64(15))
    func needs(seed: UInt64) {
        let known = RandomTree(seed: seed, size: 60)
        var selectors = RandomSelectors(seed: seed)
        for round in 0..<20 {
            let selector = selectors.selector()
            let what = "seed \(seed), round \(round): \(selector)"
            var bare = known.tree
            var context = known.context
            context.texts = [:]
            for slot in bare.allSlots { bare.setAttributes(nil, of: slot) }
            var rounds = 0
            var result = selector.matches(in: bare, context)
            while !result.needs.isEmpty, rounds < 20 {
                rounds += 1
                for need in Set(result.needs) {
                    switch need {
                    case .id(let slot): #expect(known.tree.id(of: slot) == nil, "\(what)")
                    case .attributes(let slot):
                        #expect(bare.attributes(of: slot) == nil, "\(what)")
                        bare.setAttributes(known.tree.attributes(of: slot) ?? [:], of: slot)
                    case .text(let slot):
                        #expect(context.texts[slot] == nil, "\(what)")
                        context.texts[slot] = known.context.texts[slot] ?? ""
                    }
                }
                result = selector.matches(in: bare, context)
            }
            #expect(result.undecided.isEmpty && rounds < 20, "\(what)")
            #expect(result.matches == selector.matches(in: known.tree, known.context).matches, "\(what)")
        }
    }

    @Test("where an application is not admitted, nothing in it matches", arguments: 0..<UInt64(15))
    func admitting(seed: UInt64) {
        let world = RandomTree(seed: seed, size: 40)
        var selectors = RandomSelectors(seed: seed)
        let name = world.tree.name(of: world.tree.roots[0])
        let facts = ApplicationFacts(
            name: name, pid: world.tree.application.pid, toolkit: world.tree.application.toolkit)
        for _ in 0..<100 {
            let selector = selectors.selector()
            guard let admitted = selector.admits(facts, ownPID: world.context.ownPID) else { continue }
            let matches = selector.matches(in: world.tree, world.context)
            if !admitted { #expect(matches.total == 0, "seed \(seed): \(selector)") }
            if admitted {
                #expect(
                    matches.total
                        == NaiveMatcher(tree: world.tree, context: world.context).all().count {
                            world.tree.isRead($0)
                        }, "seed \(seed): \(selector)")
            }
        }
    }

    @Test("the selector written for an element matches it alone", arguments: 0..<UInt64(15))
    func writing(seed: UInt64) throws {
        var world = RandomTree(seed: seed, size: 50)
        world.settle()
        let writer = SelectorWriter(tree: world.tree)
        for slot in NaiveMatcher(tree: world.tree, context: world.context).all() where world.tree.isRead(slot) {
            guard let selector = writer.selector(for: slot) else { continue }
            #expect(try Selector(parsing: selector.description) == selector)
            #expect(selector.matches(in: world.tree, MatchContext()).matches == [slot], "seed \(seed): \(selector)")
        }
    }
}
