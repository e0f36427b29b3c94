import AccessibilityTree
import EventLoop
import FocusRegistry

/// Keeps where each assistive technology was last beyond the end of the process, and knows what the run before kept.
@Loop
final class PlaceKeeper {
    private var file: KeptFile?
    /// What the run before left, as it was.
    private let left: LastPlaces?
    /// Whose place was asked for: it is told only once.
    private var taken: Set<TechnologyID> = []
    /// Of whom it is known whether the place counts: until then it is written on, should this run end before.
    private var settled: Set<TechnologyID> = []

    init(_ file: KeptFile? = nil) {
        self.file = file
        left = file.flatMap { LastPlaces($0.contents) }
    }

    /// Another file from now on, as the folder of the old one is gone.
    func move(to file: KeptFile?, _ registry: FocusRegistry, onBus bus: String?) {
        self.file = file
        write(registry, bus)
    }

    /// Writes down what a transaction changed, once it is told.
    func remember(_ transaction: Transaction, of registry: FocusRegistry, onBus bus: String?) {
        guard file != nil, transaction.changesTechnologies || transaction.changes.contains(where: { !$0.isUpdateOnly })
        else { return }
        write(registry, bus)
    }

    private func write(_ registry: FocusRegistry, _ bus: String?) {
        guard let file, let bus = bus ?? left?.bus else { return }
        var places = registry.lastPlaces
        var keyboard = registry.position(of: .keyboard)?.element
        if let left, left.bus == bus {
            places += left.places.filter { waiting in
                !settled.contains(waiting.technology) && !places.contains { $0.technology == waiting.technology }
            }
            // Who has not moved since is in the order of then, however far it has come with each of them.
            func rank(_ place: LastPlace) -> Int {
                guard !registry.hasMoved(place.technology) else { return -1 }
                return left.places.firstIndex { $0.technology == place.technology } ?? left.places.count
            }
            places.sort { rank($0) < rank($1) }
            keyboard = keyboard ?? left.keyboard
        }
        let isWritten = file.write(LastPlaces(bus: bus, places: places, keyboard: keyboard).encoded)
        // What was written before is true no more.
        if !isWritten { file.write(LastPlaces.nothing) }
    }

    /// Where a technology was in the run before, if this is the same connection of it on the same bus; only once.
    ///
    /// `precedence` is the greater, the later it moved; `keyboard` is where typed keys went then. The taker tells with
    /// ``settle(_:)`` when it knows whether the place counts.
    func take(
        _ id: TechnologyID, at busName: String, onBus bus: String?
    ) -> (place: LastPlace, precedence: Int, keyboard: ObjectReference?)? {
        guard let left, left.bus == bus, let index = left.places.firstIndex(where: { $0.technology == id }),
            taken.insert(id).inserted
        else { return nil }
        let place = left.places[index]
        guard place.busName == busName else {
            settle(id)
            return nil
        }
        return (place, left.places.count - index, left.keyboard)
    }

    /// A place that was taken counts by now, or does not count any more: what the registry knows is the truth.
    func settle(_ id: TechnologyID) { settled.insert(id) }
}
