import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import Synchronization
import TestDesktop
import Testing

extension FocusdTests {
    /// Which applications there are: nobody who comes at a bad moment is missed for good.
    @Suite struct ApplicationLists {
        /// A registry whose answers to who is there are the test's.
        private final class Registry: Sendable {
            private let connection: FakeConnection
            private let asked = Number()

            /// `answer` gets the number of the question, from 0, and answers it or not.
            init(_ scene: FocusdScene, _ answer: @escaping @Sendable (FakeCall, Int) -> Void) throws {
                connection = try FakeConnection(bus: scene.bus.address)
                connection.serve { [asked] call in
                    switch call.member {
                    case "GetChildren": answer(call, asked.value.wrappingAdd(1, ordering: .relaxed).oldValue)
                    case "GetRegisteredEvents": call.reply([.array("(ss)", [])])
                    default: call.reply([])
                    }
                }
                try connection.requestName(FakeApplication.registry.bus)
            }

            var questions: Int { asked.value.load(ordering: .relaxed) }
        }

        /// The rule goes to the bus before the question: who comes between the answer and the rule would not be heard of.
        @Test func `who comes is listened to before it is asked who is there`() async throws {
            try await withScene { scene in
                let registry = try Registry(scene) { call, _ in call.reply([.array("(so)", [])]) }
                let monitor = try TestDesktop.ChildProcess(
                    "/usr/bin/dbus-monitor", ["--address", scene.bus.address], environment: ["PATH": "/usr/bin:/bin"])
                defer { monitor.end() }
                // Its own connection ends to be one of the bus when it begins to listen.
                _ = try monitor.output.first(within: 20, "it listens") { $0.contains("member=NameLost") }
                #expect(try scene.client().find("label").elements.isEmpty)
                let first = try monitor.output.first(within: 20, "a rule or a question") { line in
                    line.contains("/org/a11y/atspi/accessible/root'") || line.contains("member=GetChildren")
                }
                #expect(first.contains("ChildrenChanged"), "\(first)")
                #expect(registry.questions > 0)
            }
        }

        /// The bus told of its end before the registry named it, and will not tell again.
        @Test func `who has left and is listed still is not among the applications`() async throws {
            try await withScene { scene in
                let app = scene.adopt(try FakeApplication.sample(bus: scene.bus.address, registration: .never))
                let root = DBusValue.reference(app.busName, app.node("root").path)
                app.disconnect()
                let registry = try Registry(scene) { call, _ in call.reply([.array("(so)", [root])]) }
                try scene.wait(within: 20, "nobody is there") {
                    let stats = try scene.client().statistics()
                    return try scene.client().find("label").complete
                        && !stats.applications.contains { $0.busName == app.busName }
                }
                #expect(registry.questions > 0)
            }
        }

        @Test func `a registry that does not say who is there is asked again`() async throws {
            try await withScene { scene in
                let app = scene.adopt(try FakeApplication.sample(bus: scene.bus.address, registration: .never))
                let root = DBusValue.reference(app.busName, app.node("root").path)
                let registry = try Registry(scene) { call, number in
                    if number < 2 {
                        call.fail("org.freedesktop.DBus.Error.NoReply", "it has much to do")
                    } else {
                        call.reply([.array("(so)", [root])])
                    }
                }
                let watch = try StateWatch(scene.runtimeFolder, ["ok": "push-button[name=OK]"])
                #expect(watch.first.value == nil)
                #expect(try scene.client().waitFor("push-button[name=OK]")?.name == "OK")
                #expect(registry.questions >= 3)
            }
        }

        /// Of whom no event tells is found by who waits, as what no event tells of in a tree is.
        @Test func `who waits finds an application that the registry said nothing of`() async throws {
            try await withScene { scene in
                let late = Late()
                let registry = try Registry(scene) { call, _ in
                    call.reply([.array("(so)", late.root.withLock { $0 }.map { [$0] } ?? [])])
                }
                #expect(try scene.client().find("push-button[name=OK]").elements.isEmpty)
                let app = scene.adopt(try FakeApplication.sample(bus: scene.bus.address, registration: .never))
                late.root.withLock { $0 = .reference(app.busName, app.node("root").path) }
                #expect(try scene.client().waitFor("push-button[name=OK]")?.name == "OK")
                #expect(registry.questions >= 2)
            }
        }
    }
}

/// A number that threads share.
private final class Number: Sendable {
    let value = Atomic<Int>(0)
}

/// The root of an application that comes later.
private final class Late: Sendable {
    let root = Mutex<DBusValue?>(nil)
}
