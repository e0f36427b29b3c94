import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

extension FocusdTests {
    /// What the doctor finds on a desktop: each provoked, and gone once it is mended.
    @Suite struct DesktopFindings {
        // MARK: - The bus

        @Test func `noAccessibilityBus`() async throws {
            try await withScene { scene in
                #expect(try scene.found(.noAccessibilityBus) == nil)
                scene.stopBus()
                try scene.expectFound(.noAccessibilityBus)
                try scene.startBusAgain()
                try scene.expectGone(.noAccessibilityBus)
            }
        }

        @Test func `noRegistry and registryNotResponding`() async throws {
            try await withScene { scene in
                try scene.expectFound(.noRegistry, "org.a11y.atspi.Registry")
                #expect(try scene.found(.registryNotResponding) == nil)
                let mute = try FakeRegistry(bus: scene.bus, isMute: true)
                try scene.expectFound(.registryNotResponding)
                #expect(try scene.found(.noRegistry) == nil)
                mute.leave()
                let registry = try FakeRegistry(bus: scene.bus)
                try scene.expectGone(.registryNotResponding)
                #expect(try scene.found(.noRegistry) == nil)
                registry.leave()
            }
        }

        // MARK: - Assistive technologies

        @Test func `noTechnology and technologyActive`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                try scene.expectFound(.noTechnology, "odilia, orca")
                #expect(try scene.found(.technologyActive) == nil)
                let orca = try scene.reader()
                try await orca.present("ok", of: app)
                try scene.expectFound(.technologyActive, "orca is active (process \(orca.pid), \(orca.busName))")
                #expect(try scene.found(.noTechnology) == nil)
                orca.quit()
                try scene.expectGone(.technologyActive)
                try scene.expectFound(.noTechnology)
            }
        }

        @Test func `technologyVersionUnknown and technologyLimited`() async throws {
            let session = try PrivateBus()
            defer { session.stop() }
            try await withScene(session: session) { scene in
                let app = try scene.application()
                let unknown = try scene.reader()
                try await unknown.present("ok", of: app)
                try scene.expectFound(.technologyVersionUnknown, "orca")
                #expect(try scene.found(.technologyLimited) == nil)
                // It tells by its remote controller, as 49 and later do.
                try await unknown.serveController(.second, on: session)
                try scene.expectFound(.technologyActive, "orca 51.1 is active")
                #expect(try scene.found(.technologyVersionUnknown) == nil)
                try scene.expectFound(.technologyLimited, "orca 51.1 ignores being moved")
                unknown.quit()
                try scene.expectGone(.technologyLimited)
                // By its files, as all do that a distribution installed.
                let installation = try OrcaInstallation(version: "43.1")
                let old = try scene.reader(installation.program)
                try await old.present("ok", of: app)
                try scene.expectFound(.technologyLimited, "orca 43.1 moves through web pages")
                try scene.expectFound(.technologyLimited, "orca 43.1 does not listen to announcements")
                #expect(try scene.found(.technologyVersionUnknown) == nil)
                #expect(try scene.found(.technologyLimited, "ignores being moved") == nil)
                old.quit()
                try scene.expectGone(.technologyLimited)
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `assumedFocus`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let orca = try scene.reader(registers: true)
                try scene.expectFound(.assumedFocus, "orca")
                try await orca.present("help", of: app)
                try scene.expectGone(.assumedFocus)
            }
        }

        /// The version is blamed only where it is the version, and Orca 48 is advised only to who has an older one.
        @Test(.enabled(if: hasRegistry, "needs at-spi2-core"), arguments: ["43.1", "49.1"])
        func `assumedFocus in a web page`(version: String) async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                try app.add(FakeNode("page", .documentWeb, name: "Page", states: .shown), to: "panel")
                try app.add(FakeNode("link", .link, name: "More", states: .shown.union(.focusable)), to: "page")
                let installation = try OrcaInstallation(version: version)
                let orca = try scene.reader(installation.program, registers: true)
                _ = try await scene.watch(orca, on: "link", of: app)
                // With a newer one only what is from before focusd was started is assumed.
                if version == "49.1" { try scene.restartFocusd() }
                let told = try scene.expectFound(.assumedFocus, "orca")
                #expect(told.what.contains("this version moves") == (version == "43.1"), "\(told)")
                #expect(told.whatToDo.contains("Orca 48") == (version == "43.1"), "\(told)")
                try await orca.present("ok", of: app)
                try scene.expectGone(.assumedFocus)
            }
        }

        @Test func `secondTechnology`() async throws {
            try await withScene { scene in
                let app = try scene.application()
                let first = try scene.reader()
                _ = try await scene.watch(first, on: "ok", of: app)
                let second = try scene.reader()
                try await second.present("cancel", of: app)
                let finding = try scene.expectFound(.secondTechnology, second.busName)
                #expect(finding.what.contains("process \(first.pid), \(first.busName)"))
                // What it says is no forgery: it is only too much.
                try await second.present("help", of: app)
                try scene.waitForCounter("foreignSignals", 1)
                #expect(try scene.found(.forgedMessages) == nil)
                second.quit()
                try scene.expectGone(.secondTechnology)
                // The other way round: the first one leaves, and the second one has the place.
                let third = try scene.reader()
                try await third.present("cancel", of: app)
                try scene.expectFound(.secondTechnology, third.busName)
                first.quit()
                try scene.expectGone(.secondTechnology)
            }
        }

        // MARK: - The switch

        @Test func `toolkitAccessibilityOff and toolkitSwitchUnknown`() async throws {
            let session = try PrivateBus()
            defer { session.stop() }
            try await withScene(session: session) { scene in
                let launcher = try #require(scene.sessionLauncher)
                let codes = try scene.findings()
                #expect(!codes.contains("toolkitAccessibilityOff") && !codes.contains("toolkitSwitchUnknown"))
                launcher.setIsEnabled(false)
                try scene.expectFound(.toolkitAccessibilityOff)
                launcher.setIsEnabled(nil)
                try scene.expectFound(.toolkitSwitchUnknown)
                #expect(try scene.found(.toolkitAccessibilityOff) == nil)
                launcher.setIsEnabled(true)
                try scene.expectGone(.toolkitSwitchUnknown)
                // From off straight to on, too.
                launcher.setIsEnabled(false)
                try scene.expectFound(.toolkitAccessibilityOff)
                launcher.setIsEnabled(true)
                try scene.expectGone(.toolkitAccessibilityOff)
            }
        }

        // MARK: - Applications

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `applicationNotResponding`() async throws {
            try await withScene(registry: true) { scene in
                let (frozen, other) = (try scene.application("frozen"), try scene.application("other"))
                frozen.stop()
                try scene.expectFound(.applicationNotResponding, frozen.busName)
                #expect(try scene.found(.applicationNotResponding, other.busName) == nil)
                frozen.resume()
                try scene.expectGone(.applicationNotResponding)
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `applicationShowsNothing`() async throws {
            try await withScene(registry: true) { scene in
                let orca = try scene.reader()
                let app = try scene.application()
                _ = try await scene.watch(orca, on: "ok", of: app)
                // It tells of focus and has no window.
                let bare = scene.adopt(try FakeApplication(bus: scene.bus.address, name: "bare"))
                #expect(try scene.found(.applicationShowsNothing) == nil)
                try scene.expectFound(.applicationShowsNothing, "bare (process ") {
                    try bare.emit(.stateChanged("focused", 1), from: "root")
                }
                try bare.add(FakeNode("frame", .frame, name: "At last"), to: "root")
                try scene.expectGone(.applicationShowsNothing)
                // Its window is active, and there is nothing in it.
                let panel = app.node("frame").children
                app.node("frame").children = []
                try scene.expectFound(.applicationShowsNothing, "The active window of calc (process ")
                app.node("frame").children = panel
                try scene.expectGone(.applicationShowsNothing)
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `applicationNotListed`() async throws {
            try await withScene(registry: true) { scene in
                let orca = try scene.reader()
                let app = scene.adopt(try FakeApplication.sample(bus: scene.bus.address, registration: .never))
                _ = try await scene.watch(orca, on: "ok", of: app)
                try scene.expectFound(.applicationNotListed, app.busName)
                try app.register(.required)
                try scene.expectGone(.applicationNotListed)
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `treeContradicts`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                #expect(try scene.client().find("push-button[name=OK]").elements.count == 1)
                #expect(try scene.found(.treeContradicts) == nil)
                app.disconnect()
                let odd = try scene.application("odd")
                odd.node("panel").children.append(odd.reference("frame"))
                odd.cache = .missing
                #expect(try scene.client().find("push-button[name=OK]").elements.count == 1)
                try scene.expectFound(.treeContradicts, "odd (\(odd.busName))")
                odd.disconnect()
                try scene.expectGone(.treeContradicts)
            }
        }

        // MARK: - Windows and events

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `manyActiveWindows`() async throws {
            try await withScene(registry: true) { scene in
                let (one, two) = (try scene.application("one"), try scene.application("two"))
                let finding = try scene.expectFound(.manyActiveWindows, "2 windows")
                #expect(finding.what.contains(one.busName) && finding.what.contains(two.busName))
                try two.deactivate("frame")
                try scene.expectGone(.manyActiveWindows)
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `noEvents`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let keyboard = try scene.watch("keyboard")
                _ = keyboard
                try scene.expectFound(.noEvents, app.busName)
                try app.moveFocus(to: "help")
                try scene.expectGone(.noEvents)
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core")) func `noFocusEvents`() async throws {
            try await withScene(registry: true) { scene in
                let app = try scene.application()
                let keyboard = try scene.watch("keyboard")
                try app.moveFocus(to: "help")
                try keyboard.next(until: "help") { $0.element?.name == "Help" }
                #expect(try scene.found(.noFocusEvents) == nil)
                // It moves, and nobody is told.
                app.node("help").states.remove(.focused)
                app.node("cancel").states.insert(.focused)
                try scene.expectFound(.noFocusEvents, "calc (process ")
                try app.emitFocused("cancel", 1)
                try keyboard.next(until: "cancel") { $0.element?.name == "Cancel" }
                #expect(try scene.found(.noFocusEvents) == nil)
            }
        }

        @Test(.enabled(if: hasRegistry, "needs at-spi2-core"), arguments: [FakeToolkit.gtk3, .gtk4])
        func `repeatedFocusEvents`(toolkit: FakeToolkit) async throws {
            try await withScene(registry: true, configuration: "remember-trouble = 2s\n") { scene in
                let app = try scene.application(toolkit: toolkit)
                let keyboard = try scene.watch("keyboard")
                for key in ["help", "cancel", "help"] {
                    try app.moveFocus(to: key)
                    try keyboard.next(until: key) { $0.element?.path == app.node(key).path }
                }
                // GTK 3 says everything twice, and that is nothing to tell.
                #expect(try scene.found(.repeatedFocusEvents) == nil)
                try scene.expectFound(.repeatedFocusEvents, toolkit == .gtk3 ? "more than twice" : "more than once") {
                    for _ in 0..<(toolkit == .gtk3 ? 3 : 2) { try app.emitFocused("help", 1) }
                    try app.emitFocused("help", 0)
                }
                try scene.expectGone(.repeatedFocusEvents)
            }
        }
    }
}
