import ATSPI
import AccessibilityTree
import EventLoop
import Selectors

/// Looks up the children that a selector names by their place in objects that make them when they are asked for.
///
/// A spreadsheet has millions of cells and lists none: `table > table-cell:nth-child(7)` names one, and that is asked for.
@Loop
final class MadeChildren {
    /// Questions of this kind for one search.
    private static let maximumQuestions = 64

    private let places: [NamedPlace]
    private var awaited = 1
    private var completion: (@Loop () -> Void)?

    /// Nil where the selector names none.
    init?(of selector: Selector) {
        places = selector.namedPlaces
        if places.isEmpty { return nil }
    }

    /// Asks, hangs what it learns into the trees, and calls the completion.
    func look(
        in mirrors: [ApplicationMirror], _ context: (ApplicationMirror) -> MatchContext,
        _ completion: @escaping @Loop () -> Void
    ) {
        self.completion = completion
        var left = MadeChildren.maximumQuestions
        for mirror in mirrors where mirror.life == .live {
            for place in places {
                let parents = place.parent.matches(in: mirror.tree, context(mirror)).matches
                for parent in parents where left > 0 && isAskable(parent, place.place, mirror.tree) {
                    left -= 1
                    ask(mirror, mirror.tree.path(of: parent), place.place)
                }
            }
        }
        done()
    }

    /// Nothing beyond the number of children is asked for: some toolkits crash.
    private func isAskable(_ slot: ApplicationTree.Slot, _ place: Int, _ tree: ApplicationTree) -> Bool {
        guard tree.states(of: slot).contains(.managesDescendants), let count = tree.statedChildCount(of: slot) else {
            return false
        }
        return place < count
    }

    private func ask(_ mirror: ApplicationMirror, _ parent: String, _ place: Int) {
        awaited += 1
        mirror.questions.readChild(parent, at: place) { result in
            guard case .success(let child?) = result, child.busName == mirror.busName else { return self.done() }
            mirror.questions.readItem(child.path) { result in
                if case .success(let item) = result, let slot = mirror.tree.slot(at: parent) {
                    _ = mirror.tree.insertMade(item, below: slot, at: place)
                    mirror.publish()
                }
                self.done()
            }
        }
    }

    private func done() {
        awaited -= 1
        guard awaited == 0 else { return }
        let completion = completion
        self.completion = nil
        completion?()
    }
}
