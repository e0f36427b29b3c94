import AccessibilityTree
import Testing

/// When an element counts as hidden, scrolled out or seen; what its path says of it besides.
struct FocusPathTests {
    private let seen = Trees.seen
    /// VISIBLE without SHOWING.
    private let unshown = StateSet(.visible, .sensitive)

    @Test("an element is visible where all up to the window are visible and showing")
    func visible() {
        let path = Trees.path([(.pushButton, seen), (.panel, seen), (.frame, seen)])
        #expect(path.visibility() == .visible)
    }

    @Test("a node without VISIBLE or without SHOWING hides all below it", arguments: [0, 1, 2])
    func hidden(index: Int) {
        for missing in [StateSet(.visible), StateSet(.showing), StateSet()] {
            var nodes: [(Role, StateSet)] = [(.pushButton, seen), (.panel, seen), (.frame, seen)]
            nodes[index].1 = missing
            #expect(Trees.path(nodes).visibility() == .hidden)
        }
    }

    @Test(
        "what a scroller has out of sight is scrolled out, not hidden",
        arguments: [
            Role.scrollPane, .viewport, .list, .listBox, .tree, .treeTable, .table, .documentWeb, .documentFrame,
        ])
    func scrolledOut(scroller: Role) {
        let path = Trees.path([(.label, unshown), (.panel, unshown), (scroller, seen), (.panel, seen), (.frame, seen)])
        #expect(path.visibility() == .scrolledOut)
    }

    @Test("a scroller that is out of sight itself hides what is in it")
    func hiddenScroller() {
        let path = Trees.path([(.label, unshown), (.scrollPane, unshown), (.panel, seen), (.frame, seen)])
        #expect(path.visibility() == .hidden)
    }

    @Test("the topmost node out of sight decides: hidden above a scroller is hidden")
    func topmostDecides() {
        let hidden = Trees.path([
            (.label, unshown), (.scrollPane, seen), (.panel, StateSet(.showing)), (.frame, seen),
        ])
        #expect(hidden.visibility() == .hidden)
        let nested = Trees.path([(.label, seen), (.panel, unshown), (.viewport, seen), (.frame, seen)])
        #expect(nested.visibility() == .scrolledOut)
    }

    @Test("GTK 4 sets no SHOWING, so its absence means nothing there")
    func showingInGTK4() {
        let nodes: [(Role, StateSet)] = [
            (.pushButton, StateSet(.visible)), (.panel, StateSet(.visible)), (.frame, StateSet(.visible, .showing)),
        ]
        #expect(Trees.path(nodes, toolkit: "GTK").visibility() == .visible)
        #expect(Trees.path(nodes, toolkit: "gtk").visibility() == .hidden)
        #expect(Trees.path(nodes, toolkit: "").visibility() == .hidden)
        #expect(Trees.path(nodes, toolkit: "Qt").visibility() == .hidden)
    }

    @Test("GTK 4 without VISIBLE is hidden all the same")
    func visibleInGTK4() {
        let path = Trees.path([(.pushButton, StateSet(.focusable)), (.frame, StateSet(.visible))], toolkit: "GTK")
        #expect(path.visibility() == .hidden)
    }

    @Test("a node that its parent does not list is hidden, in every toolkit", arguments: ["GTK", "gtk"])
    func unlisted(toolkit: String) {
        let path = Trees.path([(.pushButton, seen), (.panel, seen), (.frame, seen)], toolkit: toolkit)
        for node in path.nodes.dropLast() {
            #expect(path.visibility(unlisted: [node.reference]) == .hidden)
        }
    }

    @Test("a node that is not listed inside a scroller is scrolled out")
    func unlistedInScroller() {
        let path = Trees.path([(.label, seen), (.listBox, seen), (.frame, seen)], toolkit: "GTK")
        #expect(path.visibility(unlisted: [path.nodes[0].reference]) == .scrolledOut)
        #expect(path.visibility(unlisted: [path.nodes[1].reference]) == .hidden)
    }

    @Test("unlisted nodes of other paths change nothing")
    func foreignUnlisted() {
        let path = Trees.path([(.pushButton, seen), (.frame, seen)])
        #expect(path.visibility(unlisted: [Trees.reference(77), Trees.reference(0, on: ":1.1")]) == .visible)
    }

    @Test("the application's own states say nothing about what is seen")
    func applicationStates() {
        // The application that `Trees` puts on top has no state at all.
        #expect(Trees.path([(.frame, seen)]).visibility() == .visible)
        #expect(Trees.path([(.frame, seen)]).visibility(unlisted: [Trees.reference(1)]) == .visible)
    }

    @Test("the window is the outermost window below the application")
    func window() {
        let dialogInFrame = Trees.path([(.pushButton, seen), (.dialog, seen), (.panel, seen), (.frame, seen)])
        #expect(dialogInFrame.window?.reference == Trees.reference(3))
        #expect(Trees.path([(.frame, seen)]).window?.reference == Trees.reference(0))
    }

    @Test("without a window's role the outermost node below the application is the window")
    func windowWithoutRole() {
        let path = Trees.path([(.pushButton, seen), (.panel, seen), (.filler, seen)])
        #expect(path.window?.reference == Trees.reference(2))
    }

    @Test("a broken ancestry has no window, unless one was passed on the way")
    func brokenAncestry() {
        #expect(Trees.path([(.pushButton, seen), (.panel, seen)], reachesTop: false).window == nil)
        let path = Trees.path([(.pushButton, seen), (.frame, seen), (.panel, seen)], reachesTop: false)
        #expect(path.window?.reference == Trees.reference(1))
    }

    @Test("an application alone is no window")
    func applicationAlone() {
        #expect(Trees.path([]).window == nil)
        #expect(Trees.path([]).visibility() == .visible)
    }

    @Test("menus, secrets, web documents and defunct nodes count for all that is inside them")
    func families() {
        #expect(Trees.path([(.label, seen), (.menuItem, seen), (.frame, seen)]).isInMenu)
        #expect(!Trees.path([(.label, seen), (.frame, seen)]).isInMenu)
        #expect(Trees.path([(.label, seen), (.passwordText, seen), (.frame, seen)]).isSecret)
        #expect(Trees.path([(.terminal, seen), (.frame, seen)]).isSecret)
        #expect(!Trees.path([(.entry, seen), (.frame, seen)]).isSecret)
        #expect(Trees.path([(.label, seen), (.documentWeb, seen), (.frame, seen)]).isInWebDocument)
        #expect(!Trees.path([(.label, seen), (.documentText, seen), (.frame, seen)]).isInWebDocument)
        #expect(Trees.path([(.label, seen), (.panel, StateSet(.defunct)), (.frame, seen)]).isDefunct)
        #expect(!Trees.path([(.label, seen), (.panel, seen), (.frame, seen)]).isDefunct)
    }

    @Test("a path contains its nodes and no others")
    func contains() {
        let path = Trees.path([(.label, seen), (.frame, seen)])
        #expect((0...2).allSatisfy { path.contains(Trees.reference($0)) })
        #expect(!path.contains(Trees.reference(3)))
        #expect(!path.contains(Trees.reference(0, on: ":1.10")))
        #expect(path.element.reference == Trees.reference(0))
    }
}

extension Role {
    fileprivate static let filler = Role(rawValue: 20)
}
