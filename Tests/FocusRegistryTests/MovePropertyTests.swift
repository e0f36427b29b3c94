import AccessibilityTree
import FocusRegistry
import Testing

/// Whatever applications, technologies, users and clients do: every move ends, once, and nothing is done after.
struct MovePropertyTests {
    private static let technologies: [TechnologyID] = [.orca, .odilia, .keyboard]

    private func randomPlace(_ random: inout SeededGenerator) -> Placement {
        Places.at(random.pick([1, 2, 3, 7, 9]), inside: random.chance(30) ? [random.pick([1, 5])] : [])
    }

    private func randomReport(_ random: inout SeededGenerator, target: Int) -> TargetReport {
        switch random.next() % 12 {
        case 0: return .hidden
        case 1: return .defunct
        case 2: return .applicationNotResponding
        case 3: return .noSuchApplication
        default:
            return .present(
                .init(
                    placement: Places.at(target), isFocusable: random.chance(60), hasKeyboardFocus: random.chance(20),
                    isWindowActive: random.chance(80), takesTyping: random.chance(20), isDisabled: random.chance(10),
                    isScrolledOut: random.chance(10)))
        }
    }

    private func randomInput(_ random: inout SeededGenerator, target: Int) -> MoveInput {
        let id = random.pick(MovePropertyTests.technologies)
        switch random.next() % 40 {
        case 0..<8: return .checked(randomReport(&random, target: target))
        case 8..<15: return .rechecked(randomReport(&random, target: target))
        case 15..<19: return .grabAnswered(random.pick([.accepted, .refused, .notSupported, .notResponding, .gone]))
        case 19..<26:
            return .signalled(
                id, randomPlace(&random), random.pick([.focusTracking, .caretTracking, .mouseReview, .sayAll, nil]),
                isSameValue: random.chance(70))
        case 26..<29: return .signalledBlank(id)
        case 29..<31: return .keyboardMoved(randomPlace(&random), isSameValue: random.chance(70))
        case 31..<34: return .keyboardRead(random.pick([true, false, nil]))
        case 34: return .technologyLeft(id)
        case 35: return random.chance(60) ? random.pick([.busLeft, .applicationLeft]) : .timePassed
        case 36: return random.chance(30) ? random.pick([.cancelled, .withdrawn(.unbound)]) : .timePassed
        case 37: return .ownerDeclined
        default: return .timePassed
        }
    }

    private func randomTechnologies(_ random: inout SeededGenerator) -> (ids: [TechnologyID], isAnyEnough: Bool) {
        random.pick([
            ([.orca], true), ([.orca, .odilia], true), ([.orca], false), ([.orca, .odilia], false),
            ([.keyboard], false),
            ([.orca, .keyboard], false), ([], true),
        ])
    }

    private func randomRoutes(_ random: inout SeededGenerator) -> [Route]? {
        random.pick([
            nil, nil, nil, [.grabFocus], [.activeDescendant], [.activeDescendant, .grabFocus], [.application], [],
        ])
    }

    private func randomHandovers(_ random: inout SeededGenerator) -> [TechnologyID: Handover] {
        guard random.chance(30) else { return [:] }
        return [
            random.pick([.orca, .odilia]): Handover(
                blank: random.pick([nil, .onItsWay, .there]),
                arriving: random.pick([[], [Places.reference(1)], [Places.reference(7)]]))
        ]
    }

    @Test("one move, told anything at any time, ends exactly once and in time", arguments: 0..<20)
    func oneMove(batch: Int) throws {
        for index in 0..<50 {
            let seed = UInt64(batch * 50 + index)
            var random = SeededGenerator(seed: seed)
            let (ids, isAnyEnough) = randomTechnologies(&random)
            let places = Dictionary(
                uniqueKeysWithValues: MovePropertyTests.technologies.map { ($0, randomPlace(&random)) })
            let move = MoveUnderTest(
                for: ids, isAnyEnough: isAnyEnough, again: random.chance(40), routes: randomRoutes(&random),
                from: places, assumed: random.chance(20) ? [.orca] : [],
                filter: random.pick([.usual, .usual, ModeFilter([.sayAll]), ModeFilter([.focusTracking])]),
                hasOwner: random.chance(40), needsActiveWindow: random.chance(20),
                mayMoveKeyboard: random.chance(80), handovers: randomHandovers(&random))
            var history = ["\(ids.map(\.rawValue)) any: \(isAnyEnough)"]
            move.start()
            for _ in 0..<40 where !move.isFinished {
                let input = randomInput(&random, target: 1)
                history.append("\(move.now) \(input)")
                move.tell(input, after: random.pick([0, 1, 20, 100, 300]))
                // The driver's timer.
                if let due = move.nextDeadline, due <= move.now { move.tell(.timePassed) }
            }
            // Everybody falls silent: the deadline, and reading the keyboard once more, end it.
            for _ in 0..<12 where !move.isFinished { move.wait(300) }
            guard let outcome = move.outcome else {
                Issue.record("seed \(seed): it never ends\n\(history.joined(separator: "\n"))")
                return
            }
            let faults = faults(of: outcome, move.actions, ids, isAnyEnough)
            if !faults.isEmpty {
                Issue.record("seed \(seed): \(faults)\n\(history.joined(separator: "\n"))\n\(outcome)")
                return
            }
            // And now it is deaf.
            for _ in 0..<20 { move.tell(randomInput(&random, target: 1)) }
        }
    }

    /// What an outcome may not say, and what may not have been done.
    private func faults(
        of outcome: MoveOutcome, _ actions: [MoveAction], _ ids: [TechnologyID], _ isAnyEnough: Bool
    ) -> [String] {
        var faults: [String] = []
        let isEnough = isAnyEnough ? !outcome.confirmed.isEmpty : outcome.confirmed == Set(ids)
        if outcome.result == .confirmed && !isEnough { faults.append("confirmed without enough confirmations") }
        if outcome.result == .confirmed && outcome.reason != nil { faults.append("confirmed with a reason") }
        if outcome.result != .confirmed && outcome.reason == nil { faults.append("not confirmed, without a reason") }
        if outcome.result != .confirmed && outcome.route != nil { faults.append("a route without confirmation") }
        if !outcome.confirmed.isSubset(of: ids) { faults.append("somebody confirmed who was not asked") }
        if Set(outcome.attempts.map(\.route)).count != outcome.attempts.count {
            faults.append("a route was tried twice")
        }
        // Nobody is sent anywhere but right after a question to the target.
        for (before, action) in zip([nil] + actions, actions) {
            switch action {
            case .presentTarget(let sent), .presentBlank(let sent):
                if before != .recheck { faults.append("presented without asking: \(action)") }
                if sent.contains(.keyboard) { faults.append("an event for the keyboard") }
            case .grabFocus, .askOwner:
                if actions.count(where: { $0 == action }) > 1 { faults.append("done twice: \(action)") }
            default: break
            }
        }
        return faults
    }

    @Test("many clients at once: each is told once, and of moves that race one is confirmed at most", arguments: 0..<20)
    func manyClients(batch: Int) throws {
        for index in 0..<20 {
            let seed = UInt64(batch * 20 + index)
            var random = SeededGenerator(seed: seed)
            let queue = QueueUnderTest()
            var expected: Set<String> = []
            var left: Set<String> = []
            var ids: Set<Int> = []
            for number in 0..<60 {
                switch random.next() % 10 {
                case 0..<2:
                    let caller = "\(number)"
                    let (technologies, isAnyEnough) = randomTechnologies(&random)
                    let steps = queue.begin(
                        caller, to: random.pick([1, 2, 3]), for: technologies, isAnyEnough: isAnyEnough,
                        again: random.chance(20), routes: randomRoutes(&random), after: random.pick([0, 5, 50]))
                    ids.formUnion(steps.map(\.id))
                    expected.insert(caller)
                case 2:
                    guard let caller = expected.subtracting(left).sorted().first, queue.outcomes[caller] == nil else {
                        break
                    }
                    queue.leave(caller)
                    left.insert(caller)
                default:
                    let input = randomInput(&random, target: random.pick([1, 2, 3]))
                    if random.chance(50), let id = ids.sorted().last {
                        queue.tell(id, input, after: random.pick([0, 1, 20]))
                    } else {
                        queue.tellAll(input, after: random.pick([0, 1, 20]))
                    }
                }
                if let due = queue.nextDeadline, due <= queue.now { queue.tellAll(.timePassed) }
            }
            for _ in 0..<20 { queue.tellAll(.timePassed, after: 300) }
            #expect(queue.isEmpty, "seed \(seed)")
            #expect(queue.nextDeadline == nil, "seed \(seed)")
            #expect(Set(queue.outcomes.keys) == expected.subtracting(left), "seed \(seed)")
        }
    }

    @Test("a race to different elements, signals in any order: exactly the last is confirmed", arguments: 0..<10)
    func races(batch: Int) throws {
        for index in 0..<20 {
            let seed = UInt64(batch * 20 + index)
            var random = SeededGenerator(seed: seed)
            let queue = QueueUnderTest()
            let count = 2 + Int(random.next() % 4)
            var sent: [Int] = []
            for number in 1...count {
                try queue.beginPresenting("\(number)", to: 20 + number, after: random.pick([0, 1, 30]))
                sent.append(20 + number)
                // The technology carries out what it was sent, in order, whenever it gets to it; not the last yet.
                while sent.count > 1, random.chance(40) {
                    queue.tellAll(.signalled(.orca, Places.at(sent.removeFirst()), .focusTracking))
                }
            }
            var steps: [QueueUnderTest.Step] = []
            for element in sent {
                steps += queue.tellAll(.signalled(.orca, Places.at(element), .focusTracking), after: 30)
            }
            for step in steps { queue.tell(step.id, .keyboardRead(false)) }
            let confirmed = queue.outcomes.filter { $0.value.first?.result == .confirmed }.map(\.key)
            #expect(confirmed == ["\(count)"], "seed \(seed)")
            #expect(queue.outcomes.count == count, "seed \(seed)")
            #expect(queue.isEmpty, "seed \(seed)")
        }
    }
}
