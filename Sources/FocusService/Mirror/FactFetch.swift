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

    /// Questions under way at a time: more would only wait in a queue, and take memory there.
    private static let maximumUnderWay = 512

    private let all: [Needs]
    private var left: [(mirror: ApplicationMirror, path: String, need: Need)] = []
    private var texts: [ObjectReference: String] = [:]
    private var underWay = 0
    private var isAsking = false
    private var completion: (@Loop ([ObjectReference: String]) -> Void)?

    init(_ all: [Needs]) {
        self.all = all
    }

    /// The completion gets the texts; the rest is in the trees. What was not answered is in neither.
    func begin(_ completion: @escaping @Loop ([ObjectReference: String]) -> Void) {
        self.completion = completion
        for needs in all.reversed() {
            let tree = needs.mirror.tree
            for need in needs.needs.reversed() where tree.contains(need.slot) {
                left.append((needs.mirror, tree.path(of: need.slot), need))
            }
        }
        askMore()
    }

    /// Nobody wants it any more: nothing further is asked, and the completion is not called.
    func cancel() {
        left = []
        completion = nil
    }

    private func askMore() {
        // An answer that is there at once comes from inside the loop below.
        guard !isAsking else { return }
        isAsking = true
        while underWay < FactFetch.maximumUnderWay, let (mirror, path, need) = left.popLast() {
            // What has gone meanwhile needs no answer; its slot may be another's.
            guard let slot = mirror.tree.slot(at: path) else { continue }
            underWay += 1
            mirror.facts.ask(need.moved(to: slot)) { text in
                if let text { self.texts[ObjectReference(busName: mirror.busName, path: path)] = text }
                self.underWay -= 1
                self.askMore()
            }
        }
        isAsking = false
        guard underWay == 0, left.isEmpty, let completion else { return }
        self.completion = nil
        for needs in all { needs.mirror.publish() }
        completion(texts)
    }
}

extension Need {
    fileprivate func moved(to slot: ApplicationTree.Slot) -> Need {
        switch self {
        case .id: .id(slot)
        case .attributes: .attributes(slot)
        case .text: .text(slot)
        }
    }
}
