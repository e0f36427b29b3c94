import AccessibilityTree
import EventLoop
import Selectors

/// Asks applications for what a selector needs to know and no cache tells: ids, attributes, text.
@Loop
final class FactFetch {
    struct Needs {
        let mirror: ApplicationMirror
        let needs: [Need]
    }

    private let all: [Needs]
    private var texts: [ObjectReference: String] = [:]
    private var awaited = 1
    private var completion: (@Loop ([ObjectReference: String]) -> Void)?

    init(_ all: [Needs]) {
        self.all = all
    }

    /// The completion gets the texts; the rest is in the trees. What was not answered is in neither.
    func begin(_ completion: @escaping @Loop ([ObjectReference: String]) -> Void) {
        self.completion = completion
        for needs in all {
            for need in needs.needs where needs.mirror.tree.contains(need.slot) {
                let reference = needs.mirror.tree.reference(of: need.slot)
                awaited += 1
                needs.mirror.facts.ask(need) { text in
                    if let text { self.texts[reference] = text }
                    self.done()
                }
            }
        }
        done()
    }

    private func done() {
        awaited -= 1
        guard awaited == 0 else { return }
        for needs in all { needs.mirror.publish() }
        let completion = completion
        self.completion = nil
        completion?(texts)
    }
}
