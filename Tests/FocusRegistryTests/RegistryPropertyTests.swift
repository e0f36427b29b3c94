import AccessibilityTree
import FocusRegistry
import Testing

/// Whatever happens in whatever order: who heard every change knows the present, and revisions only grow.
struct RegistryPropertyTests {
    private enum Operation: CustomStringConvertible {
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

        var description: String {
            switch self {
            case .appear(let id, let busName): "appear \(id.rawValue) \(busName)"
            case .leaveBus(let busName): "leaveBus \(busName)"
            case .signal(let id, let place, let mode):
                "signal \(id.rawValue) \(place.element)\(place.isInMenu ? " in menu" : "") \(mode?.rawValue ?? "-")"
            case .assume(let id, let place): "assume \(id.rawValue) \(place.element)"
            case .activate(let window, let busName): "activate \(busName) \(window)"
            case .deactivate(let window, let busName): "deactivate \(busName) \(window)"
            case .gone(let element): "gone \(element)"
            case .applicationGone(let busName): "applicationGone \(busName)"
            case .keyboardLeft: "keyboardLeft"
            case .busLeft: "busLeft"
            case .advance: "advance"
            case .restoreOldest: "restoreOldest"
            }
        }
    }

    private func randomOperation(_ random: inout SeededGenerator) -> Operation {
        let id = random.pick([TechnologyID.orca, .orca, .odilia, .keyboard])
        let busName = random.pick([Places.editor, Places.browser])
        let window = random.pick([100, 101])
        let place = Places.at(
            random.pick([1, 2, 3]), inside: random.chance(50) ? [random.pick([5, 6])] : [],
            window: random.chance(90) ? window : nil, on: busName, isInMenu: random.chance(10),
            isInWebDocument: random.chance(20))
        switch random.next() % 100 {
        case 0..<8: return .appear(id, busName: random.pick([":1.901", ":1.902", ":1.903"]))
        case 8..<11: return .leaveBus(random.pick([":1.901", ":1.902", ":1.903", busName]))
        case 11..<45:
            return .signal(
                id, place,
                random.pick([.focusTracking, .focusTracking, .caretTracking, .flatReview, .mouseReview, nil]))
        case 45..<49: return .assume(id, place)
        case 49..<60: return .activate(window, busName)
        case 60..<70: return .deactivate(window, busName)
        case 70..<77: return .gone(Places.reference(random.pick([1, 2, 3, 5, 6, 100, 101]), on: busName))
        case 77..<79: return .applicationGone(busName)
        case 79..<81: return .keyboardLeft
        case 81: return .busLeft
        case 82..<95: return .advance
        default: return .restoreOldest
        }
    }

    @Test("random histories keep every promise", arguments: 0..<20)
    func randomHistories(batch: Int) {
        for index in 0..<10 {
            let seed = UInt64(batch * 10 + index)
            var random = SeededGenerator(seed: seed)
            let desk = RegistryUnderTest(technologies: [])
            var history: [String] = []
            var candidates: [FocusRegistry.RestoreCandidate] = []
            var time: Int64 = 0
            for _ in 0..<200 {
                time += random.pick([0, 1, 3, 6, 40, 150, 250, 400])
                // The caller's timer: late at times, but never forgotten.
                if let due = desk.nextDeadline, due < time, random.chance(80) {
                    candidates += desk.advance(to: time).restore
                }
                let operation = randomOperation(&random)
                history.append("\(time) \(operation)")
                perform(operation, on: desk, at: time, &candidates)
                check(desk, at: time)
                if !desk.violations.isEmpty { break }
            }
            // Left alone, it comes to rest.
            for _ in 0..<3 {
                time += 1_000
                desk.advance(to: time)
            }
            if let due = desk.nextDeadline { desk.violate("a deadline at \(due) that nobody meets") }
            if !desk.violations.isEmpty {
                Issue.record("seed \(seed): \(desk.violations)\n\(history.joined(separator: "\n"))")
                return
            }
        }
    }

    private func perform(
        _ operation: Operation, on desk: RegistryUnderTest, at time: Int64,
        _ candidates: inout [FocusRegistry.RestoreCandidate]
    ) {
        switch operation {
        case .appear(let id, let busName): desk.appear(id, busName: busName, version: "43.1", at: time)
        case .leaveBus(let busName): desk.leaveBus(busName, at: time)
        case .signal(let id, let place, let mode): desk.signal(id, place, mode, at: time)
        case .assume(let id, let place): desk.assume(id, place, at: time)
        case .activate(let window, let busName): desk.activate(window, on: busName, at: time)
        case .deactivate(let window, let busName): desk.deactivate(window, on: busName, at: time)
        case .gone(let element): desk.gone(element, at: time)
        case .applicationGone(let busName): desk.applicationGone(busName, at: time)
        case .keyboardLeft: desk.keyboardLeft(at: time)
        case .busLeft: desk.busLeft(at: time)
        case .advance: candidates += desk.advance(to: time).restore
        case .restoreOldest: if !candidates.isEmpty { desk.restore(candidates.removeFirst(), at: time) }
        }
        // What is gone is nobody's focus.
        switch operation {
        case .gone(let element):
            for id in desk.registry.knownTechnologies + [.keyboard]
            where desk.registry.position(of: id)?.placement.lineage.contains(element) == true {
                desk.violate("\(id.rawValue) is inside what is gone")
            }
        case .applicationGone(let busName):
            for id in desk.registry.knownTechnologies + [.keyboard] where desk.element(id)?.busName == busName {
                desk.violate("\(id.rawValue) is in an application that is gone")
            }
        default: break
        }
    }

    private func check(_ desk: RegistryUnderTest, at time: Int64) {
        let registry = desk.registry
        for id in registry.knownTechnologies
        where registry.connection(of: id) == nil && registry.position(of: id) != nil {
            desk.violate("\(id.rawValue) has left the bus and is still somewhere")
        }
        let connections = registry.activeTechnologies.compactMap { registry.connection(of: $0)?.busName }
        if connections.count != registry.activeTechnologies.count {
            desk.violate("an active technology without connection")
        }
        if registry.aggregate?.position?.mode == .mouseReview { desk.violate("mouse review moved the aggregate") }
        if registry.aggregate?.technology != registry.activeTechnologies.first {
            desk.violate("the aggregate is another")
        }
        // A deadline never lies further ahead than the longest wait there is.
        if let due = registry.nextDeadline, due > (time + 250) * 1_000 { desk.violate("a deadline too far ahead") }
    }
}
