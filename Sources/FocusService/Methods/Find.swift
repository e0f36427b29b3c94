import ATSPI
import AccessibilityTree
import EventLoop
import FocusProtocol
import Selectors
import Varlink

extension FocusServer {
    private static let defaultLimit = 100
    private static let limit = 1...10_000
    private static let knownFields = [Find.Field.attributes, Find.Field.extents, Find.Field.selector]

    /// The elements that a selector matches now. An application that does not answer is named and not waited for.
    static func find(_ call: ServedCall) throws {
        let parameters = try call.parameters(of: Find.self)
        let startedAt = SystemClock.monotonicNanoseconds
        let selector = try call.selector(parameters.selector)
        let limit = parameters.limit ?? defaultLimit
        guard Self.limit.contains(limit) else { throw VarlinkError.invalidParameter(parameter: "limit") }
        let fields = Set(parameters.fields ?? [])
        guard fields.isSubset(of: knownFields) else { throw VarlinkError.invalidParameter(parameter: "fields") }
        let charge = try call.client.account.charge(.searches)
        // Counted once, whether it is answered or its client goes while what it found is rendered.
        var isOver = false
        var fetch: FactFetch?
        let search = SelectorSearch(
            selector, desk: call.desk, ownPID: Int(call.client.pid), limit: limit,
            deadline: call.desk.now + call.server.limits.searchMicroseconds
        ) { result in
            // From the selector's text to what it matches; nothing was asked if this comes in the same turn.
            call.desk.tally.count(.searches)
            call.desk.tally.count(.searchNanoseconds, by: Int(SystemClock.monotonicNanoseconds - startedAt))
            fetch = ElementFields(result, fields: fields, desk: call.desk).render {
                !isOver
            } completion: { elements in
                guard !isOver else { return }
                isOver = true
                charge.end()
                call.replyWhatFits(elements) {
                    Find.Reply(
                        elements: $0, complete: result.isComplete && result.total <= $0.count, stale: result.stale)
                }
            }
        }
        call.client.whenCancelled(call.id) {
            search.cancel()
            fetch?.cancel()
            guard !isOver else { return }
            isOver = true
            charge.end()
        }
        search.begin()
    }
}

/// Elements of a search with what a client wants beside what the mirror holds.
@Loop
struct ElementFields {
    /// By path: until all is rendered, a slot may have become another node's.
    private let found: [(application: DesktopApplication, path: String)]
    private let fields: Set<String>
    private let desk: FocusDesk

    init(_ result: SelectorSearch.Result, fields: Set<String>, desk: FocusDesk) {
        found = result.elements.compactMap { one in
            one.application.mirror.map { (one.application, $0.tree.path(of: one.slot)) }
        }
        self.fields = fields
        self.desk = desk
    }

    /// How long writing selectors may hold up everybody else at a time, and how long it may take in all.
    private static let sliceMicroseconds: Int64 = 5_000
    private static let writingMicroseconds: Int64 = 3_000_000

    /// `isWanted` where somebody still waits for them. Returns what is asked for their sake first.
    func render(
        while isWanted: @escaping @Loop () -> Bool, completion: @escaping @Loop ([Element]) -> Void
    ) -> FactFetch? {
        guard fields.contains(Find.Field.selector) else {
            renderKnown([:], completion)
            return nil
        }
        // An id is only worth something where it is known that nothing else has the same.
        var needs: [ObjectIdentifier: FactFetch.Needs] = [:]
        for (application, _) in found {
            guard let mirror = application.mirror, needs[ObjectIdentifier(mirror)] == nil else { continue }
            let unasked = mirror.tree.allSlots.filter { mirror.tree.isRead($0) && mirror.tree.id(of: $0) == nil }
            needs[ObjectIdentifier(mirror)] = FactFetch.Needs(mirror: mirror, needs: unasked.map { .id($0) })
        }
        let fetch = FactFetch(Array(needs.values))
        fetch.begin { _ in
            writeSelectors(while: isWanted) { renderKnown($0, completion) }
        }
        return fetch
    }

    /// The selectors by the elements' numbers: each may take as long as a search, so that others go between.
    private func writeSelectors(
        while isWanted: @escaping @Loop () -> Bool, _ completion: @escaping @Loop ([Int: String]) -> Void
    ) {
        Loop.task {
            var written: [Int: String] = [:]
            let begin = SystemClock.monotonicMicroseconds
            var sliceBegin = begin
            for (index, (application, path)) in found.enumerated() {
                let now = SystemClock.monotonicMicroseconds
                guard isWanted(), now - begin < ElementFields.writingMicroseconds else { break }
                if now - sliceBegin > ElementFields.sliceMicroseconds {
                    await Loop.pause(milliseconds: 0)
                    sliceBegin = SystemClock.monotonicMicroseconds
                }
                if let slot = application.mirror?.tree.slot(at: path) {
                    written[index] = desk.selector(for: slot, in: application)
                }
            }
            completion(written)
        }
    }

    private func renderKnown(_ selectors: [Int: String], _ completion: @escaping @Loop ([Element]) -> Void) {
        // What is gone by now is not among them.
        var elements: [Element] = []
        var living: [(mirror: ApplicationMirror, path: String, hasBox: Bool, isConcealed: Bool)] = []
        for (index, (application, path)) in found.enumerated() {
            guard let mirror = application.mirror, let slot = mirror.tree.slot(at: path) else { continue }
            var element = MirrorRenderer(application, mirror.tree).element(of: slot)
            element.selector = selectors[index]
            elements.append(element)
            let hasBox = mirror.tree.interfaces(of: slot).contains(.component)
            living.append((mirror, path, hasBox, mirror.tree.isConcealed(slot)))
        }
        guard fields.contains(Find.Field.attributes) || fields.contains(Find.Field.extents) else {
            return completion(elements)
        }
        let filling = Filling(elements, completion)
        // The attributes of a piece of a password tell what it says, its box how long it is.
        for (index, one) in living.enumerated() where !one.isConcealed {
            fill(filling, index, one.mirror, one.path, hasBox: one.hasBox)
        }
        filling.done()
    }

    private func fill(
        _ filling: Filling, _ index: Int, _ mirror: ApplicationMirror, _ path: String, hasBox: Bool
    ) {
        if fields.contains(Find.Field.attributes) {
            filling.awaited += 1
            mirror.questions.readAttributes(path) { result in
                if case .success(let attributes) = result { filling.elements[index].attributes = attributes }
                filling.done()
            }
        }
        if fields.contains(Find.Field.extents), hasBox {
            filling.awaited += 1
            mirror.questions.readExtents(path) { result in
                if case .success(let box) = result {
                    filling.elements[index].extents = Extents(
                        x: box.x, y: box.y, width: box.width, height: box.height)
                }
                filling.done()
            }
        }
    }

    @Loop
    private final class Filling {
        var elements: [Element]
        var awaited = 1
        private let completion: @Loop ([Element]) -> Void

        init(_ elements: [Element], _ completion: @escaping @Loop ([Element]) -> Void) {
            self.elements = elements
            self.completion = completion
        }

        func done() {
            awaited -= 1
            if awaited == 0 { completion(elements) }
        }
    }
}

extension ServedCall {
    /// A selector from a client; what cannot be read is told with its place.
    func selector(_ text: String) throws -> Selector {
        do throws(SelectorError) {
            return try Selector(parsing: text)
        } catch {
            throw FocusError.InvalidSelector(position: error.position, expected: error.expected)
        }
    }

    /// That a limit was met, counted and noted, and what its client is told.
    func exceeded(_ limit: SingleLimit) -> FocusError.LimitExceeded { exceeded(limit.rawValue) }

    func exceeded(_ limit: String) -> FocusError.LimitExceeded {
        server.ledger.count(limit, by: client.pid)
        return FocusError.LimitExceeded(limit: limit)
    }
}
