import AccessibilityTree
import FocusRegistry
import Testing

/// Orders, moves and silent arrivals together, on a small desktop in which everything takes its own time.
struct DeskPropertyTests {
    /// What must hold once nothing is left to happen.
    private func faults(_ desk: DeskUnderTest) -> [String] {
        var faults: [String] = []
        if !desk.isQuiet { faults.append("it never comes to rest") }
        if desk.hasMoves { faults.append("a move never ends") }
        if desk.isOnBlank { faults.append("the screen reader is left on the blank") }
        for id in desk.started.keys where desk.outcomes[id]?.count != 1 {
            faults.append("order \(id) ended \(desk.outcomes[id]?.count ?? 0) times")
        }
        return faults
    }

    private func report(_ faults: [String], _ desk: DeskUnderTest, seed: UInt64) {
        guard !faults.isEmpty else { return }
        Issue.record("seed \(seed): \(faults)\n\(desk.history.joined(separator: "\n"))")
    }

    @Test(
        "whatever is asked and whoever moves: every order ends once, and nobody is left on the blank", arguments: 0..<20
    )
    func everything(batch: Int) {
        for index in 0..<40 {
            let seed = UInt64(batch * 40 + index)
            let desk = DeskUnderTest(seed: seed)
            desk.ownerAnswers = desk.random.chance(50)
            for _ in 0..<12 {
                switch desk.random.next() % 10 {
                case 0..<4:
                    desk.set(
                        desk.random.pick([1, 2, 3, 4]), again: desk.random.chance(30),
                        routes: desk.random.pick([nil, nil, [.activeDescendant], [.grabFocus]]),
                        waits: desk.random.pick([nil, 0, 30, 300]), owner: desk.random.chance(50))
                case 4: _ = desk.giveBack(to: [desk.random.pick([2, 5]), 6])
                case 5: if let id = desk.started.keys.sorted().last { desk.cancel(id) }
                default: desk.userMoves(to: desk.random.pick([2, 4, 6]))
                }
                desk.run(milliseconds: desk.random.pick([0, 1, 10, 40, 120, 400]))
            }
            desk.run()
            report(faults(desk), desk, seed: seed)
        }
    }

    @Test("of sets that race the last is confirmed and no other, and the screen reader ends there", arguments: 0..<20)
    func races(batch: Int) {
        for index in 0..<40 {
            let seed = UInt64(batch * 40 + index)
            let desk = DeskUnderTest(seed: seed)
            let count = 2 + Int(desk.random.next() % 4)
            var ids: [Int] = []
            var targets: [Int] = []
            for number in 0..<count {
                // Never the same twice in a row, which would be shared; yet back and forth, also to where it is.
                targets.append(
                    desk.random.pick([1, 2, 3, 5].filter { $0 != targets.last && $0 != (number == 0 ? 2 : 0) }))
                ids.append(desk.set(targets[number], again: desk.random.chance(20), routes: [.activeDescendant]))
                // Nobody is there yet: a set that had been confirmed before the next came would not race it.
                desk.run(milliseconds: desk.random.pick([0, 0, 1, 2, 3]))
            }
            desk.run()
            var faults = faults(desk)
            // What was confirmed before the next came did not race it.
            let confirmed = ids.filter { id in
                guard let outcome = desk.outcomes[id]?.first, outcome.result == .confirmed else { return false }
                return desk.started[id + 1].map { outcome.finishedAt > $0 } ?? true
            }
            if confirmed != [ids[count - 1]] { faults.append("confirmed \(confirmed) of \(ids)") }
            if desk.locus != .element(targets[count - 1]) { faults.append("it ended on \(desk.locus)") }
            report(faults, desk, seed: seed)
        }
    }

    @Test(
        "what is confirmed was reached after it was asked for, or is where the screen reader says it is",
        arguments: 0..<20)
    func truth(batch: Int) {
        for index in 0..<40 {
            let seed = UInt64(batch * 40 + index)
            let desk = DeskUnderTest(seed: seed)
            var targets: [Int: Int] = [:]
            for _ in 0..<8 {
                let target = desk.random.pick([1, 2, 3, 4])
                let id = desk.set(target, routes: desk.random.pick([nil, [.activeDescendant]]))
                targets[id] = target
                desk.run(milliseconds: desk.random.pick([0, 5, 50, 150, 700]))
                if desk.random.chance(20) { desk.userMoves(to: desk.random.pick([2, 4, 6])) }
            }
            desk.run()
            var faults = faults(desk)
            for (id, target) in targets {
                guard let outcome = desk.outcomes[id]?.first, outcome.result == .confirmed else { continue }
                let before = desk.spoken.last { $0.at <= outcome.finishedAt }?.element ?? 2
                if before != target { faults.append("order \(id) to \(target) was confirmed on \(before)") }
            }
            report(faults, desk, seed: seed)
        }
    }

    @Test("again: the element is said once more, after it was asked for", arguments: 0..<10)
    func again(batch: Int) {
        for index in 0..<40 {
            let seed = UInt64(batch * 40 + index)
            let desk = DeskUnderTest(seed: seed)
            let target = desk.random.pick([1, 2])
            desk.set(target)
            desk.run()
            let before = desk.spoken.count
            let id = desk.set(target, again: true)
            desk.run()
            var faults = faults(desk)
            if desk.outcomes[id]?.first?.result != .confirmed { faults.append("not confirmed") }
            let said = desk.spoken.dropFirst(before).map(\.element)
            if said != [target] { faults.append("said \(said)") }
            report(faults, desk, seed: seed)
        }
    }

    // MARK: - The silent Tab

    @Test("the user comes to where the screen reader was sent: it is said once", arguments: 0..<10)
    func arrives(batch: Int) {
        for index in 0..<40 {
            let seed = UInt64(batch * 40 + index)
            let desk = DeskUnderTest(seed: seed)
            desk.set(4, routes: [.activeDescendant])
            desk.run()
            let started = desk.now
            desk.userMoves(to: 4)
            desk.run()
            var faults = faults(desk)
            let said = desk.spoken.filter { $0.at >= started }.map(\.element)
            if said != [4] { faults.append("said \(said)") }
            report(faults, desk, seed: seed)
        }
    }

    @Test("the user moves on at any moment of that: the last that is said is where the keyboard is", arguments: 0..<20)
    func movesOn(batch: Int) {
        for index in 0..<50 {
            let seed = UInt64(batch * 50 + index)
            let desk = DeskUnderTest(seed: seed)
            desk.set(4, routes: [.activeDescendant])
            desk.run()
            let started = desk.now
            desk.userMoves(to: 4)
            var last = 4
            for _ in 0...(desk.random.next() % 3) {
                desk.run(milliseconds: Int64(desk.random.next() % 150))
                last = desk.random.pick([2, 6, 8].filter { $0 != last })
                desk.userMoves(to: last)
            }
            desk.run()
            var faults = faults(desk)
            if desk.locus != .element(last) { faults.append("it ended on \(desk.locus), the keyboard on \(last)") }
            let said = desk.spoken.filter { $0.at >= started }.map(\.element)
            if said.count(where: { $0 == 4 }) > 1 { faults.append("said twice: \(said)") }
            report(faults, desk, seed: seed)
        }
    }

    @Test("and with a move that begins in the middle of it", arguments: 0..<20)
    func moveInTheMiddle(batch: Int) {
        for index in 0..<40 {
            let seed = UInt64(batch * 40 + index)
            let desk = DeskUnderTest(seed: seed)
            desk.set(4, routes: [.activeDescendant])
            desk.run()
            desk.userMoves(to: 4)
            desk.run(milliseconds: Int64(desk.random.next() % 150))
            let target = desk.random.pick([1, 3, 4])
            let id = desk.set(target, routes: [.activeDescendant])
            desk.run()
            var faults = faults(desk)
            let outcome = desk.outcomes[id]?.first
            if outcome?.result == .confirmed, desk.locus != .element(target) {
                faults.append("it ended on \(desk.locus)")
            }
            if outcome?.result != .confirmed, outcome?.reason != .movedElsewhere {
                faults.append("\(outcome.map { "\($0.result)" } ?? "nothing")")
            }
            report(faults, desk, seed: seed)
        }
    }
}
