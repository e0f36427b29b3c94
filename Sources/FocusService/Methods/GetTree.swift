import AccessibilityTree
import EventLoop
import FocusProtocol
import Selectors
import Varlink

extension FocusServer {
    /// Nodes in one reply without `more`, and in one part with it.
    private static let wholeNodes = 1_000
    private static let partNodes = 200

    /// The tree below the one element that a selector matches, or of all applications.
    static func getTree(_ call: ServedCall) throws {
        let parameters = call.hasParameters ? try call.parameters(of: GetTree.self) : GetTree.Parameters()
        let depth = parameters.depth ?? Int.max
        guard depth >= 0 else { throw VarlinkError.invalidParameter(parameter: "depth") }
        let selector = try parameters.selector.map { try call.selector($0) }
        let charge = try call.client.account.charge(.searches)
        let search = SelectorSearch(
            selector, desk: call.desk, ownPID: Int(call.client.pid), limit: selector == nil ? Int.max : 1,
            deadline: call.desk.now + call.server.limits.searchMicroseconds
        ) { result in
            if selector != nil {
                guard result.total > 0 else {
                    charge.end()
                    return call.client.fail(call.id, FocusError.ElementNotFound(reason: result.reasonOfNothing))
                }
                guard result.total == 1 else {
                    charge.end()
                    return call.client.fail(call.id, FocusError.AmbiguousSelector(count: result.total))
                }
            }
            send(result, depth: depth, call, charge)
        }
        call.client.whenCancelled(call.id) {
            search.cancel()
            charge.end()
        }
        search.begin()
    }

    /// The charge ends when all was sent or nobody wants the rest: until then the trees are held as they are now.
    private static func send(
        _ result: SelectorSearch.Result, depth: Int, _ call: ServedCall, _ charge: ClientCharge
    ) {
        var starts: [(renderer: MirrorRenderer, slots: [ApplicationTree.Slot])] = []
        for found in result.elements {
            guard let tree = found.application.mirror?.tree else { continue }
            starts.append((MirrorRenderer(found.application, tree), [found.slot]))
        }
        var listing = TreeListing(starts, maximumDepth: depth, focusedBy: call.desk.focusedBy())
        guard call.wantsMore else {
            let nodes = listing.next(wholeNodes)
            charge.end()
            return call.reply(
                GetTree.Reply(nodes: nodes, complete: listing.isAtEnd && result.isComplete, stale: result.stale))
        }
        var isGone = false
        call.client.whenCancelled(call.id) {
            isGone = true
            charge.end()
        }
        Loop.task {
            var instance: String? = call.server.instance
            while !isGone {
                let nodes = listing.next(partNodes)
                guard !listing.isAtEnd else {
                    charge.end()
                    return call.reply(
                        GetTree.Reply(
                            nodes: nodes, complete: result.isComplete, stale: result.stale, instance: instance))
                }
                call.reply(GetTree.Reply(nodes: nodes, complete: false, instance: instance), continues: true)
                instance = nil
                await call.client.waitForRoom()
            }
        }
    }
}

extension SelectorSearch.Result {
    /// Why nothing was found, in the protocol's words.
    var reasonOfNothing: String {
        if !hasApplication { return "noSuchApplication" }
        if stale.contains(where: { $0.reason == "loading" }) { return "stillLoading" }
        if stale.contains(where: { $0.reason == "notResponding" }) { return "applicationNotResponding" }
        return "noMatch"
    }
}
