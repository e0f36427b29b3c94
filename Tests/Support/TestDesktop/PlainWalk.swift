import FocusProtocol
import Foundation

/// What an application's accessibles say when each is asked plainly, one after the other, and nothing is kept.
package enum PlainWalk {
    /// The accessibles of an application, which is named or given by its bus name, in the order of the tree.
    ///
    /// focusd has no part in it. `focusedBy` is empty, and the only marks are of what is not walked below.
    package static func run(on desktop: PrivateDesktop, application: String) throws -> [Node] {
        let tool = try ChildProcess(
            Places.window("walk-accessibles"), [application], environment: desktop.environment)
        let lines = try tool.output.untilEnd(within: 120)
        guard try tool.wait() == 0, !lines.isEmpty else {
            throw Missing(what: "no walk of \(application)", seen: tool.errors.all)
        }
        return try lines.map { try JSONDecoder().decode(Node.self, from: Data($0.utf8)) }
    }
}
