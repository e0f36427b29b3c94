import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// `Find`: which elements a selector matches now, and what of it may not be the truth of this moment.
    @Suite(.enabled(if: hasRegistry)) struct Finding {
        /// focusd, a registry, and one application in its list.
        private func withApplication(
            toolkit: FakeToolkit = .gtk3, _ body: (FocusdScene, FakeApplication, Client) async throws -> Void
        ) async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application(toolkit: toolkit)
                try await body(scene, app, try scene.client())
            }
        }

        @Test func `by role and name, in the order of the tree`() async throws {
            try await withApplication { _, app, client in
                let found = try client.find("push-button")
                #expect(found.elements.map(\.name) == ["OK", "Cancel", "Help", "Hidden"])
                #expect(found.complete && found.stale.isEmpty)
                #expect(found.elements[0].path == app.node("ok").path)
                #expect(found.elements[0].busName == app.busName)
                #expect(found.elements[0].window?.name == "calc window")
                #expect(found.elements[0].application.name == "calc" && found.elements[0].application.responding)
                #expect(try client.find("application[name=calc] frame:active button[name='Help']").elements.count == 1)
                #expect(try client.find("application[name=other] button").elements.isEmpty)
            }
        }

        @Test(arguments: [FakeToolkit.gtk3, .gtk4, .qt])
        func `the same elements are found in every toolkit`(_ toolkit: FakeToolkit) async throws {
            try await withApplication(toolkit: toolkit) { _, _, client in
                #expect(try client.find("frame > panel > push-button[name=OK]").elements.count == 1)
                let children = try client.find("panel > *")
                #expect(children.complete)
            }
        }

        @Test func `what no cache tells is asked for when a selector names it, and only then`() async throws {
            try await withApplication { _, app, client in
                app.node("help").accessibleID = "help-button"
                _ = try client.find("push-button")
                #expect(app.count("AccessibleId") == 0)
                #expect(try client.find("#help-button").elements.map(\.name) == ["Help"])
                #expect(try client.find("entry[text*='12.50']").elements.map(\.name) == ["Amount"])
                #expect(app.count("GetText") == 1)
                #expect(try client.find("[text*=hunter]").elements.isEmpty)
                #expect(!app.calls.all.contains { $0.member == "GetText" && $0.path == app.node("password").path })
                #expect(app.count("GetAll") == 0)
            }
        }

        @Test func `an id that an element gets after it was asked for one is found by who waits`() async throws {
            try await withApplication { _, app, client in
                #expect(try client.find("#late").elements.isEmpty)
                app.node("help").accessibleID = "late"
                // Nobody looks at an application that sends nothing but where somebody waits.
                let found = try client.waitFor("#late")
                #expect(found?.name == "Help")
                #expect(try client.find("#late").elements.map(\.name) == ["Help"])
            }
        }

        @Test func `of an element that tells of another id only that is asked again`() async throws {
            try await withApplication { scene, app, client in
                #expect(try client.find("#late").elements.isEmpty)
                for (id, other) in [("late", "later"), ("later", "late")] {
                    let asked = app.count("AccessibleId")
                    app.node("help").accessibleID = id
                    try app.emit(.propertyChange("accessible-id", .string(id)), from: "help")
                    try scene.wait(within: 20, "the id is known") { try client.find("#\(id)").elements.count == 1 }
                    #expect(app.count("AccessibleId") == asked + 1)
                    #expect(try client.find("#\(other)").elements.isEmpty)
                }
            }
        }

        @Test func `extents and attributes come where they are asked for`() async throws {
            try await withApplication { _, _, client in
                #expect(try client.find("push-button[name=OK]").elements.first?.extents == nil)
                let element = try client.find("push-button[name=OK]", fields: ["extents", "attributes", "selector"])
                    .elements.first
                #expect(element?.extents != nil && element?.attributes != nil)
                let selector = try #require(element?.selector)
                #expect(try client.find(selector).elements.map(\.name) == ["OK"])
            }
        }

        @Test func `a limit leaves the rest out and says so`() async throws {
            try await withApplication { _, _, client in
                let found = try client.find("push-button", limit: 2)
                #expect(found.elements.count == 2 && !found.complete)
            }
        }

        @Test func `a bad selector is an error with its place`() async throws {
            try await withApplication { _, _, client in
                let error = #expect(throws: FocusSocketError.self) { try client.find("push-button[name=") }
                let said = error.map { "\($0)" } ?? ""
                #expect(said.contains("InvalidSelector") && said.contains("17"), "it said \(said)")
            }
        }

        @Test func `an application that does not answer is named, and the others are found`() async throws {
            try await withApplication { scene, _, client in
                let frozen = try scene.application("frozen")
                frozen.stop()
                let found = try client.find("push-button[name=OK]")
                #expect(found.elements.map(\.application.name) == ["calc"])
                #expect(!found.complete && found.stale.map(\.busName) == [frozen.busName])
                frozen.resume()
                try scene.wait(within: 30, "both found") {
                    try client.find("push-button[name=OK]").elements.count == 2
                }
            }
        }

        @Test func `the mirror follows the application`() async throws {
            try await withApplication { _, app, client in
                #expect(try client.find("push-button[name=Go]").elements.isEmpty)
                try app.rename("help", to: "Go")
                #expect(try client.waitFor("push-button[name=Go]")?.path == app.node("help").path)
                try app.rename("help", to: "Help")
                #expect(try client.waitFor("push-button[name=Go]", .gone) == nil)
            }
        }
    }
}
