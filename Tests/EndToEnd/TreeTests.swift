import AccessibilityFocus
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// The tree that focusd tells of is the one that the applications show, in every toolkit.
@Suite(
    .serialized,
    .enabled(
        if: Requirements.hasToolkits, "needs GTK, Qt, Firefox and a private process-id namespace: run `make test`"))
struct TreeTests {
    /// Each changes the tree; what it makes, another takes away.
    private static let commands = [
        "add Grown", "check Grown check", "check Check", "rename Second=Renamed", "hide Hidden", "page 1",
        "insert Inserted", "show Hidden", "remove Inserted", "page 2", "remove Grown",
    ]

    @Test(
        "the tree equals a plain walk, node by node, before and after each change",
        arguments: TestWindow.Toolkit.allCases)
    func equalsPlainWalk(toolkit: TestWindow.Toolkit) throws {
        let scene = try TreeScene(toolkit)
        var walked = try scene.waitUntilEqual("before any change")
        for command in Self.commands {
            try scene.window.tell(command)
            walked = try scene.waitUntilEqual("after ‘\(command)’", unlike: walked)
        }
    }

    @Test("what `focusctl tree` prints is that tree", arguments: TestWindow.Toolkit.allCases)
    func commandPrintsIt(toolkit: TestWindow.Toolkit) throws {
        let scene = try TreeScene(toolkit)
        let before = try scene.waitUntilEqual("before any change", by: scene.printed)
        try scene.window.tell("add Grown")
        _ = try scene.waitUntilEqual("after ‘add Grown’", unlike: before, by: scene.printed)
    }

    @Test("a window that came while nobody looked is told of whole", arguments: TestWindow.Toolkit.allCases)
    func changedBeforeAsked(toolkit: TestWindow.Toolkit) throws {
        let scene = try TreeScene(toolkit)
        for command in Self.commands.prefix(7) { try scene.window.tell(command) }
        _ = try scene.waitUntilEqual("when first asked for")
    }
}

/// A private desktop with focusd and one window, whose tree is both walked and told.
private final class TreeScene {
    let desktop: PrivateDesktop
    let focusd: FocusdProcess
    let window: TestWindow

    /// Far more than the tenfold of what focusd usually needs to see a change.
    private static let patience = Duration.seconds(60)

    init(_ toolkit: TestWindow.Toolkit) throws {
        desktop = try PrivateDesktop()
        focusd = try FocusdProcess(environment: desktop.environment)
        window = try TestWindow(toolkit, changes: true, on: desktop)
    }

    /// Walks the window and asks for its tree again and again until they are equal, and unlike what it was before.
    ///
    /// A window changes by itself too, as when its caret blinks or it gets the focus: then neither is wrong, and both
    /// are taken anew. What was walked is returned.
    func waitUntilEqual(
        _ moment: String, unlike before: [Node]? = nil, by told: (() throws -> [Node])? = nil
    ) throws -> [Node] {
        let client = try Client(desktop.runtimeFolder)
        let deadline = ContinuousClock.now + Self.patience
        var difference: String?
        repeat {
            let walked = try PlainWalk.run(on: desktop, application: window.application)
            let nodes = try told?() ?? answered(by: client)
            difference = TreeDifference.first(walked: walked, told: nodes)
            if difference == nil, walked != before {
                print("\(window.application) \(moment): \(walked.count) nodes")
                return walked
            }
        } while ContinuousClock.now < deadline
        throw Missing(
            what: "\(window.application) \(moment): \(difference ?? "the window has not changed its tree")")
    }

    /// The tree as `focusctl tree` prints it.
    func printed() throws -> [Node] {
        let tool = try ChildProcess(
            Places.product("focusctl"), ["tree", "--json", "--timeout", "60s", selector],
            environment: desktop.environment)
        let lines = try tool.output.untilEnd(within: 90)
        guard try tool.wait() == 0 else { throw Missing(what: "focusctl tree failed", seen: tool.errors.all) }
        return try lines.map { try JSONDecoder().decode(Node.self, from: Data($0.utf8)) }
    }

    private var selector: String { "application[name=\"\(window.application)\"]" }

    /// The tree as it is answered. An application that is still being read is no error: it is asked for again.
    private func answered(by client: Client) throws -> [Node] { try client.tree(of: selector).nodes }
}
