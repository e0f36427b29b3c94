import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// A move to an element that is not there yet, or not alone: where the user is decides.
    @Suite(.enabled(if: hasRegistry)) struct WaitingMoves {
        /// Two applications, the first one active, with the reader in it; a third whose window is not active.
        private func withUser(
            _ body: (FocusdScene, _ here: FakeApplication, _ there: FakeApplication, FakeScreenReaderProcess)
                async throws -> Void
        ) async throws {
            try await withScene(registry: true) { scene in
                let (here, there) = (try scene.application("here"), try scene.application("there"))
                there.node("frame").states.remove(.active)
                let orca = try scene.reader(follows: true)
                _ = try await scene.watch(orca, on: "cancel", of: here)
                try await body(scene, here, there, orca)
            }
        }

        /// A move that waits, with everything read and looked at once.
        private func waitingMove(_ scene: FocusdScene, to selector: String) throws -> Background<Outcome> {
            let loads = try scene.counter("mirrorLoads")
            let client = try scene.client()
            let moving = Background { [folder = scene.runtimeFolder] in
                try Client(folder).move(selector: selector, milliseconds: 60_000)
            }
            // Who waits for a mirror reads it; nobody else asked for any.
            try scene.wait(within: 20, "the move waits") { try scene.counter("mirrorLoads") >= loads + 2 }
            #expect(try client.find(selector).complete)
            // The move looks at the next turn of the loop after the trees are there.
            for _ in 0..<3 { _ = try client.find(selector) }
            return moving
        }

        private func goOver(
            _ scene: FocusdScene, _ orca: FakeScreenReaderProcess, from here: FakeApplication, to there: FakeApplication
        ) async throws {
            try here.deactivate("frame")
            try there.activate("frame")
            try there.moveFocus(to: "cancel")
            try await orca.present("cancel", of: there)
            for technology in ["orca", "keyboard"] {
                try scene.wait(within: 20, "\(technology) over there") {
                    try scene.client().focus(of: technology).element?.busName == there.busName
                }
            }
        }

        @Test func `a user who has gone elsewhere meanwhile is not pulled back`() async throws {
            try await withUser { scene, here, there, orca in
                let moving = try waitingMove(scene, to: "push-button[name=Go]")
                try await goOver(scene, orca, from: here, to: there)
                try here.rename("help", to: "Go")
                let outcome = try moving.value(within: 60)
                #expect(outcome.result == "refused" && outcome.reason == "userMovedAway")
                #expect(try scene.client().focus(of: "orca").element?.busName == there.busName)
                #expect(here.count("GrabFocus") == 0)
            }
        }

        @Test func `where the user has gone the element is reached`() async throws {
            try await withUser { scene, here, there, orca in
                let moving = try waitingMove(scene, to: "push-button[name=Go]")
                try await goOver(scene, orca, from: here, to: there)
                try there.rename("help", to: "Go")
                let outcome = try moving.value(within: 60)
                #expect(outcome.result == "confirmed" && outcome.element?.busName == there.busName)
            }
        }

        @Test func `a user who has stayed is moved when the element comes, wherever that is`() async throws {
            try await withUser { scene, here, there, orca in
                let moving = try waitingMove(scene, to: "push-button[name=Go]")
                try await orca.present("entry", of: here)
                try there.rename("help", to: "Go")
                let outcome = try moving.value(within: 60)
                #expect(outcome.result == "confirmed" && outcome.element?.busName == there.busName)
            }
        }

        @Test func `of several matches the only one in the active window wins`() async throws {
            try await withUser { scene, here, there, orca in
                let first = try scene.client().move(selector: "push-button[name=Help]")
                #expect(first.result == "confirmed" && first.element?.busName == here.busName)
                try await goOver(scene, orca, from: here, to: there)
                // The mirror has heard of the windows when a search has.
                try scene.wait(within: 20, "the other window is active") {
                    try scene.client().find("frame:active").elements.map(\.busName) == [there.busName]
                }
                let second = try scene.client().move(selector: "push-button[name=Help]")
                #expect(second.result == "confirmed" && second.element?.busName == there.busName)
                let ambiguous = try scene.client().move(selector: "push-button")
                #expect(ambiguous.result == "ambiguous" && ambiguous.matches == 8)
            }
        }

        @Test func `a move that nobody waits for any more is not made`() async throws {
            try await withUser { scene, here, _, _ in
                do {
                    let client = try scene.client()
                    _ = try client.stream(
                        MoveFocus.self, .init(selector: "push-button[name=Go]", timeoutMilliseconds: 60_000))
                    try scene.wait(within: 20, "the move waits") { try scene.counter("mirrorLoads") >= 2 }
                }
                try scene.wait(within: 20, "it is gone") { try scene.client().statistics().clients.count == 1 }
                try here.rename("help", to: "Go")
                #expect(try scene.client().waitFor("push-button[name=Go]") != nil)
                #expect(here.count("GrabFocus") == 0)
                #expect(try scene.client().focus(of: "orca").element?.name == "Cancel")
            }
        }
    }
}
