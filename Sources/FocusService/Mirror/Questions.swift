import ATSPI
import AccessibilityTree
import EventLoop

/// What is asked of one application for its mirror, by path, as many at a time as it may have to answer.
@Loop
struct Questions {
    private let queue: CallQueue
    private let busName: String

    init(_ connection: BusConnection, busName: String, limits: CallQueue.Limits) {
        queue = CallQueue(connection, limits: limits)
        self.busName = busName
    }

    /// Forgets all of them: no completion is called any more.
    func cancelAll() { queue.cancelAll() }

    /// What a node says of itself, without its parent and its children.
    func readItem(_ path: String, _ completion: @escaping @Loop (Result<TreeItem, CallFailure>) -> Void) {
        let reference = reference(path)
        queue.ask(calls: ItemFields.below.calls, { $0.readItem(reference, asking: .below, $1) }, completion: completion)
    }

    /// Its role, states and name: what some change without a word.
    func readMoving(
        _ path: String, countsChildren: Bool, _ completion: @escaping @Loop (Result<TreeItem, CallFailure>) -> Void
    ) {
        let reference = reference(path)
        let fields: ItemFields = countsChildren ? [.role, .states, .name, .childCount] : [.role, .states, .name]
        queue.ask(calls: fields.calls, { $0.readItem(reference, asking: fields, $1) }, completion: completion)
    }

    func readChildren(
        _ path: String, _ completion: @escaping @Loop (Result<[ObjectReference], CallFailure>) -> Void
    ) {
        let reference = reference(path)
        queue.ask({ $0.readChildren(reference, $1) }, completion: completion)
    }

    /// The child at a place, of an object that has that many.
    func readChild(
        _ path: String, at place: Int, _ completion: @escaping @Loop (Result<ObjectReference?, CallFailure>) -> Void
    ) {
        let reference = reference(path)
        queue.ask({ $0.readChild(of: reference, at: place, $1) }, completion: completion)
    }

    func readID(_ path: String, _ completion: @escaping @Loop (Result<String, CallFailure>) -> Void) {
        let reference = reference(path)
        queue.ask({ $0.readID(reference, $1) }, completion: completion)
    }

    func readAttributes(
        _ path: String, _ completion: @escaping @Loop (Result<[String: String], CallFailure>) -> Void
    ) {
        let reference = reference(path)
        queue.ask({ $0.readAttributes(reference, $1) }, completion: completion)
    }

    func readExtents(_ path: String, _ completion: @escaping @Loop (Result<Extents, CallFailure>) -> Void) {
        let reference = reference(path)
        queue.ask({ $0.readExtents(reference, $1) }, completion: completion)
    }

    func readText(
        _ path: String, maximumCharacters: Int,
        _ completion: @escaping @Loop (Result<TextContent, CallFailure>) -> Void
    ) {
        let reference = reference(path)
        queue.ask(
            { $0.readTextContent(reference, maximumCharacters: maximumCharacters, $1) }, completion: completion)
    }

    private func reference(_ path: String) -> ObjectReference { ObjectReference(busName: busName, path: path) }
}
