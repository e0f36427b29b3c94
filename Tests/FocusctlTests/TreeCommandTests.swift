import FocusProtocol
import Foundation
import Testing

@Suite struct TreeCommandTests {
    static func node(
        _ role: String, _ name: String, depth: Int, states: [String] = ["sensitive", "visible"], children: Int? = 0,
        focusedBy: [String] = [], marks: [String] = [], id: String? = nil
    ) -> Node {
        Node(
            busName: ":1.5", path: "/a/\(depth)", role: role, name: name, id: id, states: states, interfaces: [],
            depth: depth, index: 0, children: children, focusedBy: focusedBy, marks: marks)
    }

    static let nodes = [
        node("application", "gedit", depth: 0, states: []),
        node("frame", "Draft", depth: 1, states: ["active", "enabled", "visible"]),
        node("push-button", "Save", depth: 2, states: ["sensitive", "visible"], focusedBy: ["orca"], id: "save"),
        node(
            "check-box", "Wrap", depth: 2, states: ["checked", "focused", "visible"], focusedBy: ["orca", "keyboard"]),
        node("panel", "", depth: 2, states: ["sensitive"]),
        node("table", "", depth: 2, children: 1200, marks: [Node.Mark.managesDescendants]),
        node("tree", "Files", depth: 2, children: 1, marks: [Node.Mark.depthCut, Node.Mark.nameCut]),
        node("list", "", depth: 2, children: nil, marks: [Node.Mark.childrenCut, Node.Mark.unlisted]),
        node("unknown", "", depth: 3, states: [], marks: [Node.Mark.unread, Node.Mark.cycle, "new\nmark"]),
    ]

    static let lines = #"""
        application "gedit"
          frame "Draft" active
            push-button#save "Save" ◀ orca
            check-box "Wrap" ◀ orca ◁ keyboard checked, disabled
            panel hidden
            table (1200 children, made when needed, not listed)
            tree "Files" (1 child below, not shown; its name is longer)
            list (children, more than are kept; its parent does not list it)
              unknown (did not say what it is; stands elsewhere already; new\a mark)

        """#

    /// A service whose tree comes in these parts.
    private func desktop(_ parts: [[Node]], complete: Bool = true, stale: [StaleApplication] = []) throws -> Desktop {
        var steps: [ScriptedService.Step] = []
        for (number, nodes) in parts.enumerated() {
            let isLast = number == parts.count - 1
            let reply = GetTree.Reply(
                nodes: nodes, complete: isLast && complete, stale: isLast ? stale : [], instance: "run-1")
            steps.append(try Samples.reply(reply, continues: isLast ? nil : true))
        }
        return try Desktop(replies: ["GetTree": steps])
    }

    /// A window with this many elements, one below the other's place.
    private static func list(_ count: Int) -> [Node] { (0..<count).map { node("label", "Row \($0)", depth: 0) } }

    @Test func everyElementIsALineBelowItsParent() throws {
        let desktop = try desktop([Array(Self.nodes[..<4]), Array(Self.nodes[4...])])
        defer { desktop.end() }
        let result = try Focusctl.run("tree", in: desktop.folder)
        #expect(result.output == Self.lines)
        #expect(result.errors == "")
        #expect(result.exitCode == 0)
        #expect(desktop.service.calls == [#"{"method":"io.focusd.Focus.GetTree","more":true,"parameters":{}}"#])
    }

    @Test func selectorAndDepthAreAskedFor() throws {
        let desktop = try desktop([[]])
        defer { desktop.end() }
        _ = try Focusctl.run("tree", "frame:active", "--depth", "0", in: desktop.folder)
        #expect(
            desktop.service.calls == [
                #"{"method":"io.focusd.Focus.GetTree","more":true,"parameters":{"depth":0,"selector":"frame:active"}}"#
            ])
        let bad = try Focusctl.run("tree", "--depth=-1", in: desktop.folder)
        #expect(bad.errors.hasPrefix("focusctl: --depth cannot be '-1'; it is a number from 0 to "))
        #expect(bad.exitCode == 2)
    }

    @Test func jsonIsTheNodesThemselves() throws {
        let desktop = try desktop([Self.nodes])
        defer { desktop.end() }
        // Not even a long one is paged.
        let result = try Focusctl.run(
            "tree", "--json", in: desktop.folder, environment: ["PAGER": "sed s/^/paged/"], terminalWidth: 80)
        let nodes = try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(Node.self, from: Data($0.utf8))
        }
        #expect(nodes == Self.nodes)
    }

    @Test func whatMayBeMissingIsSaid() throws {
        let stale = StaleApplication(busName: ":1.5", name: "gedit", reason: "loading")
        let loading = try desktop([Self.nodes], complete: false, stale: [stale])
        defer { loading.end() }
        #expect(
            try Focusctl.run("tree", in: loading.folder).errors
                == "focusctl: note: gedit (:1.5) is still being read; more may follow\n")
        let cut = try desktop([Self.nodes], complete: false)
        defer { cut.end() }
        #expect(try Focusctl.run("tree", in: cut.folder).errors == "focusctl: note: this is not all of the tree\n")
    }

    @Test(
        arguments: [
            (
                "ElementNotFound", #"{"reason":"noSuchApplication"}"#, Int32(1),
                "there is no such application\n'focusctl apps' lists those that there are.\n"
            ),
            ("ElementNotFound", #"{"reason":"noMatch"}"#, 1, "no element matches\n"),
            (
                "AmbiguousSelector", #"{"count":3}"#, 1,
                "the selector matches 3 elements, and a tree begins with one\n"
                    + "'focusctl find' lists them; say more in the selector.\n"
            ),
        ])
    func refusalsAreSaid(name: String, parameters: String, exitCode: Int32, words: String) throws {
        let desktop = try Desktop(replies: ["GetTree": [Samples.error("io.focusd.Focus.\(name)", parameters)]])
        defer { desktop.end() }
        let result = try Focusctl.run("tree", "x", in: desktop.folder)
        #expect(result.errors == "focusctl: " + words)
        #expect(result.exitCode == exitCode)
    }

    @Test func whatCameIsShownWhereTheRestDoesNotCome() throws {
        let part = try Samples.reply(GetTree.Reply(nodes: Self.list(3), complete: false), continues: true)
        let desktop = try Desktop(replies: ["GetTree": [part, .hangUp]])
        defer { desktop.end() }
        let result = try Focusctl.run("tree", in: desktop.folder, terminalWidth: 80)
        #expect(result.output == "label \"Row 0\"\nlabel \"Row 1\"\nlabel \"Row 2\"\n")
        #expect(result.errors.hasPrefix("focusctl: focusd closed the connection"))
        #expect(result.exitCode == 4)
    }

    // MARK: - On a terminal

    @Test func namesGiveWayBeforeTheFocusDoes() throws {
        let long = Self.node(
            "push-button", String(repeating: "long ", count: 50), depth: 3, focusedBy: ["orca", "keyboard"])
        let desktop = try desktop([[long]])
        defer { desktop.end() }
        let result = try Focusctl.run("tree", in: desktop.folder, terminalWidth: 60)
        #expect(result.output == "      push-button \"long long long long l…\" ◀ orca ◁ keyboard\n")
    }

    @Test(arguments: [20, 40, 80] as [UInt16]) func deepTreesStayOnTheTerminal(width: UInt16) throws {
        let names = ["漢字", "plain", ""]
        let nodes = (0..<20).map {
            Self.node("push-button", String(repeating: names[$0 % 3], count: 30), depth: $0 * 50, marks: ["cycle"])
        }
        let desktop = try desktop([nodes])
        defer { desktop.end() }
        let lines = try Focusctl.run("tree", in: desktop.folder, terminalWidth: width).output.split(separator: "\n")
        #expect(lines.count == 20)
        for line in lines {
            let cells = line.unicodeScalars.reduce(0) { $0 + ((0x4E00...0x9FFF).contains($1.value) ? 2 : 1) }
            #expect(cells <= width, "\(line)")
        }
        // Where the level is not shown by its indent, it is said.
        #expect(lines.last?.contains("(950) push") == true)
    }

    @Test func focusIsMarkedWithoutColoursToo() throws {
        let desktop = try desktop([[Self.nodes[3]]])
        defer { desktop.end() }
        let plain = try Focusctl.run("tree", in: desktop.folder, terminalWidth: 80)
        let coloured = try Focusctl.run("tree", in: desktop.folder, environment: ["TERM": "xterm"], terminalWidth: 80)
        #expect(plain.output.contains("◀ orca ◁ keyboard"))
        #expect(coloured.output.contains("\u{1B}[1;36m"))
        #expect(coloured.output.contains("◀ orca ◁ keyboard"))
    }

    @Test(arguments: [23, 24, 5000]) func onlyWhatIsLongerThanTheTerminalIsPaged(count: Int) throws {
        let nodes = Self.list(count)
        let desktop = try desktop([Array(nodes[..<20]), Array(nodes[20...])])
        defer { desktop.end() }
        let environment = ["PAGER": "sed 's/^/| /'"]
        let result = try Focusctl.run("tree", in: desktop.folder, environment: environment, terminalWidth: 80)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == count)
        // A terminal of the tests has 24 lines, and one is the prompt's.
        #expect(lines.allSatisfy { $0.hasPrefix("| ") == (count > 23) })
        #expect(lines.last?.hasSuffix("label \"Row \(count - 1)\"") == true)
        #expect(result.exitCode == 0)
        // A pipe is never paged.
        let piped = try Focusctl.run("tree", in: desktop.folder, environment: environment)
        #expect(!piped.output.contains("|"))
    }

    @Test(arguments: ["", "cat"]) func noPagerIsNoPager(pager: String) throws {
        let desktop = try desktop([Self.list(100)])
        defer { desktop.end() }
        let result = try Focusctl.run(
            "tree", in: desktop.folder, environment: ["PAGER": pager], terminalWidth: 80)
        #expect(result.output.split(separator: "\n").count == 100)
        #expect(result.exitCode == 0)
    }

    @Test func readerWhoHasSeenEnoughIsNoFailure() throws {
        let desktop = try desktop([Self.list(5000), Self.list(5000)])
        defer { desktop.end() }
        let result = try Focusctl.run(
            "tree", in: desktop.folder, environment: ["PAGER": "head -2"], terminalWidth: 80)
        #expect(result.output == "label \"Row 0\"\nlabel \"Row 1\"\n")
        #expect(result.errors == "")
        #expect(result.exitCode == 0)
    }

    @Test func pagerThatLeavesBetweenTwoPartsIsNoticed() throws {
        // The last part never comes.
        let part = try Samples.reply(GetTree.Reply(nodes: Self.list(100), complete: false), continues: true)
        let desktop = try Desktop(replies: ["GetTree": [part]])
        defer { desktop.end() }
        let result = try Focusctl.run(
            "tree", "--timeout", "1h", in: desktop.folder, environment: ["PAGER": "head -1"], terminalWidth: 80)
        #expect(result.output == "label \"Row 0\"\n")
        #expect(result.exitCode == 0)
    }

    @Test func pagerThatIsMissingIsSaid() throws {
        let desktop = try desktop([Self.list(100)])
        defer { desktop.end() }
        let result = try Focusctl.run(
            "tree", in: desktop.folder, environment: ["PAGER": "no-such-pager"], terminalWidth: 80)
        #expect(result.errors.contains("the pager that PAGER names cannot be run"))
    }
}
