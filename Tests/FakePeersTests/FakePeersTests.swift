import FakePeers
import Foundation
import Testing

private let mustHaveAll = ProcessInfo.processInfo.environment["FOCUSD_REQUIRE_ALL"] == "1"

@Suite struct FakeApplicationTests {
    @Test func `the sample application tells the truth about its tree`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address, name: "calc")
            let client = try FakeConnection(bus: bus.address)
            let children = try await client.call(app.busName, app.node("panel").path, accessible, "GetChildren")
            let keys = ["ok", "cancel", "help", "entry", "label", "password", "hidden"]
            #expect(children == [.array("(so)", keys.map { app.referenceValue($0) })])
            let ok = app.node("ok")
            #expect(try await client.call(app.busName, ok.path, accessible, "GetRole") == [.uint32(43)])
            #expect(try await client.call(app.busName, ok.path, accessible, "GetRoleName") == ["push button"])
            #expect(try await client.call(app.busName, ok.path, accessible, "GetIndexInParent") == [0])
            let states = try await client.call(app.busName, ok.path, accessible, "GetState")
            let bits: UInt32 = [8, 11, 12, 24, 25, 30].reduce(0) { $0 | 1 << $1 }
            #expect(states == [.array("u", [.uint32(bits), .uint32(0)])])
            #expect(try await client.property(app.busName, ok.path, accessible, "Name") == "OK")
            let parent = try await client.property(app.busName, ok.path, accessible, "Parent")
            #expect(parent.referenced == app.reference("panel"))
            #expect(try await client.property(app.busName, app.root.path, accessible, "ChildCount") == 1)
            let toolkit = try await client.property(
                app.busName, app.root.path, "org.a11y.atspi.Application", "ToolkitName")
            #expect(toolkit == "gtk")
        }
    }

    @Test(arguments: FakeToolkit.allCases)
    func `the cache has the signature of its style`(toolkit: FakeToolkit) async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address, toolkit: toolkit)
            let client = try FakeConnection(bus: bus.address)
            for (style, signature, count) in [
                (CacheStyle.modern, "a((so)(so)(so)iiassusau)", app.nodes.count),
                (.legacy, "a((so)(so)(so)a(so)assusau)", app.nodes.count),
                (.legacyEmpty, "a((so)(so)(so)a(so)assusau)", 0),
            ] {
                app.cache = style
                let items = try await client.call(app.busName, cachePath, cacheInterface, "GetItems")
                #expect(items.map(\.typeSignature) == [signature])
                #expect(items.first?.elements?.count == count)
            }
            app.cache = .missing
            await #expect(throws: FakePeerError.self) {
                try await client.call(app.busName, cachePath, cacheInterface, "GetItems")
            }
        }
    }

    @Test func `any node can lie`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            let client = try FakeConnection(bus: bus.address)
            let ok = app.node("ok")
            ok.parent = ok.reference
            ok.childCount = .max
            ok.indexInParent = -7
            app.script("Name", on: "ok", .values(.uint32(7)))
            app.script("GetRole", on: "ok", .values("a string", true))
            let parent = try await client.property(app.busName, ok.path, accessible, "Parent")
            #expect(parent.referenced == app.reference("ok"))
            #expect(try await client.property(app.busName, ok.path, accessible, "ChildCount") == .int32(.max))
            #expect(try await client.call(app.busName, ok.path, accessible, "GetIndexInParent") == [-7])
            #expect(try await client.property(app.busName, ok.path, accessible, "Name") == .uint32(7))
            #expect(try await client.call(app.busName, ok.path, accessible, "GetRole") == ["a string", true])
        }
    }

    @Test func `a scripted call is late, silent or an error, and others are answered meanwhile`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            let client = try FakeConnection(bus: bus.address)
            app.script("GetState", on: "ok", times: 1, .error("org.example.Broken", "no"))
            await #expect(throws: FakePeerError.replied(name: "org.example.Broken", message: "no")) {
                try await client.call(app.busName, app.node("ok").path, accessible, "GetState")
            }
            _ = try await client.call(app.busName, app.node("ok").path, accessible, "GetState")
            app.script("GetRole", on: "ok", .truth.delayed(by: .milliseconds(50)))
            async let late = client.call(app.busName, app.node("ok").path, accessible, "GetRole")
            _ = try await app.waitForCall("GetRole", on: "ok")
            _ = try await client.call(app.busName, app.node("cancel").path, accessible, "GetRole")
            #expect(try await late == [.uint32(43)])
            app.script("GetState", .never)
            await #expect(throws: FakePeerError.timedOut("answer to a call")) {
                try await client.call(
                    app.busName, app.node("ok").path, accessible, "GetState", within: .milliseconds(50))
            }
        }
    }

    @Test func `every call is counted, on its node and by property`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            let client = try FakeConnection(bus: bus.address)
            _ = try await client.property(app.busName, app.node("ok").path, accessible, "Name")
            _ = try await client.property(app.busName, app.node("entry").path, accessible, "Name")
            let place = app.calls.count
            let all = try await client.call(
                app.busName, app.node("ok").path, "org.freedesktop.DBus.Properties", "GetAll", [.string(accessible)])
            #expect(all.map(\.typeSignature) == ["a{sv}"])
            #expect(app.count("Name") == 2)
            #expect(app.count("Name", on: "ok", interface: "Accessible") == 1)
            #expect(app.count("Name", on: "ok", interface: "Component") == 0)
            #expect(app.count("GetAll") == 1)
            #expect(try await app.waitForCall("GetAll", from: place).sender == client.uniqueName)
        }
    }

    @Test func `an application in the manner of Qt dies of being asked for all properties`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address, toolkit: .qt)
            let watcher = try listener(bus)
            let client = try FakeConnection(bus: bus.address)
            let interface = "org.freedesktop.DBus.Properties"
            await #expect(throws: FakePeerError.self) {
                try await client.call(app.busName, app.node("ok").path, interface, "GetAll", [.string(accessible)])
            }
            _ = try await app.connection.ended.wait()
            let name = DBusValue.string(app.busName)
            _ = try await watcher.signals.wait { $0.member == "NameOwnerChanged" && $0.arguments == [name, name, ""] }
        }
    }

    @Test func `a stopped application answers nothing until it goes on, then everything in order`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            let client = try FakeConnection(bus: bus.address)
            let answers = Observations<[DBusValue]>()
            app.stop()
            for key in ["ok", "label"] {
                let call = try FakeMessage.call(
                    destination: app.busName, path: app.node(key).path, interface: accessible, member: "GetRole",
                    arguments: [])
                client.send(call: call) { result in if case .success(let values) = result { answers.append(values) } }
            }
            _ = try await app.waitForCall("GetRole", on: "label")
            try await app.connection.settled()
            #expect(answers.count == 0)
            app.resume()
            _ = try await answers.wait(2)
            #expect(answers.all == [[.uint32(43)], [.uint32(29)]])
        }
    }

    @Test func `GrabFocus moves the focus, and its events come before its answer`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            let client = try listener(bus)
            let component = "org.a11y.atspi.Component"
            #expect(try await client.call(app.busName, app.node("label").path, component, "GrabFocus") == [false])
            #expect(try await client.call(app.busName, app.node("entry").path, component, "GrabFocus") == [true])
            let focus = client.signals.all.filter { $0.member == "StateChanged" }
            #expect(focus.map(\.path) == [app.node("ok").path] + Array(repeating: app.node("entry").path, count: 2))
            #expect(focus.map { $0.arguments[1] } == [0, 1, 1])
            #expect(app.node("entry").states.contains(.focused) && !app.node("ok").states.contains(.focused))
            let gtk4 = try FakeApplication.sample(bus: bus.address, name: "four", toolkit: .gtk4)
            await #expect(throws: FakePeerError.self) {
                try await client.call(gtk4.busName, gtk4.node("ok").path, component, "GrabFocus")
            }
            app.script("GrabFocus", on: "help", .values(true).first { try $0.moveFocus(to: "cancel") })
            #expect(try await client.call(app.busName, app.node("help").path, component, "GrabFocus") == [true])
            #expect(app.node("cancel").states.contains(.focused))
        }
    }

    @Test func `events have the body of the toolkit, or the one that is asked for`() async throws {
        try await withBus { bus in
            let client = try listener(bus)
            let modern = try FakeApplication.sample(bus: bus.address)
            let legacy = try FakeApplication.sample(bus: bus.address, name: "old", toolkit: .qt)
            try modern.emitFocused("ok", 1)
            try legacy.emitFocused("ok", 1)
            let bodies = [modern, legacy].map { app in
                { @Sendable (signal: FakeSignal) in signal.sender == app.busName }
            }
            #expect(try await client.signals.wait(where: bodies[0]).signature == "siiva{sv}")
            let old = try await client.signals.wait(where: bodies[1])
            #expect(old.signature == "siiv(so)")
            #expect(old.arguments[3].referenced == legacy.reference("ok"))
            try modern.emitRaw(
                path: "/nowhere", interface: "org.a11y.atspi.Event.Object", member: "StateChanged", [.double(1)])
            #expect(try await client.signals.wait { $0.path == "/nowhere" }.arguments == [.double(1)])
        }
    }

    @Test func `forged signals carry the forger's own name`() async throws {
        try await withBus { bus in
            let (victim, forger) = (
                try FakeApplication.sample(bus: bus.address), try FakeApplication.sample(bus: bus.address, name: "evil")
            )
            let client = try listener(bus)
            try forger.emit(.stateChanged("focused", 1), from: victim.node("frame").path)
            try forger.forgeNameOwnerChanged(victim.busName, from: victim.busName, to: "")
            let forged = try await client.signals.wait { $0.member == "NameOwnerChanged" && $0.arguments.last == "" }
            #expect(forged.sender == forger.busName)
            #expect(client.signals.all.contains { $0.sender == forger.busName && $0.member == "StateChanged" })
        }
    }

    @Test func `what D-Bus cannot carry is an error here and not the end of the process`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            #expect(throws: FakePeerError.self) { try app.emitRaw(path: "no path", interface: "a.b", member: "C", []) }
            #expect(throws: FakePeerError.self) {
                try app.emitRaw(path: "/p", interface: "a.b", member: "C", [.array("s", [.int32(1)])])
            }
            #expect(throws: FakePeerError.self) {
                try app.emitRaw(path: "/p", interface: "a.b", member: "C", [.string("a\0b")])
            }
        }
    }

    @Test func `a flood arrives whole and in order while calls are answered`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            let client = try listener(bus)
            let flood = try app.flood(
                [(.propertyChange("a", "1"), from: "ok"), (.propertyChange("b", "2"), from: "label")], count: 5000)
            _ = try await client.call(app.busName, app.node("ok").path, accessible, "GetRole")
            #expect(try await flood.wait() == 5000)
            _ = try await client.signals.wait(5000) { $0.member == "PropertyChange" }
            let details = client.signals.all.filter { $0.member == "PropertyChange" }.map { $0.arguments[0].text }
            #expect(details == (0..<5000).map { $0.isMultiple(of: 2) ? "a" : "b" })
        }
    }

    @Test func `a removed node is announced, then gone`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            let client = try listener(bus)
            let (path, reference) = (app.node("ok").path, app.referenceValue("ok"))
            try app.remove("ok")
            let removal = try await client.signals.wait { $0.member == "ChildrenChanged" }
            #expect(removal.path == app.node("panel").path)
            #expect(Array(removal.arguments.prefix(4)) == ["remove", 0, 0, .variant(reference)])
            await #expect(throws: FakePeerError.self) {
                try await client.call(app.busName, path, accessible, "GetRole")
            }
        }
    }

    @Test(.enabled(if: mustHaveAll || PrivateBus.hasRegistry, "needs at-spi2-core"))
    func `with a real registry the application is on its desktop`() async throws {
        try await withBus(registry: true) { bus in
            let app = try FakeApplication.sample(bus: bus.address, registration: .required)
            let reader = try FakeScreenReader(bus: bus.address, registers: true)
            let desktop = FakeApplication.registry
            let children = try await reader.connection.call(desktop.bus, desktop.path, accessible, "GetChildren")
            #expect(children == [.array("(so)", [app.referenceValue("root")])])
            #expect(app.root.parent.path == desktop.path)
            let events = try await reader.connection.call(
                desktop.bus, "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "GetRegisteredEvents")
            let owners = events.first?.elements?.compactMap { $0.elements?.first?.text } ?? []
            #expect(Set(owners) == [reader.busName])
            #expect(owners.count == 3)
        }
    }
}

@Suite struct FakeScreenReaderTests {
    @Test func `a presentation is ModeChanged, then RegionChanged`() async throws {
        try await withBus { bus in
            let reader = try FakeScreenReader(bus: bus.address)
            let client = try listener(bus)
            try reader.present(mode: "say-all", bus: ":9.9", path: "/some/where", start: 3, end: 7)
            let signals = Observations<FakeSignal>()
            for number in 1...2 {
                signals.append(try await client.signals.wait(number) { $0.sender == reader.busName })
            }
            #expect(signals.all.map(\.member) == ["ModeChanged", "RegionChanged"])
            #expect(Set(signals.all.map(\.path)) == ["/org/a11y/atspi/screenreader"])
            #expect(Set(signals.all.map(\.signature)) == ["siiva{sv}"])
            #expect(Array(signals.all[0].arguments.prefix(3)) == ["say-all", 1, 0])
            #expect(Array(signals.all[1].arguments.prefix(3)) == ["", 3, 7])
            #expect(signals.all[1].arguments[3].referenced == FakeReference(bus: ":9.9", path: "/some/where"))
        }
    }

    @Test func `it follows the keyboard focus, once for two events of the same move`() async throws {
        try await withBus { bus in
            let reader = try FakeScreenReader(bus: bus.address)
            let app = try FakeApplication.sample(bus: bus.address)
            try app.moveFocus(to: "cancel")
            try app.moveFocus(to: "entry")
            _ = try await reader.presented.wait { $0.element == app.reference("entry") }
            #expect(reader.presented.all.count { $0.element == app.reference("entry") } == 1)
            #expect(app.count("GetState", on: "entry") >= 1)
            // From a node that does not have the focus the event alone is nothing.
            let place = reader.presented.count
            try app.emitFocused("help", 1)
            try app.moveFocus(to: "ok")
            #expect(try await reader.presented.wait(from: place).element == app.reference("ok"))
        }
    }

    @Test func `it follows an active descendant, sent to it alone, after asking the source`() async throws {
        try await withBus { bus in
            let reader = try FakeScreenReader(bus: bus.address)
            let app = try FakeApplication.sample(bus: bus.address)
            let source = try FakeApplication(
                bus: bus.address, name: "helper", registration: .never,
                windows: [FakeNode("one", .list, states: .shown.union([.focusable, .focused]))])
            let event = FakeEvent.activeDescendantChanged(app.referenceValue("label"))
            try source.emit(event, from: "one", to: reader.busName)
            #expect(try await reader.presented.wait().element == app.reference("label"))
            #expect(source.count("GetState", on: "one") == 1)
            // The same once more: it is there already. Something else first, then what is named.
            reader.behaviour.descendants = .presentFirst(app.reference("help"))
            try source.emit(event, from: "one", to: reader.busName)
            #expect(try await reader.presented.wait(2).element == app.reference("help"))
            #expect(try await reader.presented.wait(3).element == app.reference("label"))
            // Neither source nor target has the focus: nothing. What comes next shows that it was passed over.
            source.node("one").states.remove(.focused)
            reader.behaviour.descendants = .follow
            try source.emit(.activeDescendantChanged(app.referenceValue("help")), from: "one")
            try app.moveFocus(to: "cancel")
            #expect(try await reader.presented.wait(4).element == app.reference("cancel"))
        }
    }

    @Test func `its process is known by its command line, answers each command, and can crash`() async throws {
        try await withBus { bus in
            let app = try FakeApplication.sample(bus: bus.address)
            let client = try listener(bus)
            let reader = try FakeScreenReaderProcess(bus: bus.address, as: "orca")
            defer { reader.quit() }
            let words = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(reader.pid)/cmdline")).split(separator: 0)
            #expect(words.first.map { String(decoding: $0, as: UTF8.self) } == "orca")
            let owner = try client.busBlocking("GetConnectionUnixProcessID", [.string(reader.busName)])
            #expect(owner == [.uint32(UInt32(reader.pid))])
            let time = try await reader.present("label", of: app, mode: "flat-review")
            #expect(time > 0 && time <= monotonicMicroseconds())
            let region = try await client.signals.wait { $0.member == "RegionChanged" }
            #expect(region.sender == reader.busName && region.arguments[3].referenced == app.reference("label"))
            try await reader.storm(count: 100, bus: app.busName, paths: (app.node("ok").path, app.node("help").path))
            _ = try await client.signals.wait(101) { $0.member == "RegionChanged" }
            try await reader.follow(false)
            try await reader.setDescendants(.followAfter(.milliseconds(5)))
            await #expect(throws: FakePeerError.self) { try await reader.ask("dance") }
            let name = DBusValue.string(reader.busName)
            reader.crash()
            _ = try await client.signals.wait { $0.member == "NameOwnerChanged" && $0.arguments == [name, name, ""] }
        }
    }
}
