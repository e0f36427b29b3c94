import AccessibilityTree
import Selectors

/// Reads any bytes as a selector; what can be read must read back as the same, and be answered about a small tree.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSelector(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do throws(SelectorError) {
        let selector = try Selector(parsing: text)
        let written = selector.description
        let again: Selector
        do throws(SelectorError) {
            again = try Selector(parsing: written, limits: roomy)
        } catch {
            fatalError("\(written) cannot be read: \(error)")
        }
        precondition(again == selector, "\(written) is read as another selector")
        var context = MatchContext(ownPID: 1)
        context.budget = 100_000
        let result = selector.matches(in: tree, context)
        precondition(result.total == result.matches.count, "what is counted is there")
        var query = LiveQuery(selector)
        query.update([], in: tree, context)
        precondition(query.isBudgetExceeded || query.matches(in: tree) == result.matches, "it is live")
        if selector.isDecidedByPath { check(selector) }
        _ = selector.admits(ApplicationFacts(name: "app", pid: 1, toolkit: "gtk"), ownPID: 1)
    } catch {
        precondition((0...text.utf8.count).contains(error.position), "the place is in the text")
    }
    return 0
}

/// Of a path the index must say what matching says of the tree it is in.
private func check(_ selector: Selector) {
    var index = SelectorIndex<Int>()
    index.insert(selector, ownPID: 1, as: 0)
    let findings = index.findings(in: path) { _ in false }
    var context = MatchContext(ownPID: 1)
    context.budget = 100_000
    if selector.matches(in: tree, context).isBudgetExceeded || !findings.givenUp.isEmpty { return }
    let matcher = SelectorMatcher(selector)
    let answers = path.nodes.map { node in
        tree.slot(at: node.reference.path).map { matcher.answer($0, in: tree, context) }
    }
    precondition(findings.matches.first?.depth == answers.firstIndex(of: .yes), "a path is a part of the tree")
    index.remove(0)
    precondition(index.isEmpty && index.bucketCount == 0, "nothing is left behind")
}

/// Written out, escapes take more room.
private let roomy: SelectorLimits = {
    var limits = SelectorLimits()
    limits.maximumBytes *= 16
    return limits
}()

private let path: FocusPath = {
    var nodes: [Node] = []
    var next = tree.slot(at: "/0/1/2/0")
    while let slot = next {
        nodes.append(
            Node(
                reference: tree.reference(of: slot), role: tree.role(of: slot), name: tree.name(of: slot),
                id: tree.id(of: slot) ?? "", states: tree.states(of: slot)))
        next = tree.parent(of: slot)
    }
    return FocusPath(nodes: nodes, application: tree.application, reachesTop: true)
}()

private let tree: ApplicationTree = {
    var tree = ApplicationTree(busName: ":1.1")
    tree.application = ApplicationNode(busName: ":1.1", name: "app", toolkit: "gtk", pid: 1)
    let states = StateSet(.visible, .showing)
    let roles: [Role] = [.frame, .panel, .label, .pushButton, .list, .entry, .passwordText]
    _ = tree.insertRoot("/0")
    var paths = ["/0"]
    for number in 0..<40 {
        let path = paths[number]
        let below = number < 13 ? (0..<3).map { "\(path)/\($0)" } : []
        paths += below
        let role = number == 0 ? Role.application : roles[number % roles.count]
        tree.take(
            TreeItem(
                path: path, children: below, role: role, name: number == 0 ? "app" : "a \(number % 5)", states: states))
        guard let slot = tree.slot(at: path) else { continue }
        tree.setID(number % 3 == 0 ? "a" : "", of: slot)
        if number % 2 == 0 { tree.setAttributes(["tag": "a"], of: slot) }
    }
    return tree
}()
