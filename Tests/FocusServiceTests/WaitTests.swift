import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// `Wait` and moves by selector: an element may be there now, later, or never.
    @Suite(.enabled(if: hasRegistry)) struct Waiting {
        private func errorName(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch {
                return "\(error)"
            }
        }

        @Test func `an application that comes later is waited for`() async throws {
            try await withScene(registry: true) { scene in
                let waiting = Background { [folder = scene.runtimeFolder] in
                    try Client(folder).waitFor("push-button[name=OK]")
                }
                try scene.wait(within: 20, "the wait began") { try scene.client().statistics().clients.count >= 2 }
                let app = try scene.application()
                #expect(try waiting.value(within: 40)?.path == app.node("ok").path)
            }
        }

        @Test func `nothing there is told apart from no application there`() async throws {
            try await withScene(registry: true) { scene in
                let client = try scene.client()
                _ = try scene.application()
                #expect(
                    errorName { _ = try client.waitFor("#nothing", milliseconds: 300) }?.contains("noMatch") == true)
                #expect(
                    errorName { _ = try client.waitFor("application[name=mail] *", milliseconds: 300) }?
                        .contains("noSuchApplication") == true)
                #expect(
                    errorName { _ = try client.waitFor("push-button[name=OK]", .gone, milliseconds: 300) }?
                        .contains("WaitTimedOut") == true)
            }
        }

        @Test func `focused is the technology's focus, on it or inside of it`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                _ = try await scene.watch(orca, on: "cancel", of: app)
                let client = try scene.client()
                #expect(try client.waitFor("push-button", .focused)?.name == "Cancel")
                #expect(try client.waitFor("frame", .focused, technology: "orca")?.role == "frame")
                #expect(
                    errorName { _ = try client.waitFor("push-button[name=Help]", .focused, milliseconds: 300) }?
                        .contains("WaitTimedOut") == true)
                let waiting = Background { [folder = scene.runtimeFolder] in
                    try Client(folder).waitFor("push-button[name=Help]", .focused)
                }
                try await orca.present("help", of: app)
                #expect(try waiting.value(within: 40)?.name == "Help")
                #expect(try client.find(":accessibility-focused").elements.map(\.name) == ["Help"])
            }
        }

        @Test func `a move by selector goes to the one element, and says how many there are`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(follows: true)
                _ = try await scene.watch(orca, on: "cancel", of: app)
                let client = try scene.client()
                let moved = try client.move(selector: "push-button[name=Help]")
                #expect(moved.result == "confirmed" && moved.element?.name == "Help")
                let ambiguous = try client.move(selector: "push-button")
                #expect(ambiguous.result == "ambiguous" && ambiguous.matches == 4)
                let missing = try client.move(selector: "push-button[name=Nope]", milliseconds: 300)
                #expect(missing.result == "notFound" && missing.reason == "noMatch")
                let foreign = try client.move(selector: "application[name=mail] *", milliseconds: 300)
                #expect(foreign.result == "notFound" && foreign.reason == "noSuchApplication")
            }
        }

        @Test func `a move waits for its element`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(follows: true)
                _ = try await scene.watch(orca, on: "cancel", of: app)
                let moving = Background { [folder = scene.runtimeFolder] in
                    try Client(folder).move(selector: "push-button[name=Go]")
                }
                try scene.wait(within: 20, "the move waits") {
                    try scene.client().find("push-button[name=Go]").elements.isEmpty
                }
                try app.rename("help", to: "Go")
                let outcome = try moving.value(within: 40)
                #expect(outcome.result == "confirmed" && outcome.element?.path == app.node("help").path)
            }
        }
    }
}
