import AccessibilityFocus
import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What a screen reader is told to say, and by which way.
    @Suite struct Announcing {
        // MARK: - By events

        @Test func `a screen reader of unknown version is shown a notification that says the text`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                let bystander = try scene.peer()
                try bystander.listen("type='signal'")
                #expect(try scene.announce("Saved") == Announce.Reply(route: "notification", delivered: true))
                let event = try #require(try await orca.heard("StateChanged").last)
                #expect(event.interface == "org.a11y.atspi.Event.Object")
                #expect(event.arguments.prefix(3) == ["showing", "1", "0"])
                let shown = try await Shown(event, bystander)
                #expect(shown.name == "Saved" && shown.role == 101 && shown.parent == shown.root)
                #expect(shown.states.isSuperset(of: [.showing, .visible]))
                #expect(shown.states.isDisjoint(with: [.focused, .focusable]))
                #expect(shown.siblings.contains(event.path) && shown.index == shown.siblings.firstIndex(of: event.path))
                // Nobody else hears of it, no application has come, and nothing has moved.
                try await bystander.settled()
                #expect(bystander.signals.all.allSatisfy { $0.sender != event.sender })
                #expect(try scene.client().applications().allSatisfy { $0.busName != event.sender })
                try await orca.present("help", of: app)
                try watch.expect(app, "help", cause: "moved")
            }
        }

        @Test func `texts in quick succession keep each its own place`() async throws {
            try await withScene { scene in
                let orca = try await scene.watchedReader()
                let texts = (1...5).map { "Message \($0)" }
                for text in texts { #expect(try scene.announce(text).delivered) }
                let events = try await orca.heard("StateChanged", 5)
                #expect(Set(events.map(\.path)).count == 5)
                let peer = try scene.peer()
                for (event, text) in zip(events, texts) { #expect(try await Shown(event, peer).name == text) }
            }
        }

        @Test(arguments: [("48.1", true), ("51.2", true), ("47.9", false), ("43.1", false), ("beta", false)])
        func `an Orca from 48 on is sent an announcement`(version: String, listens: Bool) async throws {
            try await withScene { scene in
                let installation = try OrcaInstallation(version: version)
                let orca = try await scene.watchedReader(installation.program)
                for isUrgent in [false, true] {
                    let reply = try scene.announce("Battery low", urgent: isUrgent)
                    #expect(
                        reply == Announce.Reply(route: listens ? "announcement" : "notification", delivered: true))
                }
                guard listens else { return #expect(try await orca.heard("StateChanged", 2).count == 2) }
                let events = try await orca.heard("Announcement", 2)
                #expect(events.map { $0.arguments[1] } == ["1", "2"])
                #expect(events.allSatisfy { $0.arguments[3] == "Battery low" })
                let shown = try await Shown(events[0], try scene.peer())
                #expect(shown.role == 101 && shown.name == "Battery low")
            }
        }

        @Test func `a screen reader that goes to the notification is on no element`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let orca = try scene.reader()
                let watch = try await scene.watch(orca, on: "ok", of: app)
                _ = try scene.announce("Saved")
                let event = try #require(try await orca.heard("StateChanged").last)
                try await orca.present(bus: event.sender, path: event.path)
                try await orca.present("help", of: app)
                #expect(try watch.expect(app, "help", cause: "moved").previous?.name == "OK")
            }
        }

        // MARK: - By the remote controller

        @Test(arguments: FakeRemoteController.Generation.allCases)
        func `where the screen reader has a remote controller it gets the text as it is`(
            generation: FakeRemoteController.Generation
        ) async throws {
            try await withSession { session, scene in
                let orca = try await scene.watchedReader()
                try await orca.serveController(generation, on: session)
                let text = "Zwölf\tZeichen\u{202E}\u{7}\n🙂"
                #expect(try scene.announce(text) == Announce.Reply(route: "remoteController", delivered: true))
                let told = try await orca.told(1)
                #expect(told.map(\.path) == [generation.path])
                #expect(told.map(\.interface) == [generation.name])
                #expect(told.map(\.member) == ["PresentMessage"])
                #expect(told.map(\.arguments) == [[text]])
            }
        }

        @Test func `of both remote controllers the newer one is told`() async throws {
            try await withSession { session, scene in
                let orca = try await scene.watchedReader()
                try await orca.serveController(.first, on: session)
                try await orca.serveController(.second, on: session)
                #expect(try scene.announce("Saved").route == "remoteController")
                #expect(try await orca.told(1).map(\.path) == [FakeRemoteController.Generation.second.path])
            }
        }

        @Test(arguments: FakeRemoteController.Generation.allCases)
        func `what is urgent interrupts first`(generation: FakeRemoteController.Generation) async throws {
            try await withSession { session, scene in
                let orca = try await scene.watchedReader()
                try await orca.serveController(generation, on: session)
                _ = try scene.announce("Fire", urgent: true)
                let told = try await orca.told(2)
                #expect(told.last?.member == "PresentMessage")
                let interruptions = told.dropLast()
                if generation == .second {
                    #expect(interruptions.map(\.path) == ["/org/gnome/Orca1/Service/SpeechManager"])
                    #expect(interruptions.map(\.interface) == ["org.gnome.Orca1.SpeechManager"])
                    #expect(interruptions.map(\.member) == ["InterruptSpeech"])
                    #expect(interruptions.map(\.arguments) == [["false"]])
                } else {
                    #expect(
                        interruptions.map(\.path) == [
                            "/org/gnome/Orca/Service/SpeechManager",
                            "/org/gnome/Orca/Service/SpeechAndVerbosityManager",
                        ])
                    #expect(interruptions.allSatisfy { $0.interface == "org.gnome.Orca.Module" })
                    #expect(interruptions.allSatisfy { $0.member == "ExecuteCommand" })
                    #expect(interruptions.allSatisfy { $0.arguments == ["InterruptSpeech", "false"] })
                }
            }
        }

        @Test(arguments: [FakeRemoteController.Answer.no, .error])
        func `what the remote controller refuses goes another way`(answer: FakeRemoteController.Answer) async throws {
            try await withSession { session, scene in
                let orca = try await scene.watchedReader()
                try await orca.serveController(.second, on: session, answer: answer)
                #expect(try scene.announce("Saved") == Announce.Reply(route: "notification", delivered: true))
                #expect(try await orca.heard("StateChanged").count == 1)
            }
        }

        @Test func `a remote controller that does not answer was told all the same and holds up nobody`() async throws {
            try await withSession { session, scene in
                let orca = try await scene.watchedReader()
                try await orca.serveController(.second, on: session, answer: .never)
                let folder = scene.runtimeFolder
                let caller = Background { try Client(folder).call(Announce.self, .init(text: "Saved")) }
                #expect(try await orca.told(1).map(\.member) == ["PresentMessage"])
                #expect(try scene.client().focus(of: "orca").element?.name == "OK")
                let reply = try caller.value(within: 20)
                #expect(reply == Announce.Reply(route: "remoteController", delivered: true))
            }
        }

        @Test func `who only owns the remote controller's name is told nothing`() async throws {
            try await withSession { session, scene in
                let impostor = try FakeRemoteController(session: session.address, .second)
                defer { impostor.disconnect() }
                let orca = try await scene.watchedReader()
                #expect(try scene.announce("My secret") == Announce.Reply(route: "notification", delivered: true))
                #expect(impostor.calls.all.isEmpty)
                // Behind it the screen reader's own is found, older as it is.
                try await orca.serveController(.first, on: session)
                #expect(try scene.announce("My secret").route == "remoteController")
                #expect(impostor.calls.all.isEmpty)
            }
        }

        @Test func `no remote controller is ever started`() async throws {
            let folder = try Places.makeTemporaryFolder()
            defer { do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") } }
            let mark = "\(folder)/started"
            for generation in FakeRemoteController.Generation.allCases {
                try "[D-BUS Service]\nName=\(generation.name)\nExec=/bin/sh -c \"touch \(mark); exit 1\"\n".write(
                    toFile: "\(folder)/\(generation.name).service", atomically: true, encoding: .utf8)
            }
            try await withSession(services: folder) { session, scene in
                _ = try await scene.watchedReader()
                #expect(try scene.announce("Saved").route == "notification")
                #expect(!FileManager.default.fileExists(atPath: mark))
                // They could be: to see that this test can fail.
                let peer = try FakeConnection(bus: session.address)
                defer { peer.disconnect() }
                await #expect(throws: FakePeerError.self) {
                    _ = try await peer.call(FakeRemoteController.Generation.first.name, "/", nil, "Anything")
                }
                #expect(FileManager.default.fileExists(atPath: mark))
            }
        }

        @Test func `a session bus that never answers costs a moment and no more`() async throws {
            let place = try Places.makeTemporaryFolder()
            let mute = try MuteSocket(at: "\(place)/bus", room: 0)
            defer { mute.end() }
            try await withScene(variables: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(place)/bus"]) { scene in
                _ = try await scene.watchedReader()
                let folder = scene.runtimeFolder
                let callers = (0..<3).map { number in
                    Background { try Client(folder).call(Announce.self, .init(text: "Message \(number)")) }
                }
                #expect(try scene.client().focus(of: "orca").element?.name == "OK")
                for caller in callers { #expect(try caller.value(within: 20).route == "notification") }
            }
        }

        @Test func `the end of the session bus leaves the other ways`() async throws {
            let session = try PrivateBus()
            var isStopped = false
            defer { if !isStopped { session.stop() } }
            try await withScene(session: session) { scene in
                let orca = try await scene.watchedReader()
                try await orca.serveController(.second, on: session)
                #expect(try scene.announce("Saved").route == "remoteController")
                session.stop()
                isStopped = true
                #expect(try scene.announce("Saved").route == "notification")
            }
        }

        // MARK: - Nobody, nothing, too much

        @Test func `with no screen reader nothing is delivered`() async throws {
            try await withScene { scene in
                #expect(try scene.announce("Saved") == Announce.Reply(route: nil, delivered: false))
                let orca = try await scene.watchedReader()
                #expect(try scene.announce("Saved").delivered)
                orca.quit()
                try scene.wait(within: 20, "orca gone") {
                    try scene.client().listTechnologies().allSatisfy { $0.id != "orca" || !$0.active }
                }
                #expect(try scene.announce("Saved") == Announce.Reply(route: nil, delivered: false))
            }
        }

        @Test func `a text that is empty or too long is refused, and the longest is said whole`() async throws {
            try await withScene { scene in
                let orca = try await scene.watchedReader()
                #expect(scene.refusal("")?.contains("InvalidParameter") == true)
                #expect(scene.refusal("")?.contains("text") == true)
                // Bytes count, not letters.
                let longest = String(repeating: "é", count: 4_096)
                #expect(scene.refusal(longest + "x")?.contains("maximumAnnouncementBytes") == true)
                #expect(try scene.announce(longest).delivered)
                let event = try #require(try await orca.heard("StateChanged").last)
                #expect(try await Shown(event, try scene.peer()).name == longest)
            }
        }
    }
}

/// What a screen reader finds where an event of focusd's came from.
private struct Shown {
    var name: String
    var role: Int64
    var states: FakeStates
    var parent: String
    var root = "/org/a11y/atspi/accessible/root"
    var siblings: [String]
    var index: Int?

    init(_ event: FakeMention, _ peer: FakeConnection) async throws {
        let (bus, interface) = (event.sender, "org.a11y.atspi.Accessible")
        func ask(_ member: String, _ path: String) async throws -> DBusValue {
            try #require(try await peer.call(bus, path, interface, member).first)
        }
        name = try await peer.property(bus, event.path, interface, "Name").text ?? ""
        role = try await ask("GetRole", event.path).number ?? -1
        let words = try await ask("GetState", event.path).elements?.map { UInt64($0.number ?? 0) } ?? []
        states = FakeStates(rawValue: words.reversed().reduce(0) { $0 << 32 | $1 })
        parent = try await peer.property(bus, event.path, interface, "Parent").referenced?.path ?? ""
        siblings = try await ask("GetChildren", root).elements?.compactMap { $0.referenced?.path } ?? []
        index = try await ask("GetIndexInParent", event.path).number.map { Int($0) }
    }
}

/// Files as an installed Orca has them: a program, and beside it what says its version.
final class OrcaInstallation {
    private let folder: String
    var program: String { "\(folder)/bin/orca" }

    init(version: String) throws {
        folder = try Places.makeTemporaryFolder()
        let package = "\(folder)/lib/python3/dist-packages/orca"
        try FileManager.default.createDirectory(atPath: package, withIntermediateDirectories: true)
        try "version = \"\(version)\"\n".write(
            toFile: "\(package)/orca_platform.py", atomically: true, encoding: .utf8)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
    }
}

/// A scene with a session bus that focusd knows.
private func withSession(
    services: String? = nil, _ body: (PrivateBus, FocusdScene) async throws -> Void
) async throws {
    let session = try PrivateBus(services: services)
    defer { session.stop() }
    try await withScene(session: session) { scene in try await body(session, scene) }
}

extension FocusdScene {
    fileprivate func announce(_ text: String, urgent: Bool? = nil) throws -> Announce.Reply {
        try client().call(Announce.self, .init(text: text, urgent: urgent))
    }

    /// Why a text is refused, in the error's words.
    fileprivate func refusal(_ text: String) -> String? {
        do {
            _ = try announce(text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// A screen reader of this name that is on an element already.
    fileprivate func watchedReader(_ name: String = "orca") async throws -> FakeScreenReaderProcess {
        let reader = try reader(name)
        _ = try await watch(reader, on: "ok", of: try application())
        return reader
    }
}
