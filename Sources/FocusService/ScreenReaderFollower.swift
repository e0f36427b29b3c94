import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Turns screen readers' signals into moves of the registry, in their order, once each element's path is known.
@Loop
final class ScreenReaderFollower {
    struct Limits {
        /// Signals of one technology that wait for their elements to be read; the oldest go first.
        var maximumWaiting = 64
        /// When an object that did not exist yet is asked again: GTK 4 announces objects before they answer.
        var retryMilliseconds: [Int64] = [50, 150]
        /// UTF-8 bytes kept of a mode's name: those that are known have about twenty.
        var maximumModeBytes = 256
    }

    private struct Arrival {
        var number: UInt64
        var target: ObjectReference
        var mode: Mode?
        var region: TextRegion
        var time: Microseconds
        var path: FocusPath?
        var hasFailed = false
    }

    private unowned let desk: FocusDesk
    private let limits: Limits
    private var modes: [String: Mode] = [:]
    private var waiting: [TechnologyID: [Arrival]] = [:]
    /// The last signal of a connection that is being recognised.
    private var held: [String: (target: ObjectReference, region: TextRegion, time: Microseconds)] = [:]
    private var arrivals: UInt64 = 0

    init(desk: FocusDesk, limits: Limits = Limits()) {
        self.desk = desk
        self.limits = limits
    }

    func entered(mode: String, sender: String) {
        let isKnown = desk.registry.technology(at: sender) != nil
        guard isKnown || !desk.recogniser.isRefused(sender) else { return desk.tally.count(.foreignSignals) }
        modes[sender] = Mode(rawValue: PlainText.cut(mode, maximumBytes: limits.maximumModeBytes))
        if !isKnown { desk.recognise(sender) }
    }

    func reached(_ target: ObjectReference, start: Int, end: Int, sender: String, at time: Microseconds) {
        let region = TextRegion(start: start, end: end)
        guard let id = desk.registry.technology(at: sender) else {
            return hold(sender, target, region, time)
        }
        let mode = modes[sender]
        let path = desk.loader.known(target)
        // How much is typed into a password is not to be counted.
        if path?.hidesText != true || desk.toldPosition(of: id, on: target, mode) == nil { desk.tally.count(.signals) }
        if target.busName == desk.bus.uniqueName { return desk.technologyOnOwnAccessible(id) }
        // The usual case, without a detour: the path is known and nothing waits before it.
        if waiting[id] == nil, let path {
            desk.technologyMoved(id, path, mode: mode, region: region, at: time, isFromMemory: true)
            return
        }
        enqueue(id, Arrival(number: 0, target: target, mode: mode, region: region, time: time))
    }

    private func hold(_ sender: String, _ target: ObjectReference, _ region: TextRegion, _ time: Microseconds) {
        guard !desk.recogniser.isRefused(sender) else { return strange(sender) }
        held[sender] = (target, region, time)
        desk.recognise(sender)
    }

    /// A connection was recognised, or refused: what it said meanwhile counts, or does not.
    func recognised(_ sender: String) {
        let last = held.removeValue(forKey: sender)
        guard desk.registry.technology(at: sender) != nil else {
            // What it said meanwhile was not for it to say.
            if modes.removeValue(forKey: sender) != nil { strange(sender) }
            if last != nil { strange(sender) }
            return
        }
        guard let last else { return }
        reached(last.target, start: last.region.start, end: last.region.end, sender: sender, at: last.time)
    }

    /// It speaks as a screen reader, and is none, or one whose place is taken.
    private func strange(_ sender: String) {
        desk.tally.count(.foreignSignals)
        if desk.rivals[sender] == nil { desk.note(.strangeScreenReader, by: sender) }
    }

    func forget(_ sender: String, _ id: TechnologyID?) {
        modes[sender] = nil
        held[sender] = nil
        if let id { waiting[id] = nil }
    }

    /// The bus is gone: other connections have the same names on the next.
    func forgetAll() {
        modes = [:]
        held = [:]
        waiting = [:]
    }

    /// An application left the bus: what was still to be read of it is nowhere, whatever becomes of the questions.
    func applicationLeft(_ busName: String) {
        for (id, arrivals) in waiting where arrivals.contains(where: { $0.target.busName == busName }) {
            for index in arrivals.indices where arrivals[index].target.busName == busName {
                waiting[id]?[index].path = nil
                waiting[id]?[index].hasFailed = true
            }
            flush(id, completed: busName)
        }
    }

    // MARK: - Waiting for paths

    private func enqueue(_ id: TechnologyID, _ arrival: Arrival) {
        arrivals += 1
        var arrival = arrival
        arrival.number = arrivals
        waiting[id, default: []].append(arrival)
        if let count = waiting[id]?.count, count > limits.maximumWaiting {
            waiting[id]?.removeFirst()
            desk.tally.count(.overtakenSignals)
        }
        read(id, arrival, attempt: 0)
    }

    private func read(_ id: TechnologyID, _ arrival: Arrival, attempt: Int) {
        desk.loader.load(arrival.target) { [weak self] result in
            guard let self, let index = self.waiting[id]?.firstIndex(where: { $0.number == arrival.number }) else {
                return
            }
            switch result {
            case .success(let path): self.waiting[id]?[index].path = path
            case .failure(.unknownObject), .failure(.notSupported), .failure(.refused):
                guard attempt < self.limits.retryMilliseconds.count else {
                    self.waiting[id]?[index].hasFailed = true
                    break
                }
                return self.retry(id, arrival, attempt)
            case .failure(.notResponding), .failure(.malformed):
                // The technology is there all the same, on an element that will not say what it is.
                self.desk.tally.count(.unreadableElements)
                self.waiting[id]?[index].path = self.desk.loader.insertUnreadable(arrival.target)
            case .failure(.noSuchName), .failure(.disconnected):
                self.waiting[id]?[index].hasFailed = true
            }
            self.flush(id, completed: arrival.target.busName)
            // ORDER: only where a technology is by now is looked at again.
            if case .failure(.notResponding) = result { self.desk.unreadable.add(arrival.target) }
        }
    }

    private func retry(_ id: TechnologyID, _ arrival: Arrival, _ attempt: Int) {
        Loop.task { [weak self] in
            await Loop.pause(milliseconds: self?.limits.retryMilliseconds[attempt] ?? 0)
            self?.read(id, arrival, attempt: attempt + 1)
        }
    }

    /// Settles what is ready, in order. Nobody waits for another application's answer: who is slower is overtaken.
    private func flush(_ id: TechnologyID, completed busName: String) {
        while let head = waiting[id]?.first {
            if let path = head.path {
                waiting[id]?.removeFirst()
                desk.technologyMoved(
                    id, path, mode: head.mode, region: head.region, at: head.time, isFromMemory: false)
            } else if head.hasFailed {
                waiting[id]?.removeFirst()
                desk.technologyOnDeadElement(id, mode: head.mode, at: head.time)
            } else if head.target.busName != busName {
                guard waiting[id]?.contains(where: { $0.path != nil }) == true else { return }
                waiting[id]?.removeFirst()
                desk.tally.count(.overtakenSignals)
            } else {
                return
            }
        }
        waiting[id] = nil
    }
}
