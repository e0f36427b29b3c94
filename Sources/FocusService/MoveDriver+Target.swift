import ATSPI
import AccessibilityTree
import EventLoop
import FocusRegistry

/// Looks at a target before technologies are moved there.
extension MoveDriver {
    /// Looks at targets of one application at a time: with more of them it would have more to answer than it may have.
    private static let looksAtOnce = 3

    /// What a look found, and what the target said when it was asked again at its end, where it was.
    typealias Look = (report: TargetReport, again: TargetReport?)

    /// The looks of one application's targets.
    struct Looks {
        fileprivate var underWay = 0
        fileprivate var waiting: [(move: Int, begin: @Loop () -> Void)] = []
    }

    /// All that decides whether and how it can be moved to, read afresh (S7, S8).
    func check(_ target: ObjectReference, forMove move: Int, _ completion: @escaping @Loop (Look) -> Void) {
        let application = target.busName
        let begin: @Loop () -> Void = { [weak self] in
            self?.look(at: target) { look in
                self?.lookEnded(application)
                completion(look)
            }
        }
        guard looks[application, default: Looks()].underWay < MoveDriver.looksAtOnce else {
            looks[application]?.waiting.append((move, begin))
            return
        }
        looks[application, default: Looks()].underWay += 1
        begin()
    }

    /// A move has ended: where its look has not begun, nobody needs it, and others have their turn sooner.
    func dropLook(at target: ObjectReference, ofMove move: Int) {
        looks[target.busName]?.waiting.removeAll { $0.move == move }
    }

    private func lookEnded(_ application: String) {
        guard var look = looks[application] else { return }
        guard !look.waiting.isEmpty else {
            look.underWay -= 1
            looks[application] = look.underWay > 0 ? look : nil
            return
        }
        let next = look.waiting.removeFirst()
        looks[application] = look
        next.begin()
    }

    private func look(at target: ObjectReference, _ completion: @escaping @Loop (Look) -> Void) {
        guard let known = desk.loader.known(target), known.reachesTop else { return lookAfresh(at: target, completion) }
        // Its path is as it was where every parent still lists what is below it: then the states are all that is news.
        var looked: Result<FocusPath, CallFailure>??
        var unlisted: Set<ObjectReference>??
        var again: TargetReport?
        let conclude: @Loop () -> Void = { [weak self] in
            guard let self, let looked, let unlisted, let again else { return }
            if case .failure(let failure)? = looked { return completion((MoveDriver.report(failure), nil)) }
            guard let unlisted else { return completion((.applicationNotResponding, nil)) }
            guard case .success(let path)? = looked, unlisted.isEmpty, !path.isDefunct,
                path.nodes.map(\.reference) == known.nodes.map(\.reference)
            else { return self.lookAfresh(at: target, completion) }
            self.desk.applicationAnswered(target.busName)
            let visibility = path.visibility()
            guard visibility != .hidden else { return completion((.hidden, nil)) }
            completion(
                (.present(MoveDriver.target(path, states: path.element.states, visibility: visibility)), again))
        }
        desk.loader.refreshStates(along: known) {
            looked = .some($0)
            conclude()
        }
        findUnlisted(known) {
            unlisted = .some($0)
            conclude()
        }
        // ORDER: after all others, so that its answer is the last: the next thing that is done needs no more asking.
        recheck(target) {
            again = $0
            conclude()
        }
    }

    private func lookAfresh(at target: ObjectReference, _ completion: @escaping @Loop (Look) -> Void) {
        desk.loader.loadAfresh(target) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let failure): completion((MoveDriver.report(failure), nil))
            case .success(let path):
                self.desk.applicationAnswered(target.busName)
                guard !path.isDefunct else { return completion((.defunct, nil)) }
                self.findUnlisted(path) { unlisted in
                    guard let unlisted else { return completion((.applicationNotResponding, nil)) }
                    let visibility = path.visibility(unlisted: unlisted)
                    guard visibility != .hidden else { return completion((.hidden, nil)) }
                    let found = MoveDriver.target(path, states: path.element.states, visibility: visibility)
                    completion((.present(found), nil))
                }
            }
        }
    }

    /// The nodes of a path that their parents do not list; nil where a parent does not answer.
    func findUnlisted(
        _ path: FocusPath, _ completion: @escaping @Loop (Set<ObjectReference>?) -> Void
    ) {
        guard let connection = desk.bus.live else { return completion(nil) }
        let places = path.nodes.indices.dropLast().filter {
            !path.nodes[$0 + 1].states.contains(.managesDescendants)
        }
        let listing = Listing(count: places.count, completion)
        let tree = desk.desktop.application(path.application.busName)?.mirror?.tree
        for place in places {
            let (node, parent) = (path.nodes[place].reference, path.nodes[place + 1].reference)
            // GTK 4.8 puts an object between a stack and its pages that the stack does not list, but what is below it.
            let below = path.nodes[..<place].map(\.reference)
            func list() {
                connection.readChildren(parent) { listing.took(node, below: below, $0) }
            }
            if let tree, let slot = tree.slot(at: parent.path), tree.isRead(slot),
                tree.children(of: slot).count <= MoveDriver.maximumListedChildren
            {
                list()
                continue
            }
            connection.readChildCount(parent) { count in
                switch count {
                case .failure(.notResponding): listing.took(node, below: [], .failure(.notResponding))
                // A parent with too many children to list is taken at its word.
                case .success(let count) where count > MoveDriver.maximumListedChildren:
                    listing.took(node, below: [], .success([node]))
                case .success, .failure: list()
                }
            }
        }
    }
}

/// Lists of children as they come in.
@Loop
private final class Listing {
    private var unlisted: Set<ObjectReference> = []
    private var awaited: Int
    private var isUnanswered = false
    private let completion: @Loop (Set<ObjectReference>?) -> Void

    init(count: Int, _ completion: @escaping @Loop (Set<ObjectReference>?) -> Void) {
        awaited = count
        self.completion = completion
        if count == 0 { completion([]) }
    }

    /// A list of children in which a node should be, or one that is `below` it.
    func took(
        _ node: ObjectReference, below: [ObjectReference], _ result: Result<[ObjectReference], CallFailure>
    ) {
        switch result {
        case .success(let children):
            if !children.contains(where: { $0 == node || below.contains($0) }) { unlisted.insert(node) }
        case .failure(.notResponding): isUnanswered = true
        // A parent that cannot list its children says nothing about them.
        case .failure: break
        }
        awaited -= 1
        if awaited == 0 { completion(isUnanswered ? nil : unlisted) }
    }
}
