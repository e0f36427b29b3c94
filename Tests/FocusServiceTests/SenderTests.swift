import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Who may say what: nobody speaks for somebody else.
    @Suite struct Senders {
        /// Neither a stranger nor the proxy by which applications in a sandbox speak.
        @Test(arguments: ["orcinus", "xdg-dbus-proxy"])
        func `what is not called like a screen reader is refused and counted`(name: String) async throws {
            try await withScene { scene in
                let app = try scene.application()
                let stranger = try scene.reader(name)
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let aggregate = try scene.watch(nil)
                try await stranger.present("cancel", of: app)
                try await stranger.present("label", of: app)
                try scene.waitForCounter("foreignSignals", 1)
                try await orca.present("help", of: app)
                for each in [watch, aggregate] {
                    #expect(try each.expect(app, "help", cause: "moved").previous?.name == "OK")
                }
                #expect(try scene.client().listTechnologies().filter(\.active).map(\.id).contains(name) == false)
                #expect(try scene.client().diagnose().contains { $0.code == "forgedMessages" })
            }
        }

        @Test func `a second Orca is refused until the first has left`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let first = try scene.reader()
                let watch = try await scene.watch(first, on: "ok", of: app)
                let second = try scene.reader()
                try await second.present("cancel", of: app)
                try scene.waitForCounter("refusedTechnologies", 1)
                #expect(try scene.client().diagnose().contains { $0.code == "secondTechnology" })
                #expect(try scene.client().focus(of: "orca").element?.name == "OK")
                first.quit()
                let leave = try watch.expect(nil, nil, cause: "technologyGone")
                #expect(leave.previous?.name == "OK")
                try await second.present("help", of: app)
                try watch.next(until: "help") { $0.element?.name == "Help" && !$0.assumed }
                let technologies = try scene.client().listTechnologies()
                #expect(technologies.first { $0.id == "orca" }?.busName == second.busName)
            }
        }

        @Test func `NameOwnerChanged counts only from the bus itself`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let evil = try scene.application("evil")
                let itself = try #require(try scene.peer().busBlocking("ListNames").first?.elements?.compactMap(\.text))
                for name in [orca.busName, app.busName] {
                    try evil.forgeNameOwnerChanged(name, from: name, to: "")
                    // To everybody one by one, focusd among them.
                    for target in itself where target.hasPrefix(":") && target != evil.busName {
                        try evil.emitRaw(
                            path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                            member: "NameOwnerChanged", [.string(name), .string(name), ""], to: target)
                    }
                }
                try evil.connection.settle()
                try scene.waitForCounter("forgedMessages", 2)
                #expect(try scene.client().focus(of: "orca").element?.name == "OK")
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").previous?.name == "OK")
            }
        }

        @Test func `an application speaks for its own objects only`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let evil = try scene.application("evil")
                let watch = try await scene.watch(orca, on: "ok", of: app)
                // Focus was in the other one too, so that its events are heard.
                try await orca.present("label", of: evil)
                try watch.expect(evil, "label", cause: "moved")
                try await orca.present("ok", of: app)
                try watch.expect(app, "ok", cause: "moved")
                try scene.settle()
                let keyboard = try scene.watch("keyboard")
                let victim = app.referenceValue("ok")
                try evil.emit(.childrenChanged("remove", index: 0, child: victim), from: "panel")
                try evil.emit(.activeDescendantChanged(app.referenceValue("cancel")), from: "ok")
                // The victim's path, but the sender's object.
                try evil.emit(.stateChanged("defunct", 1), from: app.node("ok").path)
                try evil.emit(.stateChanged("showing", 0), from: app.node("frame").path)
                try evil.emit(.window("Destroy"), from: app.node("frame").path)
                try evil.connection.settle()
                try scene.waitForCounter("forgedMessages", 2)
                #expect(try scene.client().focus(of: "orca").element?.path == app.node("ok").path)
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").previous?.name == "OK")
                try app.moveFocus(to: "help")
                try keyboard.next(until: "help") {
                    #expect($0.element?.busName != app.busName || $0.element?.name != "Cancel")
                    return $0.element?.name == "Help"
                }
            }
        }
    }
}
