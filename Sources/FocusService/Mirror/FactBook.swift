import ATSPI
import AccessibilityTree
import EventLoop
import Selectors

/// What an application is being asked of its objects that no cache tells. Two who need the same share one question.
@Loop
final class FactBook {
    private enum Question: Hashable {
        case id(String)
        case attributes(String)
        case text(String)
    }

    /// Characters read of a text: as much as is kept of a name.
    static let maximumTextCharacters = 4_096

    private unowned let mirror: ApplicationMirror
    private var waiting: [Question: [@Loop (_ text: String?) -> Void]] = [:]

    init(_ mirror: ApplicationMirror) {
        self.mirror = mirror
    }

    /// Nobody will be answered: the questions were cancelled.
    func cancelAll() {
        let all = waiting
        waiting = [:]
        for completions in all.values {
            for completion in completions { completion(nil) }
        }
    }

    /// Asks for one thing, unless that is being asked. The completion comes when it is in the tree, with a text where
    /// one was asked for.
    func ask(_ need: Need, _ completion: @escaping @Loop (_ text: String?) -> Void) {
        // One that does not answer is asked only whether it is back.
        guard mirror.life != .unresponsive, mirror.life != .gone else { return completion(nil) }
        let path = mirror.tree.path(of: need.slot)
        let question: Question =
            switch need {
            case .id: .id(path)
            case .attributes: .attributes(path)
            case .text: .text(path)
            }
        let isAsked = waiting[question] != nil
        waiting[question, default: []].append(completion)
        guard !isAsked else { return }
        switch need {
        case .id: askID(path, question)
        case .attributes:
            mirror.questions.readAttributes(path) {
                self.took($0, question, path, otherwise: [:]) { $0.setAttributes($1, of: $2) }
            }
        case .text:
            mirror.questions.readText(path, maximumCharacters: FactBook.maximumTextCharacters) { result in
                switch result {
                case .success(.text(let text)): self.finish(question, text)
                case .success(.secret(let role)):
                    // From now on no selector is told its text.
                    if let slot = self.mirror.tree.slot(at: path) { self.mirror.tree.setRole(role, of: slot) }
                    self.finish(question, "")
                case .failure(.notResponding): self.finish(question, nil)
                case .failure: self.finish(question, "")
                }
            }
        }
    }

    private func askID(_ path: String, _ question: Question) {
        mirror.questions.readID(path) { result in
            let isEmpty: Bool =
                switch result {
                case .success(let id): id.isEmpty
                case .failure(let failure): failure != .notResponding
                }
            guard isEmpty, self.mirror.tree.keepsIDsInAttributes else {
                return self.took(result, question, path, otherwise: "") { $0.setID($1, of: $2) }
            }
            self.mirror.questions.readAttributes(path) { attributes in
                self.took(attributes, question, path, otherwise: [:]) {
                    $0.setAttributes($1, of: $2)
                    $0.setID($1["id"] ?? "", of: $2)
                }
            }
        }
    }

    /// What an object cannot tell it does not have; what nobody answered stays unknown.
    private func took<Value>(
        _ result: Result<Value, CallFailure>, _ question: Question, _ path: String, otherwise none: Value,
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
        finish(question, nil)
    }

    private func finish(_ question: Question, _ text: String?) {
        for completion in waiting.removeValue(forKey: question) ?? [] { completion(text) }
    }
}
