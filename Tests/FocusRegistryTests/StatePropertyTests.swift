import AccessibilityTree
import FocusRegistry
import Testing

/// Whatever happens in whatever order: no state shows a value that no technology of its view is on, nothing is missed.
struct StatePropertyTests {
    struct Step: CustomStringConvertible {
        let time: Int64
        /// The caller's timer came late: what is due is not done before this step.
        let isTimerLate: Bool
        let operation: Operation

        var description: String { "\(time)\(isTimerLate ? " (late)" : "") \(operation)" }
    }

    enum Operation {
        case appear(TechnologyID, busName: String)
        case leaveBus(String)
        case signal(TechnologyID, Placement, Mode?)
        case assume(TechnologyID, Placement)
        case activate(Int, String)
        case deactivate(Int, String)
        case gone(ObjectReference)
        case applicationGone(String)
        case keyboardLeft
        case busLeft
        case advance
        case restoreOldest
        case rename(Int32, ObjectReference)
        case bind(String, [Int32], FocusView)
        case unbind(String)
    }

    // MARK: - Making histories

    private static let views: [FocusView] = {
        let filters: [ModeFilter] = [
            .usual, .usual, ModeFilter([.focusTracking]), ModeFilter([.flatReview]), ModeFilter([.mouseReview]),
            ModeFilter([.caretTracking, .mouseReview, .sayAll]),
        ]
        return filters.flatMap { filter in
            [FocusView(filter: filter), FocusView(filter: filter)]
                + [[.orca], [.odilia], [.keyboard], [.orca, .keyboard], [.orca, .odilia]].map {
                    FocusView(technologies: $0, filter: filter)
                }
        }
    }()

    private func history(seed: UInt64) -> [Step] {
        var random = SeededGenerator(seed: seed)
        var time: Int64 = 0
        var steps: [Step] = [
            Step(time: 0, isTimerLate: false, operation: .appear(.orca, busName: ":1.901"))
        ]
        for _ in 0..<250 {
            time += random.pick([0, 1, 3, 6, 40, 150, 250, 400])
            steps.append(Step(time: time, isTimerLate: random.chance(20), operation: operation(&random)))
        }
        return steps
    }

    private func operation(_ random: inout SeededGenerator) -> Operation {
        let id = random.pick([TechnologyID.orca, .orca, .odilia, .keyboard])
        let busName = random.pick([Places.editor, Places.editor, Places.browser])
        let window = random.pick([100, 101])
        let ancestors = random.pick([[], [5], [6], [5, 6], [6, 5]])
        let place = Places.at(
            random.pick([1, 2, 3]), inside: ancestors, window: random.chance(90) ? window : nil, on: busName,
            isInMenu: random.chance(10), isInWebDocument: random.chance(20))
        let element = Places.reference(random.pick([1, 2, 3, 5, 6, 100, 101]), on: busName)
        let modes: [Mode?] = [.focusTracking, .focusTracking, .caretTracking, .flatReview, .mouseReview, .sayAll, nil]
        switch random.next() % 100 {
        case 0..<6: return .appear(id, busName: random.pick([":1.901", ":1.902", ":1.903"]))
        case 6..<8: return .leaveBus(random.pick([":1.901", ":1.902", ":1.903", busName]))
        case 8..<40: return .signal(id, place, random.pick(modes))
        case 40..<43: return .assume(id, place)
        case 43..<51: return .activate(window, busName)
        case 51..<58: return .deactivate(window, busName)
        case 58..<64: return .gone(element)
        case 64..<66: return .applicationGone(busName)
        case 66: return .keyboardLeft
        case 67: return .busLeft
        case 68..<76: return .advance
        case 76..<81: return .restoreOldest
        case 81..<88: return .rename(Int32(random.next() % 6), element)
        case 88..<96:
            let keys = (0...Int(random.next() % 4)).map { _ in Int32(random.next() % 6) }
            return .bind(random.pick(["a", "b", "c", "d", "e"]), keys, random.pick(StatePropertyTests.views))
        default: return .unbind(random.pick(["a", "b", "c", "d", "e"]))
        }
    }

    // MARK: - Running them

    @Test("random histories keep every promise", arguments: 0..<20)
    func randomHistories(batch: Int) {
        for index in 0..<5 {
            let seed = UInt64(batch * 5 + index)
            var steps = history(seed: seed)
            guard !violations(of: steps).isEmpty else { continue }
            // What fails without a step does not need it.
            var position = steps.count - 1
            while position >= 0 {
                var fewer = steps
                fewer.remove(at: position)
                if !violations(of: fewer).isEmpty { steps = fewer }
                position = min(position, steps.count) - 1
            }
            let text = steps.map(\.description).joined(separator: "\n")
            Issue.record("seed \(seed), shortened: \(violations(of: steps))\n\(text)")
            return
        }
    }

    private func violations(of steps: [Step]) -> [String] {
        let run = StateHistoryRun()
        for step in steps {
            run.perform(step)
            if !run.desk.violations.isEmpty { break }
        }
        return run.desk.violations
    }
}

/// One history on one registry, beside the naive view of it.
private final class StateHistoryRun {
    let desk = RegistryUnderTest(technologies: [])
    private var candidates: [FocusRegistry.RestoreCandidate] = []
    private var naive = NaiveViews()
    /// For each state where the focus surely was last outside; absent where that vanished or was renamed.
    private var outside: [FocusStateID: ObjectReference] = [:]

    init() {
        desk.reportsViolations = false
        desk.states.select(0, 1)
        desk.states.select(1, 5)
        desk.states.select(2, 2, 6)
        desk.states.select(3, 100)
        desk.states.select(4, 0, on: Places.browser)
    }

    func perform(_ step: StatePropertyTests.Step) {
        if let due = desk.nextDeadline, due <= step.time, !step.isTimerLate {
            advance(to: step.time)
            check()
        }
        perform(step.operation, at: step.time)
        check()
    }

    private func advance(to time: Int64) {
        naive.watch(desk.registry)
        let (transactions, restore) = desk.advance(to: time)
        candidates += restore
        naive.advanced(to: time * 1_000, desk.registry)
        // Between two of them the focus may have been elsewhere.
        if transactions.count > 1 { outside = [:] }
    }

    private func perform(_ operation: StatePropertyTests.Operation, at time: Int64) {
        naive.watch(desk.registry)
        switch operation {
        case .appear(let id, let busName): desk.appear(id, busName: busName, version: "43.1", at: time)
        case .leaveBus(let busName):
            let id = desk.registry.technology(at: busName)
            desk.leaveBus(busName, at: time)
            if let id { naive.technologyLeft(id) }
        case .signal(let id, let place, let mode):
            let wasConnected = desk.registry.connection(of: id) != nil
            desk.signal(id, place, mode, at: time)
            naive.signalled(id, mode, wasConnected: wasConnected, desk.registry)
        case .assume(let id, let place):
            desk.assume(id, place, at: time)
            naive.concluded(id, desk.registry)
        case .activate(let window, let busName):
            desk.activate(window, on: busName, at: time)
            naive.windowActivated()
        case .deactivate(let window, let busName):
            let active = desk.registry.activeWindow
            desk.deactivate(window, on: busName, at: time)
            naive.windowDeactivated(Places.reference(window, on: busName), at: time * 1_000, activeBefore: active)
        case .gone(let element):
            desk.gone(element, at: time)
            gone { $0.lineage.contains(element) }
        case .applicationGone(let busName):
            desk.applicationGone(busName, at: time)
            naive.applicationGone(busName)
            gone { $0.element.busName == busName }
        case .keyboardLeft:
            desk.keyboardLeft(at: time)
            naive.keyboardLeft()
        case .busLeft:
            desk.busLeft(at: time)
            naive.busLeft()
            gone { _ in true }
        case .advance: advance(to: time)
        case .restoreOldest:
            guard !candidates.isEmpty else { return }
            let candidate = candidates.removeFirst()
            desk.restore(candidate, at: time)
            naive.concluded(candidate.technology, desk.registry)
        case .rename(let key, let element):
            desk.states.toggle(key, element)
            desk.rematch(at: time)
            naive.rematched(desk.states.matched)
            outside = [:]
        case .bind(let id, let keys, let view):
            desk.bind(id, keys.enumerated().map { ("value \($0.offset / 2)", $0.element) }, view)
            outside[FocusStateID(id)] = nil
            bindingsChanged()
        case .unbind(let id):
            desk.unbind(id)
            outside[FocusStateID(id)] = nil
            bindingsChanged()
        }
    }

    private func bindingsChanged() {
        naive.follow(Set(desk.states.bound.map(\.view.filter)), desk.registry)
        // A new selector: places are as they match now.
        naive.rematched(desk.states.matched)
    }

    private func gone(where isGone: (Placement) -> Bool) {
        naive.gone(desk.registry, where: isGone)
        outside = [:]
        for state in desk.states.bound {
            if let place = desk.registry.lastOutside(of: state.id), isGone(place.placement) {
                desk.violate("\(state.id.rawValue) remembers what is gone")
            }
        }
    }

    // MARK: - What must hold, beside what the desk itself sees

    private func check() {
        let registry = desk.registry
        let probes = [FocusView.aggregate, FocusView(filter: ModeFilter([.focusTracking, .sayAll]))]
        for view in desk.states.bound.map(\.view) + probes {
            let (seen, naive) = (registry.current(view), naive.current(view, registry))
            if seen?.technology != naive?.technology || seen?.position != naive?.position {
                let texts = [seen, naive].map {
                    "\($0?.technology.rawValue ?? "nobody") \($0?.position.map { "\($0)" } ?? "nowhere")"
                }
                desk.violate("\(view): \(texts[0]), should be \(texts[1])")
            }
        }
        for state in desk.states.bound {
            let id = state.id.rawValue
            let position = naive.current(state.view, registry)?.position
            if registry.value(of: state.id) != desk.states.naiveValue(state, at: position) {
                desk.violate("\(id) shows a value that nobody is on, or none where somebody is")
            }
            if let position, desk.states.isOutside(position.placement, of: state) {
                outside[state.id] = position.element
            } else if position?.element == outside[state.id] {
                // It was moved inside.
                outside[state.id] = nil
            }
            let place = registry.lastOutside(of: state.id)
            if let known = outside[state.id], place?.element != known {
                desk.violate("\(id) was last outside on \(known), not \(place.map { "\($0.element)" } ?? "nowhere")")
            }
            if let place, !desk.states.isOutside(place.placement, of: state) {
                desk.violate("\(id) takes \(place.element) for a place outside")
            }
        }
    }
}
