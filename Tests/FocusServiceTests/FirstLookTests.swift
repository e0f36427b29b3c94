import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// Whoever starts focusd by asking it is answered as truly as who asks later.
    @Suite(.enabled(if: hasRegistry, "needs at-spi2-core")) struct FirstLooks {
        @Test func `the first answer after a start knows the bus, who is there, and where`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(registers: true)
                _ = try await scene.watch(orca, on: "ok", of: app)
                let questions: [(String, (Client) throws -> Bool)] = [
                    (
                        "technologies",
                        { try $0.listTechnologies().filter(\.active).map(\.id).sorted() == ["keyboard", "orca"] }
                    ),
                    ("focus", { try $0.focus(of: "orca").element?.name == "OK" }),
                    ("keyboard", { try $0.focus(of: "keyboard").element != nil }),
                    ("applications", { try $0.applications().contains { $0.busName == app.busName } }),
                    ("doctor", { try !$0.diagnose().contains { $0.severity == "error" } }),
                    ("move", { try $0.move(to: app.referenceText("cancel")).reason != "technologyNotActive" }),
                ]
                for (name, isRight) in questions {
                    try scene.restartFocusd()
                    #expect(try isRight(try scene.client()), "\(name)")
                }
            }
        }

        /// What is no question about the desktop is answered at once, and no application holds up the others for long.
        @Test func `an application that stands still does not hold up the first answers`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(registers: true)
                _ = try await scene.watch(orca, on: "ok", of: app)
                app.stop()
                try scene.restartFocusd()
                let begin = ContinuousClock.now
                #expect(try scene.client().listTechnologies().contains { $0.id == "orca" && $0.active })
                #expect(begin.duration(to: .now) < .seconds(5))
                app.resume()
            }
        }
    }
}
