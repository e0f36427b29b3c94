import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Elements that a technology is on and whose application does not answer: read as soon as it goes on.
///
/// One question stays with each such application; its answer comes when the application goes on, and nobody asks again
/// and again meanwhile.
@Loop
final class UnreadableElements {
    private static let questionMilliseconds: Int32 = 60_000
    /// Until such a question is asked again, where even that long was not enough, or it could not be asked.
    private static let restMilliseconds: Int64 = 2_000
    /// Elements of one application that are kept for it.
    private static let maximumElements = 64

    private unowned let desk: FocusDesk
    private var elements: [String: [ObjectReference]] = [:]

    init(desk: FocusDesk) {
        self.desk = desk
    }

    func add(_ element: ObjectReference) {
        let isAsked = elements[element.busName] != nil
        var waiting = elements[element.busName, default: []].filter { $0 != element }
        waiting.append(element)
        elements[element.busName] = waiting.suffix(UnreadableElements.maximumElements)
        if !isAsked { ask(element.busName) }
    }

    func forget(_ busName: String) { elements[busName] = nil }

    func forgetAll() { elements = [:] }

    private func ask(_ busName: String) {
        // Only where a technology is now matters.
        guard let element = elements[busName]?.last(where: isFocused), let connection = desk.bus.live else {
            elements[busName] = nil
            return
        }
        connection.readStates(element, milliseconds: UnreadableElements.questionMilliseconds) { [weak self] result in
            guard let self, self.elements[busName] != nil else { return }
            if case .failure(.notResponding) = result { return self.askLater(busName) }
            self.read(busName)
        }
    }

    private func askLater(_ busName: String) {
        Loop.task { [weak self] in
            await Loop.pause(milliseconds: UnreadableElements.restMilliseconds)
            guard let self, self.elements[busName] != nil else { return }
            self.ask(busName)
        }
    }

    private func read(_ busName: String) {
        for element in elements.removeValue(forKey: busName) ?? [] where isFocused(element) {
            desk.loader.loadAfresh(element) { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let path): self.desk.wasRead(path)
                case .failure(.notResponding): if self.isFocused(element) { self.add(element) }
                case .failure: break
                }
            }
        }
    }

    private func isFocused(_ element: ObjectReference) -> Bool {
        desk.registry.knownTechnologies.contains { desk.registry.position(of: $0)?.element == element }
    }
}
