import FocusProtocol

/// One state of this process: what is bound to it, what focusd calls it now, and what is asked of it.
///
/// It decides nothing that needs a connection. It belongs to the engine's thread.
final class BoundState {
    /// What focusd has of the state.
    struct Bound {
        let name: String
        /// The elements it was bound with.
        let elements: [AttachedElement]

        func has(_ value: String) -> Bool { elements.contains { $0.value == value } }
    }

    /// Why a selector cannot be read.
    struct Fault {
        let position: Int
        let expected: String
    }

    /// Sets that may be on their way at once: each replaces the one before, and focusd counts those of a process.
    static let maximumSetsUnderWay = 16

    let id: FocusStateID
    let technologies: [String]?
    private let deliver: @Sendable (WireChange) -> Void

    private(set) var elements: [AttachedElement] = []
    private var faults: [String: Fault] = [:]
    /// Whether the elements are others than those that focusd has.
    var isChanged = false
    /// Whether an answer of focusd's to a Bind is waited for.
    var isBinding = false
    var bound: Bound?
    /// Why focusd refused what is bound now.
    var refusal: FocusRefusal?
    /// Sets that wait until the state is bound.
    var waiting: [SetRequest] = []
    /// Sets that wait for their outcome, by focusd's name of the state.
    private var sent: [String: Int] = [:]
    /// The set that was sent last, and focusd's name of the state that it went to.
    private var lastSent: (number: Int, name: String)?
    private var setCount = 0
    /// What focusd had of the state before, and keeps until its sets are answered.
    private var retiring: Set<String> = []
    private(set) var last = WireChange(value: nil, assumed: false, cause: "initial", revision: nil, element: nil)

    init(id: FocusStateID, technologies: [String]?, deliver: @escaping @Sendable (WireChange) -> Void) {
        self.id = id
        self.technologies = technologies
        self.deliver = deliver
    }

    // MARK: - Elements

    func attach(_ element: AttachedElement) {
        elements.append(element)
        isChanged = true
    }

    /// Whether it was attached.
    func detach(_ id: AttachmentID) -> Bool {
        guard let index = elements.firstIndex(where: { $0.id == id }) else { return false }
        elements.remove(at: index)
        isChanged = true
        return true
    }

    func foundFault(_ fault: Fault, in selector: String) { faults[selector] = fault }

    /// The elements whose selectors are not known to be wrong.
    var usable: [AttachedElement] { elements.filter { faults[$0.element.selector] == nil } }

    /// Whether focusd has exactly these.
    func has(_ elements: [AttachedElement]) -> Bool {
        bound.map { $0.elements.map(\.id) == elements.map(\.id) } ?? false
    }

    /// As focusd takes them, each once.
    static func prototypes(of elements: [AttachedElement]) -> [Prototype] {
        var prototypes: [Prototype] = []
        for attached in elements {
            let known = prototypes.firstIndex {
                $0.value == attached.value && $0.selector == attached.element.selector
            }
            let moves = attached.element.move == nil ? nil : true
            if let known {
                prototypes[known].moves = prototypes[known].moves ?? moves
            } else {
                prototypes.append(
                    Prototype(value: attached.value, selector: attached.element.selector, moves: moves))
            }
        }
        return prototypes
    }

    // MARK: - Values

    func changed(_ change: StateChange) {
        tell(
            WireChange(
                value: change.value, assumed: change.assumed, cause: change.cause, revision: change.revision,
                element: change.element))
    }

    /// The value is none, for a reason that focusd does not know.
    func lost(_ cause: String) {
        guard last.value != nil || last.assumed else { return }
        tell(WireChange(value: nil, assumed: false, cause: cause, revision: nil, element: nil))
    }

    private func tell(_ change: WireChange) {
        last = change
        deliver(change)
    }

    // MARK: - Sets

    /// Keeps a set until the state is bound. Gives the set back that is given up for it.
    func wait(_ request: SetRequest) -> SetRequest? {
        setCount += 1
        var request = request
        request.number = setCount
        waiting.append(request)
        guard waiting.count > AccessibilityFocusLimits.waitingSets else { return nil }
        // Of assignments the later ones count.
        let index = waiting.firstIndex { $0.completion == nil } ?? waiting.index(before: waiting.endIndex)
        return waiting.remove(at: index)
    }

    /// Why a set cannot be sent to what is bound now; nil where it can.
    func objection(to request: SetRequest) -> FocusClientError? {
        guard let bound else { return refusal.map { .refused($0) } ?? faultError(request.value) ?? .nothingBound }
        guard let value = request.value, !bound.has(value) else { return nil }
        if let error = faultError(value) { return error }
        guard elements.contains(where: { $0.value == value }), let refusal else { return .nothingBound }
        return .refused(refusal)
    }

    private func faultError(_ value: String?) -> FocusClientError? {
        guard let value else { return nil }
        let fault = elements.lazy.filter { $0.value == value }.compactMap { self.faults[$0.element.selector] }.first
        return fault.map { .refused(.invalidSelector(position: $0.position, expected: $0.expected)) }
    }

    /// Sets that wait for their outcome.
    var setsUnderWay: Int { sent.values.reduce(0, +) }

    func sent(_ request: SetRequest, to name: String) {
        sent[name, default: 0] += 1
        lastSent = (request.number, name)
    }

    /// Keeps a set for a second attempt, since what it was sent to is no more, in its place among the others.
    ///
    /// False where it comes too late for that: a newer one has gone to what is bound in its place.
    func waitAgain(_ request: SetRequest, sentTo name: String) -> Bool {
        if let lastSent, lastSent.name != name, lastSent.number > request.number { return false }
        var second = request
        second.isSecondAttempt = true
        waiting.insert(second, at: waiting.firstIndex { $0.number > second.number } ?? waiting.endIndex)
        return true
    }

    /// A set was answered. Tells whether focusd's state of this name is needed no more.
    func answered(by name: String) -> Bool {
        let left = (sent[name] ?? 1) - 1
        sent[name] = left > 0 ? left : nil
        return left <= 0 && retiring.remove(name) != nil
    }

    /// Another state of focusd's takes the place of this one. Tells whether it is needed no more.
    func retire(_ name: String) -> Bool {
        guard sent[name] != nil else { return true }
        retiring.insert(name)
        return false
    }

    /// The states of before, which a newer set makes needless.
    func takeRetiring() -> Set<String> {
        defer { retiring = [] }
        return retiring
    }

    /// The connection is gone, and with it all that focusd had.
    func connectionLost() {
        bound = nil
        isBinding = false
        refusal = nil
        sent = [:]
        lastSent = nil
        retiring = []
        isChanged = !elements.isEmpty
    }
}
