import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Applications are read, and events asked for, where somebody asks about them, and as long.
    @Suite(.enabled(if: hasRegistry)) struct MirrorDemand {
        /// What the mirror of an application needs to hear.
        private static let mirrorEvents = Set(
            [
                "object:state-changed", "object:children-changed", "object:property-change:accessible-name",
                "object:property-change:accessible-description", "object:property-change:accessible-role",
                "object:property-change:accessible-parent", "object:property-change:accessible-id",
                "object:attributes-changed", "window:create", "window:destroy",
            ].map(FocusdScene.plain))

        @Test func `a search registers what a mirror needs, and takes it back when its time is over`() async throws {
            try await withScene(registry: true, configuration: "keep-mirror = 1s\n") { scene in
                let app = try scene.application()
                let peer = try scene.peer()
                _ = try scene.client().applications()
                try scene.settle()
                #expect(try scene.registeredEvents(peer) == [])
                #expect(app.count("GetItems") == 0)
                #expect(try scene.client().find("push-button[name=OK]").elements.count == 1)
                try scene.settle()
                #expect(try scene.registeredEvents(peer) == Self.mirrorEvents)
                #expect(try scene.client().applications().map(\.nodes) == [app.nodes.count])
                try scene.wait(within: 30, "nothing is registered") { try scene.registeredEvents(peer).isEmpty }
                #expect(try scene.client().applications().map(\.nodes) == [0])
                // And from the beginning.
                #expect(try scene.client().find("push-button[name=OK]").elements.count == 1)
                #expect(app.count("GetItems") == 2)
            }
        }

        @Test func `a wait keeps what it needs for as long as it takes`() async throws {
            try await withScene(registry: true, configuration: "keep-mirror = 0s\n") { scene in
                let app = try scene.application()
                let peer = try scene.peer()
                let waiting = Background { [folder = scene.runtimeFolder] in
                    try Client(folder).waitFor("push-button[name=Go]", milliseconds: 60_000)
                }
                try scene.wait(within: 20, "the mirror's events") {
                    try scene.registeredEvents(peer) == Self.mirrorEvents
                }
                // A search that ends takes nothing away from who still waits.
                for _ in 0..<10 { #expect(try scene.client().find("push-button[name=OK]").elements.count == 1) }
                try scene.settle()
                #expect(try scene.registeredEvents(peer) == Self.mirrorEvents)
                #expect(app.count("GetItems") == 1)
                try app.rename("help", to: "Go")
                #expect(try waiting.value(within: 30)?.path == app.node("help").path)
                try scene.wait(within: 30, "nothing is registered") { try scene.registeredEvents(peer).isEmpty }
            }
        }

        @Test func `what the focus needs stays registered when the mirror goes`() async throws {
            try await withScene(registry: true, configuration: "keep-mirror = 0s\n") { scene in
                let app = try scene.application()
                let peer = try scene.peer()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "cancel", of: app)
                try scene.wait(within: 20, "the focus's events") { try !scene.registeredEvents(peer).isEmpty }
                try scene.settle()
                let before = try scene.registeredEvents(peer)
                #expect(before.contains(FocusdScene.plain("object:state-changed:focused")))
                let waiting = Background { [folder = scene.runtimeFolder] in
                    try Client(folder).waitFor("push-button[name=Go]", milliseconds: 60_000)
                }
                try scene.wait(within: 20, "both") {
                    try scene.registeredEvents(peer).isSuperset(of: before.union(Self.mirrorEvents))
                }
                try app.rename("help", to: "Go")
                _ = try waiting.value(within: 30)
                try scene.wait(within: 30, "the focus's alone") { try scene.registeredEvents(peer) == before }
                try await orca.present("ok", of: app)
                try watch.next(until: "ok") { $0.element?.name == "OK" }
            }
        }

        @Test func `a selector that names one application leaves the others unread`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application("calc")
                let others = [try scene.application("mail"), try scene.application("music", toolkit: .qt)]
                let client = try scene.client()
                app.node("help").accessibleID = "help"
                #expect(try client.find("application[name=calc] push-button").elements.count == 4)
                #expect(try client.find("application[name=calc] #help").elements.count == 1)
                #expect(try client.tree("application[name=calc]").nodes.count == app.nodes.count)
                #expect(try client.waitFor("application[name=calc] frame > panel") != nil)
                for other in others {
                    for member in ["GetItems", "GetChildren", "GetRole", "GetState", "AccessibleId", "GetInterfaces"] {
                        #expect(other.count(member) == 0, "\(member) of \(other.name)")
                    }
                }
                #expect(try client.applications().map(\.nodes) == [app.nodes.count, 0, 0])
                #expect(try client.find("application[name=music] push-button").elements.count == 4)
                #expect(others[0].count("GetItems") == 0 && others[1].count("GetItems") == 1)
            }
        }

        @Test func `an application that stays unread is not listened to`() async throws {
            try await withScene(registry: true) { scene in
                let (app, other) = (try scene.application("calc"), try scene.application("mail"))
                #expect(try scene.client().find("application[name=calc] push-button").elements.count == 4)
                let before = try scene.counter("signals")
                for _ in 0..<200 { try other.emit(.stateChanged("busy", 1), from: "ok") }
                try other.connection.settle()
                try app.rename("help", to: "Go")
                #expect(try scene.client().waitFor("application[name=calc] push-button[name=Go]") != nil)
                #expect(try scene.counter("signals") - before < 100)
            }
        }

        @Test func `with the whole desktop mirrored everything is read before anybody asks`() async throws {
            try await withScene(registry: true, configuration: "mirror = desktop\nkeep-mirror = 0s\n") { scene in
                let app = try scene.application()
                try scene.wait(within: 20, "it is read") {
                    try scene.client().applications().map(\.nodes) == [app.nodes.count]
                }
                let later = try scene.application("later", toolkit: .gtk4)
                try scene.wait(within: 20, "both are read") {
                    try scene.client().applications().map(\.nodes) == [app.nodes.count, ToldTree.lines(later).count]
                }
                let (first, second) = (app.count("GetItems"), later.count("GetItems"))
                #expect(try scene.client().find("push-button[name=OK]").elements.count == 2)
                try later.rename("help", to: "Go")
                #expect(try scene.client().waitFor("push-button[name=Go]")?.busName == later.busName)
                #expect(app.count("GetItems") == first && later.count("GetItems") == second)
                let peer = try scene.peer()
                #expect(try scene.registeredEvents(peer).isSuperset(of: Self.mirrorEvents))
            }
        }

        @Test func `what is kept is told with each application's count of nodes`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                _ = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 1_500))
                let client = try scene.client()
                #expect(try client.applications().map(\.nodes) == [0, 0])
                #expect(try client.find("application[name=large] frame").elements.count == 1)
                #expect(try client.applications().map(\.nodes) == [0, 1_500])
                #expect(try client.find("frame").elements.count == 2)
                #expect(try client.applications().map(\.nodes) == [app.nodes.count, 1_500])
                #expect(try client.statistics().nodes >= 1_500)
                try app.remove("panel")
                try scene.wait(within: 20, "fewer") {
                    try client.applications().map(\.nodes) == [app.nodes.count, 1_500]
                }
            }
        }
    }
}
