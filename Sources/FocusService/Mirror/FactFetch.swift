import ATSPI
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

    /// Characters read of a text: as much as is kept of a name.
    static let maximumTextCharacters = 4_096

    private let all: [Needs]
    private var texts: [ObjectReference: String] = [:]
    private var awaited = 1
    private var completion: (@Loop ([ObjectReference: String]) -> Void)?

    init(_ all: [Needs]) {
        self.all = all
    }

    /// The completion gets the texts; the rest is in the trees.
    func begin(_ completion: @escaping @Loop ([ObjectReference: String]) -> Void) {
        self.completion = completion
        for needs in all {
            for need in needs.needs { ask(need, needs.mirror) }
        }
        done()
    }

    private func ask(_ need: Need, _ mirror: ApplicationMirror) {
        awaited += 1
        switch need {
        case .id(let slot):
            let path = mirror.tree.path(of: slot)
            mirror.questions.readID(path) { result in
                self.store(result, path, mirror, otherwise: "") { $0.setID($1, of: $2) }
            }
        case .attributes(let slot):
            let path = mirror.tree.path(of: slot)
            mirror.questions.readAttributes(path) { result in
                self.store(result, path, mirror, otherwise: [:]) { $0.setAttributes($1, of: $2) }
            }
        case .text(let slot):
            let reference = mirror.tree.reference(of: slot)
            mirror.questions.readText(reference.path, maximumCharacters: FactFetch.maximumTextCharacters) {
                if case .failure(.notResponding) = $0 {} else { mirror.answered() }
                self.texts[reference] =
                    switch $0 {
                    case .success(let text): text
                    case .failure: ""
                    }
                self.done()
            }
        }
    }

    /// What an object cannot tell it does not have; what nobody answered stays unknown.
    private func store<Value>(
        _ result: Result<Value, CallFailure>, _ path: String, _ mirror: ApplicationMirror, otherwise none: Value,
        _ set: (inout ApplicationTree, Value, ApplicationTree.Slot) -> Void
    ) {
        if let slot = mirror.tree.slot(at: path) {
            switch result {
            case .success(let value):
                mirror.answered()
                set(&mirror.tree, value, slot)
            case .failure(.notResponding), .failure(.disconnected), .failure(.noSuchName): break
            case .failure: set(&mirror.tree, none, slot)
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
