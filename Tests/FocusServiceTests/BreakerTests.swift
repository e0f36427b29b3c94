import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// An application that stops answering is left alone, named, and read again when it answers.
    @Suite(.enabled(if: hasRegistry)) struct Breakers {
        private func withTwo(
            _ body: (FocusdScene, _ stuck: FakeApplication, _ other: FakeApplication, Client) async throws -> Void
        ) async throws {
            try await withScene(registry: true) { scene in
                let (stuck, other) = (try scene.application("stuck"), try scene.application("other"))
                try await body(scene, stuck, other, try scene.client())
                stuck.resume()
            }
        }

        /// Waits until a search names the application as one that does not answer.
        private func waitUntilNamed(_ scene: FocusdScene, _ stuck: FakeApplication) throws {
            try scene.wait(within: 40, "\(stuck.name) is named") {
                try scene.client().find("push-button[name=OK]").stale.contains {
                    $0.busName == stuck.busName && $0.reason == "notResponding"
                }
            }
        }

        /// Searches go on while the application is asked one thing, whose answer comes when it is back.
        private func expectLeftAlone(_ scene: FocusdScene, _ stuck: FakeApplication) throws {
            let (all, states) = (stuck.callCount, stuck.count("GetState"))
            let client = try scene.client()
            // A wait that cannot be fulfilled is a clock: in that time a question every second would be seen.
            let (folder, milliseconds) = (scene.runtimeFolder, 4_000)
            let clock = Background {
                try Client(folder).waitFor("application[name=nobody] #nothing", milliseconds: milliseconds)
            }
            for _ in 0..<100 {
                let found = try client.find("push-button[name=OK]")
                #expect(!found.complete && found.stale.map(\.busName) == [stuck.busName])
            }
            #expect(throws: FocusSocketError.self) { _ = try clock.value(within: 40) }
            #expect(stuck.count("GetState") <= states + 1)
            // Who it is may be asked again, too, if it never said so.
            #expect(stuck.callCount - all <= 12)
            #expect(stuck.count("GetItems") <= 1)
        }

        @Test(arguments: ["GetItems", "GetChildren", "GetRole"])
        func `one that stops while it is read is named, the others are found, and it is read when it goes on`(
            _ member: String
        ) async throws {
            try await withTwo { scene, stuck, other, client in
                if member != "GetItems" { stuck.cache = .missing }
                stuck.script(member, after: member == "GetRole" ? 3 : 0, times: 1, .never.first { $0.stop() })
                let found = try client.find("push-button[name=OK]")
                #expect(found.elements.map(\.busName) == [other.busName])
                #expect(!found.complete && found.stale.map(\.busName) == [stuck.busName])
                #expect(try client.find("application[name=other] push-button").complete)
                #expect(try client.find("application[name=stuck] push-button").elements.isEmpty)
                try waitUntilNamed(scene, stuck)
                try expectLeftAlone(scene, stuck)
                try stuck.rename("help", to: "Go")
                stuck.resume()
                try scene.expectTree(of: stuck)
                let both = try client.find("push-button[name=OK]")
                #expect(both.complete && both.elements.count == 2)
            }
        }

        @Test func `one that stops while it is live is told as it was, and as it is when it goes on`() async throws {
            try await withTwo { scene, stuck, other, client in
                #expect(try client.find("push-button[name=OK]").elements.count == 2)
                stuck.stop()
                // What it says of itself meanwhile nobody hears.
                stuck.node("help").name = "Go"
                try stuck.add(FakeNode("new", .pushButton, name: "New"), to: "panel")
                try waitUntilNamed(scene, stuck)
                let found = try client.find("push-button[name=Help]")
                #expect(found.elements.map(\.busName) == [stuck.busName, other.busName])
                #expect(found.elements.map(\.application.responding) == [false, true])
                let tree = try client.wholeTree()
                #expect(!tree.complete && tree.stale.map(\.reason) == ["notResponding"])
                #expect(ToldTree.lines(tree, of: other) == ToldTree.lines(other))
                #expect(tree.nodes.count { $0.busName == stuck.busName } == stuck.nodes.count - 1)
                try expectLeftAlone(scene, stuck)
                stuck.resume()
                try scene.expectTree(of: stuck)
                #expect(try client.find("push-button[name=Help]").elements.map(\.busName) == [other.busName])
                #expect(try client.find("push-button").complete)
            }
        }

        @Test func `one that leaves while it does not answer is forgotten`() async throws {
            try await withTwo { scene, stuck, other, client in
                stuck.stop()
                try waitUntilNamed(scene, stuck)
                stuck.disconnect()
                try scene.wait(within: 20, "it is forgotten") {
                    let found = try client.find("push-button[name=OK]")
                    return found.complete && found.stale.isEmpty && found.elements.map(\.busName) == [other.busName]
                }
            }
        }

        @Test(arguments: ["push-button[name=Help]", "application[name=other] push-button[name=Help]"], [false, true])
        func `one that does not answer holds up no move in another`(_ selector: String, _ isKnown: Bool) async throws {
            try await withScene(registry: true) { scene in
                let window = FakeNode("window", .frame, children: [FakeNode("dead", .pushButton, name: "Dead")])
                let stuck = scene.adopt(
                    try FakeApplication(bus: scene.bus.address, name: "stuck", windows: [window]))
                let other = try scene.application("other")
                let orca = try scene.reader(follows: true)
                _ = try await scene.watch(orca, on: "cancel", of: other)
                if isKnown { #expect(try scene.client().find("push-button[name=Dead]").elements.count == 1) }
                stuck.stop()
                let outcome = try scene.client().move(selector: selector)
                #expect(outcome.result == "confirmed" && outcome.element?.busName == other.busName)
                stuck.resume()
            }
        }

        @Test func `a move into one that does not answer says so`() async throws {
            try await withTwo { scene, stuck, other, client in
                let orca = try scene.reader(follows: true)
                _ = try await scene.watch(orca, on: "cancel", of: other)
                stuck.stop()
                let outcome = try client.move(
                    selector: "application[name=stuck] push-button[name=Help]", milliseconds: 3_000)
                #expect(outcome.result == "notFound" && outcome.reason == "applicationNotResponding")
                #expect(try scene.client().focus(of: "orca").element?.name == "Cancel")
            }
        }

        @Test func `one that stops while ids are asked for is not asked for the rest of them`() async throws {
            try await withScene(registry: true) { scene in
                let stuck = scene.adopt(
                    try FakeApplication.large(bus: scene.bus.address, nodes: 5_000, name: "stuck"))
                let client = try scene.client()
                #expect(try client.find("application[name=stuck] frame").complete)
                stuck.stop()
                #expect(try !client.find("application[name=stuck] #nothing").complete)
                try scene.wait(within: 40, "stuck is named") {
                    try scene.client().find("application[name=stuck] frame").stale.first?.reason == "notResponding"
                }
                // A wait for ids there must not ask either, and answers by its deadline: here it is the clock.
                let before = stuck.callCount
                #expect(throws: FocusSocketError.self) {
                    try client.waitFor("application[name=stuck] #nothing", milliseconds: 5_000)
                }
                #expect(stuck.callCount - before <= 12)
                stuck.resume()
                try scene.wait(within: 60, "all ids are known") {
                    try client.find("application[name=stuck] #nothing").complete
                }
            }
        }
    }
}
