import AccessibilityTree
import EventLoop
import FocusRegistry

/// Keeps where each assistive technology was last beyond the end of the process, and knows what the run before kept.
@Loop
final class PlaceKeeper {
    private var file: KeptFile?
    /// What the run before left and nobody took yet.
    private var left: LastPlaces?

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
        // What waits to be taken is not lost should this run end before.
        if let left, left.bus == bus {
            places += left.places.filter { place in !places.contains { $0.technology == place.technology } }
        }
        let keyboard = registry.position(of: .keyboard)?.element ?? (left?.bus == bus ? left?.keyboard : nil)
        file.write(LastPlaces(bus: bus, places: places, keyboard: keyboard).encoded)
    }

    /// Where a technology was in the run before, if this is the same connection of it on the same bus; only once.
    ///
    /// `precedence` is the greater, the later it moved; `keyboard` is where typed keys went then.
    func take(
        _ id: TechnologyID, at busName: String, onBus bus: String?
    ) -> (place: LastPlace, precedence: Int, keyboard: ObjectReference?)? {
        guard let left, left.bus == bus, let index = left.places.firstIndex(where: { $0.technology == id }) else {
            return nil
        }
        let place = left.places[index]
        self.left?.places.remove(at: index)
        guard place.busName == busName else { return nil }
        return (place, left.places.count - index, left.keyboard)
    }
}
