import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What selectors cost that are kept true, and what is asked for their sake.
    @Suite(.enabled(if: hasRegistry, "needs at-spi2-core")) struct KeptMatches {
        /// How a client comes to have ids asked for.
        enum Reason: String, CaseIterable {
            case find, selectors, wait
        }

        @Test(arguments: Reason.allCases)
        func `nothing more is asked for who has gone`(reason: Reason) async throws {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 8_000))
                let client = try scene.client()
                #expect(try client.find("application[name=large] frame").complete)
                app.script("AccessibleId", .truth.delayed(by: .milliseconds(20)))
                let clients = try client.statistics().clients.count
                try ask(scene, reason) {
                    try scene.wait(within: 20, "ids are asked for") { app.count("AccessibleId") > 0 }
                }
                try scene.wait(within: 20, "it has gone") { try client.statistics().clients.count <= clients }
                // Each of these questions waits for all that were to be asked before it.
                var before = -1
                while before < app.count("AccessibleId") {
                    before = app.count("AccessibleId")
                    _ = try client.find("application[name=large] frame", fields: [Find.Field.attributes])
                }
                #expect(before < 7_000, "\(reason)")
            }
        }

        private func ask(_ scene: FocusdScene, _ reason: Reason, until body: () throws -> Void) throws {
            let socket = try FocusSocket(
                at: SocketLocation(runtimeFolder: scene.runtimeFolder), deadline: .after(.seconds(10)))
            let deadline = Deadline.after(.seconds(10))
            switch reason {
            case .find:
                _ = try socket.stream(
                    Find.self, parameters: .init(selector: "application[name=large] #nothing"), deadline: deadline)
            case .selectors:
                let fields = [Find.Field.selector]
                _ = try socket.stream(
                    Find.self, parameters: .init(selector: "application[name=large] frame", fields: fields),
                    deadline: deadline)
            case .wait:
                _ = try socket.stream(
                    Wait.self, parameters: .init(selector: "application[name=large] #nothing", condition: "present"),
                    deadline: deadline)
            }
            try withExtendedLifetime(socket) { try body() }
        }

        @Test func `a flood of events is heard in time, whatever selectors are kept true, and none is lost`()
            async throws
        {
            try await withScene(registry: true) { scene in
                let app = scene.adopt(try FakeApplication.large(bus: scene.bus.address, nodes: 1_000))
                let folder = scene.runtimeFolder
                let client = try scene.client()
                #expect(try client.find("application[name=large] frame").complete)
                // Each change of a name may change for every node whether it matches.
                let waits = (0..<8).map { number in
                    Background {
                        try Client(folder).waitFor("*:has(+ * label[name='Done \(number)'])", milliseconds: 60_000)
                    }
                }
                try scene.wait(within: 20, "the waits") { try client.statistics().clients.count >= 9 }
                let events = ["Node five", "Node 5"].map { FakeEvent.propertyChange("accessible-name", .string($0)) }
                _ = try await app.flood(events.map { ($0, from: "n5") }, count: 2_000).wait()
                try app.rename("n9", to: "Mark")
                #expect(try client.waitFor("application[name=large] [name=Mark]", milliseconds: 20_000) != nil)
                for (number, wait) in waits.enumerated() {
                    try app.rename("n997", to: "Done \(number)")
                    let found = try #require(try wait.value(within: 30))
                    #expect(["Node 98", "Node 8"].contains(found.name))
                }
            }
        }

        @Test func `a text is read again where another stands at the place of what is gone`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application(toolkit: .gtk4)
                let waiting = Background { [folder = scene.runtimeFolder] in
                    try Client(folder).waitFor("entry[text=done]", milliseconds: 30_000)
                }
                _ = try await app.waitForCall("GetText", on: "entry", within: .seconds(20))
                // GTK 4 takes what it hides from its parent's list.
                try app.hide("entry")
                try scene.wait(within: 20, "it is gone") { try scene.client().find("entry").elements.isEmpty }
                app.node("entry").text = "done"
                try app.show("entry")
                #expect(try waiting.value(within: 40)?.path == app.node("entry").path)
            }
        }
    }
}
