import ATSPI
import AccessibilityTree
import EventLoop

/// A tree and what asks its application for what is missing in it: while it is read first, and as events change it.
///
/// An answer is as old as the moment it was given, and an event as the moment it was sent, and both come in that order:
/// so both are applied as they come. Only what is put together of several answers is read again if an event came between.
@Loop
final class TreeReader {
    var tree: ApplicationTree
    private let questions: Questions
    private let limits: MirrorLimits
    /// Nodes that are being asked what they are; true where an event about one came meanwhile.
    private var reading: [String: Bool] = [:]
    /// Nodes that are being asked for their children; true where they must be asked again.
    private var listing: [String: Bool] = [:]
    /// The same of those that are being asked for their id.
    private var readingIDs: [String: Bool] = [:]
    /// Nodes to be asked what they are when others have answered, from ``nextDue`` on. A question takes more room than
    /// the node: thousands that wait would leave the memory between the nodes full of holes.
    private var due: [ApplicationTree.Slot] = []
    private var nextDue = 0
    /// How many are asked what they are at a time: more than are under way, so that none waits for the next.
    private static let readAtOnce = 64
    private var retries: [String: Int] = [:]
    private var retryTimers: [String: LoopTimer] = [:]
    /// Nodes whose list should name a new object soon.
    private var unsettled: Set<String> = []
    private var settling: LoopTimer?
    private var mustSettle = false
    /// What events were about since the last ``takeTouched()``, by path.
    private var touched: Set<String> = []
    /// Objects that manage their descendants and were asked once how many those are.
    private var countless: Set<String> = []
    /// With how many it is looked for such as are gone.
    private var mostCountless = 64
    private var isStopped = false

    /// The one whose place it takes, while it is read: names that both have are kept once, and stay where they are.
    weak var older: TreeReader?
    /// How many nodes the tree may have now.
    var room: (@Loop () -> Int)?
    /// The last question was answered.
    var onIdle: (@Loop () -> Void)?
    /// Something changed that no event brought.
    var onChange: (@Loop () -> Void)?
    /// The application answered something.
    var onAnswer: (@Loop () -> Void)?

    init(_ tree: ApplicationTree, questions: Questions, limits: MirrorLimits) {
        self.tree = tree
        self.questions = questions
        self.limits = limits
    }

    var isBusy: Bool {
        !reading.isEmpty || !readingIDs.isEmpty || !listing.isEmpty || !due.isEmpty || !retryTimers.isEmpty
            || settling != nil
    }

    /// Asks and changes nothing any more.
    func stop() {
        isStopped = true
        readingIDs = [:]
        retryTimers = [:]
        settling = nil
        due = []
        nextDue = 0
        onIdle = nil
    }

    /// To be called before nodes are added.
    func takeRoom() {
        if let room { tree.limits.maximumNodes = room() }
    }

    func takeTouched() -> Set<String> {
        defer { touched = [] }
        return touched
    }

    /// An item with the name that is kept of it already, if that is the same.
    func sharing(_ item: TreeItem) -> TreeItem {
        guard let older, let slot = older.tree.slot(at: item.path) else { return item }
        let name = older.tree.name(of: slot)
        guard name.utf8.elementsEqual(item.name.utf8) else { return item }
        var shared = item
        shared.name = name
        return shared
    }

    // MARK: - Reading all of it

    /// Asks for everything below the roots that is not known. `uncertain` are nodes whose list may be wrong.
    func readMissing(uncertain: [ApplicationTree.Slot] = []) {
        for slot in uncertain where tree.contains(slot) { list(slot) }
        readMissing(below: tree.roots)
        if !isBusy { onIdle?() }
    }

    /// Asks for what is not known of these nodes and of all that hangs below them.
    private func readMissing(below tops: [ApplicationTree.Slot]) {
        var waiting = tops
        while let slot = waiting.popLast() {
            guard tree.isRead(slot) else {
                readOnce(slot)
                continue
            }
            waiting += tree.children(of: slot).filter { tree.parent(of: $0) == slot }
            listIfNeeded(slot)
        }
    }

    /// Asks for a node's children where it has some that are not known.
    private func listIfNeeded(_ slot: ApplicationTree.Slot) {
        if tree.states(of: slot).contains(.managesDescendants), tree.statedChildCount(of: slot) == nil,
            !countless.contains(tree.path(of: slot))
        {
            // How many there are is all that is told of those.
            forgetCountless()
            countless.insert(tree.path(of: slot))
            return read(slot)
        }
        guard !tree.isListed(slot), tree.statedChildCount(of: slot) != 0,
            !tree.states(of: slot).contains(.managesDescendants)
        else { return }
        list(slot)
    }

    /// Forgets those that are gone, now and then.
    private func forgetCountless() {
        guard countless.count >= mostCountless else { return }
        countless = countless.filter { tree.slot(at: $0) != nil }
        mostCountless = max(64, countless.count * 2)
    }

    /// Asks a node what it is; its children too where they are not known.
    func read(_ slot: ApplicationTree.Slot) {
        let path = tree.path(of: slot)
        guard reading[path] == nil, !isStopped else {
            reading[path] = true
            return
        }
        reading[path] = false
        questions.readItem(path) { [weak self] in self?.took($0, of: path) }
    }

    private func took(_ result: Result<TreeItem, CallFailure>, of path: String) {
        guard !isStopped, let mustReadAgain = reading.removeValue(forKey: path) else { return }
        if let slot = tree.slot(at: path) {
            switch result {
            case .success(let item):
                onAnswer?()
                retries[path] = nil
                tree.update(slot, sharing(item))
                if mustReadAgain { read(slot) }
                listIfNeeded(slot)
            case .failure(let failure): failed(failure, slot, path)
            }
        } else {
            retries[path] = nil
        }
        settle()
    }

    private func failed(_ failure: CallFailure, _ slot: ApplicationTree.Slot, _ path: String) {
        switch failure {
        case .unknownObject, .notSupported, .refused, .malformed, .notResponding:
            let count = retries[path, default: 0]
            guard count < limits.maximumRetries else {
                // It stays in its parent's list, as one that does not say what it is.
                retries[path] = nil
                return
            }
            retries[path] = count + 1
            retryTimers[path] = LoopTimer(milliseconds: limits.retryMilliseconds) { [weak self] in
                guard let self else { return }
                self.retryTimers[path] = nil
                if let slot = self.tree.slot(at: path) { self.readOrList(slot) } else { self.retries[path] = nil }
                self.settle()
            }
        case .noSuchName, .disconnected: break
        }
    }

    private func readOrList(_ slot: ApplicationTree.Slot) {
        if tree.isRead(slot) { list(slot) } else { read(slot) }
    }

    /// Asks a node for its children.
    func list(_ slot: ApplicationTree.Slot) {
        let path = tree.path(of: slot)
        guard listing[path] == nil, !isStopped else {
            listing[path] = true
            return
        }
        listing[path] = false
        questions.readChildren(path) { [weak self] in self?.took($0, childrenOf: path) }
    }

    private func took(_ result: Result<[ObjectReference], CallFailure>, childrenOf path: String) {
        guard !isStopped, let mustListAgain = listing.removeValue(forKey: path) else { return }
        if let slot = tree.slot(at: path) {
            switch result {
            case .success(let references):
                onAnswer?()
                retries[path] = nil
                setChildren(of: slot, references)
                if mustListAgain { list(slot) }
            case .failure(let failure): failed(failure, slot, path)
            }
        } else {
            retries[path] = nil
        }
        settle()
    }

    /// Takes a list of children, and asks for those that are unknown. True where it was another.
    @discardableResult
    func setChildren(of slot: ApplicationTree.Slot, _ references: [ObjectReference]) -> Bool {
        let own = references.lazy.filter { $0.busName == self.tree.busName }.map(\.path)
        let paths = Array(own)
        tree.oddities.foreignChildren += references.count - paths.count
        // Such as a cache told of before anybody listed them may list some that it left out.
        let strangers = tree.unattachedCount > 0 ? paths.compactMap { tree.slot(at: $0) }.filter(isStranger) : []
        takeRoom()
        let isNews = tree.setChildren(of: slot, paths)
        for child in tree.children(of: slot) where tree.parent(of: child) == slot {
            if tree.isRead(child) { listIfNeeded(child) } else { readOnce(child) }
        }
        readMissing(below: strangers.filter { tree.contains($0) && tree.parent(of: $0) == slot })
        return isNews
    }

    /// Whether a node is known and nobody has listed it so far.
    private func isStranger(_ slot: ApplicationTree.Slot) -> Bool {
        tree.isRead(slot) && tree.parent(of: slot) == nil && !tree.isRoot(slot)
    }

    /// Asks a node that never said what it is, unless it is being asked or was asked in vain.
    private func readOnce(_ slot: ApplicationTree.Slot) {
        let path = tree.path(of: slot)
        guard reading[path] == nil, retryTimers[path] == nil else { return }
        if reading.count < TreeReader.readAtOnce { read(slot) } else { due.append(slot) }
    }

    /// Asks those that had to wait, as many as there is room for. What is gone or was read meanwhile is passed over.
    private func readDue() {
        while nextDue < due.count, reading.count < TreeReader.readAtOnce {
            let slot = due[nextDue]
            nextDue += 1
            if tree.contains(slot), !tree.isRead(slot) { readOnce(slot) }
        }
        guard nextDue == due.count else { return }
        due.removeAll()
        nextDue = 0
    }

    private func settle() {
        if !due.isEmpty { readDue() }
        onChange?()
        if !isBusy { onIdle?() }
    }

    // MARK: - Events

    func apply(_ event: TreeEvent) {
        switch event {
        case .childAdded(let parent, _, _) where isManaging(parent),
            .childRemoved(let parent, _) where isManaging(parent),
            .childrenChanged(let parent) where isManaging(parent):
            // Its children are not kept; how many there are is.
            if let slot = tree.slot(at: parent) { read(slot) }
        case .childAdded(let parent, let child, let index):
            touched.insert(parent)
            takeRoom()
            let isStranger = tree.slot(at: child).map(isStranger) ?? false
            // A list that is being asked for may be older than this.
            for question in tree.childAdded(to: parent, at: index, child) { ask(question) }
            if isStranger, let slot = tree.slot(at: child), tree.parent(of: slot) != nil { readMissing(below: [slot]) }
            if listing[parent] != nil { listing[parent] = true }
        case .childRemoved(let parent, let child):
            touched.insert(parent)
            tree.childRemoved(from: parent, child)
        case .childrenChanged(let parent):
            touched.insert(parent)
            if let slot = tree.slot(at: parent) { list(slot) }
        case .stateChanged(let path, let state, let isOn):
            guard let slot = tree.slot(at: path) else { return }
            touch(path)
            if state == .defunct, isOn {
                guard !tree.isRoot(slot) else { return }
                return tree.remove(slot)
            }
            tree.setState(state, isOn, of: slot)
            if state == .managesDescendants { listIfNeeded(slot) }
        case .nameChanged(let path, let name):
            guard let slot = tree.slot(at: path) else { return }
            touch(path)
            if let name { tree.setName(name, of: slot) } else { read(slot) }
        case .roleChanged(let path, let role):
            touch(path)
            guard let slot = tree.slot(at: path) else { return }
            if let role { tree.setRole(role, of: slot) } else { read(slot) }
        case .descriptionChanged(let path, let description):
            touch(path)
            guard let slot = tree.slot(at: path) else { return }
            if let description { tree.setDescription(description, of: slot) } else { read(slot) }
        case .parentChanged(let path):
            // What counts is who lists it: both will say so, or the next look finds out.
            touch(path)
        case .attributesChanged(let path):
            readFacts(path)
        case .itemAdded(let item): itemAdded(item)
        case .itemRemoved(let path):
            guard let slot = tree.slot(at: path), !tree.isRoot(slot) else { return }
            if let parent = tree.parent(of: slot) { touched.insert(tree.path(of: parent)) }
            tree.remove(slot)
        case .windowsChanged: settleRoots()
        }
    }

    /// An element has other attributes, or another id. The id that was known counts until the answer is there: whoever
    /// looks for it would think otherwise that the element has none.
    private func readFacts(_ path: String) {
        guard let slot = tree.slot(at: path) else { return }
        guard tree.id(of: slot) != nil, !tree.keepsIDsInAttributes else { return tree.forgetFacts(of: slot) }
        tree.setAttributes(nil, of: slot)
        guard readingIDs[path] == nil, !isStopped else {
            readingIDs[path] = true
            return
        }
        readingIDs[path] = false
        questions.readID(path) { [weak self] result in
            guard let self, !self.isStopped, let mustReadAgain = self.readingIDs.removeValue(forKey: path) else {
                return
            }
            if case .success(let id) = result, let slot = self.tree.slot(at: path), self.tree.id(of: slot) != nil {
                self.tree.setID(id, of: slot)
                self.onChange?()
            }
            if mustReadAgain { self.readFacts(path) }
            if !self.isBusy { self.onIdle?() }
        }
    }

    /// The list of an application's windows is read a moment later: what came must be ready, what goes must be gone.
    private func settleRoots() {
        unsettled.formUnion(tree.roots.map { tree.path(of: $0) })
        mustSettle = true
        settleLater()
    }

    private func isManaging(_ path: String) -> Bool {
        tree.slot(at: path).map { tree.states(of: $0).contains(.managesDescendants) } ?? false
    }

    private func touch(_ path: String) {
        touched.insert(path)
        if reading[path] != nil { reading[path] = true }
    }

    private func itemAdded(_ item: TreeItem) {
        touch(item.path)
        takeRoom()
        guard let parent = tree.itemAdded(item) else {
            if let slot = tree.slot(at: item.path), tree.parent(of: slot) != nil { readMissing(below: [slot]) }
            return
        }
        // Its parent will say that it has it. If not soon, it is asked.
        unsettled.insert(tree.path(of: parent))
        settleLater()
    }

    private func settleLater() {
        guard settling == nil else { return }
        settling = LoopTimer(milliseconds: limits.settleMilliseconds) { [weak self] in
            guard let self else { return }
            self.settling = nil
            let paths = self.unsettled
            self.unsettled = []
            if self.tree.unattachedCount > 0 || self.mustSettle {
                for path in paths { self.tree.slot(at: path).map { self.list($0) } }
            }
            self.mustSettle = false
            self.settle()
        }
    }

    private func ask(_ question: ApplicationTree.Question) {
        switch question {
        case .item(let slot): read(slot)
        case .children(let slot): list(slot)
        }
    }
}
