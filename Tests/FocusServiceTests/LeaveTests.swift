import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Technologies never say that they leave: it is concluded, once, with the reason.
    @Suite struct Leaves {
        private func expectOneLeave(
            toolkit: FakeToolkit = .gtk3, cause: String, from key: String = "ok",
            _ event: (FocusdScene, FakeApplication, FakeScreenReaderProcess) async throws -> Void
        ) async throws {
            try await withScene { scene in
                let app = try scene.application(toolkit: toolkit)
                let other = try scene.application("other")
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: key, of: app)
                let aggregate = try scene.watch(nil)
                let name = app.node(key).name
                try await event(scene, app, orca)
                for each in [watch, aggregate] {
                    let leave = try each.expect(nil, nil, cause: cause)
                    #expect(leave.previous?.name == name)
                }
                // The next is the next move, and nothing else came between.
                guard cause != "technologyGone" else { return }
                try await orca.present("help", of: other)
                for each in [watch, aggregate] {
                    #expect(try each.expect(other, "help", cause: "moved").previous == nil)
                }
            }
        }

        @Test(arguments: FakeToolkit.allCases)
        func `the element is removed`(toolkit: FakeToolkit) async throws {
            try await expectOneLeave(toolkit: toolkit, cause: "elementGone") { _, app, _ in try app.remove("ok") }
        }

        @Test(arguments: FakeToolkit.allCases)
        func `an ancestor is removed`(toolkit: FakeToolkit) async throws {
            try await expectOneLeave(toolkit: toolkit, cause: "elementGone") { _, app, _ in try app.remove("panel") }
        }

        @Test func `a technology that names what does not exist takes nobody with it`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let keyboard = try scene.watch("keyboard")
                try app.moveFocus(to: "ok")
                try keyboard.next(until: "ok") { $0.element?.path == app.node("ok").path }
                let bound = try scene.bind(["ok": "push-button[name=OK]"], technologies: ["keyboard"])
                #expect(bound.first.value == "ok")
                let dead = app.node("cancel").path
                try app.remove("cancel", announced: false)
                try await orca.present(bus: app.busName, path: dead)
                try watch.expect(nil, nil, cause: "elementGone")
                #expect(try scene.client().focus(of: "keyboard").element?.name == "OK")
                // The next that is told of the keyboard, and of the value, is the next move.
                try app.moveFocus(to: "help")
                #expect(try keyboard.expect(app, "help", cause: "moved").previous?.name == "OK")
                try bound.expect(nil, from: "ok", "moved")
            }
        }

        @Test func `what is hidden is left though the mouse is reviewed elsewhere`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "label", of: app)
                let bound = try scene.bind(["total": "label[name=Total]"])
                #expect(bound.first.value == "total")
                try await orca.present("help", of: app, mode: "mouse-review")
                try app.setState(.showing, named: "showing", false, on: "label")
                try bound.expect(nil, from: "total", "elementHidden")
            }
        }

        @Test func `what vanishes while its path is being read is left, too`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try scene.watch("orca")
                // The last that is read of an application that was not known, and so not heard.
                app.script("ToolkitName", times: 1, .truth.then { try $0.remove("ok") })
                let path = app.node("ok").path
                try await orca.present("ok", of: app)
                try watch.next(until: "ok") { $0.element?.path == path }
                try watch.expect(nil, nil, cause: "elementGone")
            }
        }

        @Test func `the element says that it is defunct`() async throws {
            try await expectOneLeave(cause: "elementGone") { _, app, _ in
                try app.setState(.defunct, named: "defunct", true, on: "ok")
            }
        }

        @Test(arguments: ["ok", "panel", "frame"])
        func `the element or an ancestor is hidden`(key: String) async throws {
            try await expectOneLeave(cause: "elementHidden") { _, app, _ in
                try app.setState(.showing, named: "showing", false, on: key)
            }
        }

        @Test func `a label is hidden`() async throws {
            try await expectOneLeave(cause: "elementHidden", from: "label") { _, app, _ in try app.hide("label") }
        }

        @Test(arguments: FakeToolkit.allCases)
        func `the application leaves the bus`(toolkit: FakeToolkit) async throws {
            try await expectOneLeave(toolkit: toolkit, cause: "applicationGone") { _, app, _ in app.disconnect() }
        }

        @Test func `the technology leaves the bus`() async throws {
            try await expectOneLeave(cause: "technologyGone") { _, _, orca in orca.crash() }
        }

        @Test(arguments: FakeToolkit.allCases)
        func `the window is closed`(toolkit: FakeToolkit) async throws {
            try await withScene { scene in
                let app = try scene.application(toolkit: toolkit)
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                try app.closeWindow("frame")
                let leave = try watch.next()
                #expect(leave.element == nil && leave.previous?.name == "OK")
                #expect(["elementGone", "windowDeactivated"].contains(leave.cause))
                let other = try scene.application("other")
                try await orca.present("help", of: other)
                try watch.expect(other, "help", cause: "moved")
            }
        }

        @Test func `what is scrolled out of sight is not left`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                try app.add(FakeNode("viewport", .viewport), to: "panel")
                try app.add(FakeNode("item", .pushButton, name: "Item"), to: "viewport")
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "item", of: app)
                try app.setState(.showing, named: "showing", false, on: "item")
                try app.connection.settle()
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").previous?.name == "Item")
            }
        }

        @Test func `a window that is deactivated with nothing after it takes the focus along`() async throws {
            try await expectOneLeave(cause: "windowDeactivated") { _, app, _ in
                try app.activate("frame")
                try app.deactivate("frame")
            }
        }

        @Test(arguments: [false, true])
        func `another window activated at once is no leave, in either order`(isReversed: Bool) async throws {
            try await withScene { scene in
                let (app, other) = (try scene.application(), try scene.application("other"))
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                try app.activate("frame")
                try app.connection.settle()
                if isReversed {
                    try other.activate("frame")
                    try other.connection.settle()
                    try app.deactivate("frame")
                } else {
                    try app.deactivate("frame")
                    try app.connection.settle()
                    try other.activate("frame")
                }
                try app.connection.settle()
                try other.connection.settle()
                try scene.outlastGrace(other)
                try await orca.present("help", of: other)
                #expect(try watch.expect(other, "help", cause: "moved").previous?.name == "OK")
            }
        }

        @Test func `in a menu a deactivated window is ignored`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                try app.add(FakeNode("menu", .menu, name: "File"), to: "panel")
                try app.add(FakeNode("open", .menuItem, name: "Open"), to: "menu")
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "open", of: app)
                try app.activate("frame")
                try app.deactivate("frame")
                try app.connection.settle()
                try scene.outlastGrace(app)
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").previous?.name == "Open")
            }
        }

        @Test func `a signal within the grace keeps the focus`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                try await orca.present("help", of: app)
                try watch.expect(app, "help", cause: "moved")
                try app.activate("frame")
                try app.deactivate("frame")
                try app.connection.settle()
                try await orca.present("ok", of: app)
                try watch.expect(app, "ok", cause: "moved")
                try scene.outlastGrace(app)
                #expect(try scene.client().focus(of: "orca").element?.name == "OK")
            }
        }

        @Test func `a window that comes back in silence brings the focus back, assumed until the next signal`()
            async throws
        {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                try app.activate("frame")
                try app.deactivate("frame")
                try watch.expect(nil, nil, cause: "windowDeactivated")
                try app.activate("frame")
                let back = try watch.expect(app, "ok", cause: "restored")
                #expect(back.assumed && back.technology == "orca")
                try await orca.present("ok", of: app)
                let said = try watch.next()
                #expect(said.element?.name == "OK" && !said.assumed)
            }
        }

        /// What GTK 4 hides, like a menu that was closed, is only missing among its parent's children.
        @Test(arguments: ["hidden", "removed", "unlisted"])
        func `what does not live any more is not brought back`(fate: String) async throws {
            try await withScene { scene in
                let app = try scene.application(toolkit: fate == "unlisted" ? .gtk4 : .gtk3)
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                try app.activate("frame")
                try app.deactivate("frame")
                try watch.expect(nil, nil, cause: "windowDeactivated")
                if fate == "removed" { try app.remove("ok", announced: false) } else { try app.hide("ok") }
                let place = app.calls.count
                let path = fate == "removed" ? nil : app.node("ok").path
                try app.activate("frame")
                // It was asked, and what it answered decided.
                if let path { _ = try await app.waitForCall("GetRole", on: path, from: place) }
                try scene.outlastGrace(app)
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").previous == nil)
            }
        }
    }
}

extension FocusdScene {
    /// Returns when what focusd waits for after a window's coming or going has had its time, by focusd's own clock.
    ///
    /// A move that the reader ignores ends at its deadline, which lies behind all of them.
    func outlastGrace(_ app: FakeApplication) throws {
        let outcome = try client().move(
            to: app.referenceText("cancel"), routes: ["activeDescendant"], timeoutMilliseconds: 600)
        #expect(outcome.result == "timedOut")
    }
}
