import FakePeers
import FocusProtocol
import Foundation
import TestDesktop
import Testing

/// Screen readers and applications.
extension FocusdTests.Recovery {
    @Test func `the screen reader is killed and another started: one leave, and the new one is followed`() async throws
    {
        try await withScene { scene in
            let app = try scene.application()
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: app)
            let aggregate = try scene.watch(nil)
            let state = try StateWatch(scene.runtimeFolder, ["ok": "[name=OK]", "help": "[name=Help]"])
            #expect(state.first.value == "ok")
            orca.crash()
            for each in [watch, aggregate] { try each.expect(nil, nil, cause: "technologyGone") }
            let leave = try state.next()
            #expect(leave.value == nil && leave.cause == "technologyGone")
            let again = try scene.reader()
            let stopwatch = Stopwatch()
            try await again.present("help", of: app)
            for each in [watch, aggregate] {
                try each.next(until: "help") { $0.element?.name == "Help" && !$0.assumed }
            }
            #expect(try state.next().value == "help")
            stopwatch.end("screen reader killed and started")
        }
    }

    @Test func `the screen reader quits: none, and its place is free`() async throws {
        try await withScene { scene in
            let app = try scene.application()
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: app)
            orca.quit()
            try watch.expect(nil, nil, cause: "technologyGone")
            #expect(try scene.client().move(to: app.referenceText("ok")).reason == "technologyNotActive")
            #expect(try scene.client().listTechnologies().allSatisfy { $0.id != "orca" || !$0.active })
            let focus = try scene.client().focus()
            #expect(focus.technology == nil && focus.element == nil)
        }
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"), arguments: [false, true])
    func `a second screen reader takes over: it is followed as soon as the first has gone`(killed: Bool) async throws {
        try await withScene(registry: true) { scene in
            let app = try scene.application()
            let orca = try scene.reader(registers: true)
            let watch = try await scene.watch(orca, on: "ok", of: app)
            var technologies = try scene.client().technologies()
            #expect(try technologies.next().contains { $0.busName == orca.busName })
            let second = try scene.reader(registers: true)
            try await second.present("help", of: app)
            try scene.waitForCounter("refusedTechnologies", 1)
            #expect(try scene.client().focus(of: "orca").element?.name == "OK")
            let stopwatch = Stopwatch()
            if killed { orca.crash() } else { orca.quit() }
            try watch.expect(nil, nil, cause: "technologyGone")
            // Without a word of the second, which said where it is when that did not count.
            let taken = try watch.next(until: "its place by live state") { $0.element != nil }
            #expect(taken.assumed && taken.element?.name == "OK" && taken.technology == "orca")
            stopwatch.end("screen reader replaced")
            var list = try technologies.next()
            while !list.contains(where: { $0.busName == second.busName && $0.active }) {
                list = try technologies.next()
            }
            try await second.present("cancel", of: app)
            try watch.next(until: "cancel") { $0.element?.name == "Cancel" && !$0.assumed }
        }
    }

    @Test func `an application is killed and started again: one leave, and the value comes back`() async throws {
        try await withScene { scene in
            let app = try scene.application()
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: app)
            let state = try StateWatch(scene.runtimeFolder, ["ok": "application[name=calc] [name=OK]"])
            #expect(state.first.value == "ok")
            app.disconnect()
            #expect(try watch.expect(nil, nil, cause: "applicationGone").previous?.name == "OK")
            let leave = try state.next()
            #expect(leave.value == nil && leave.cause == "applicationGone")
            let again = scene.adopt(try app.restarted())
            let stopwatch = Stopwatch()
            try await orca.present("ok", of: again)
            try watch.expect(again, "ok", cause: "moved")
            #expect(try state.next().value == "ok")
            stopwatch.end("application killed and started")
        }
    }

    @Test(.enabled(if: hasRegistry, "needs at-spi2-core"))
    func `an application is stopped and goes on: what is shown of it, its values and its mirror heal`() async throws {
        try await withScene(registry: true) { scene in
            let (app, other) = (try scene.application(), try scene.application("other"))
            let orca = try scene.reader()
            let watch = try await scene.watch(orca, on: "ok", of: other)
            let state = try StateWatch(scene.runtimeFolder, ["help": "application[name=calc] [name=Help]"])
            let updates = try scene.watch("orca", updates: true)
            #expect(try scene.client().find("application[name=calc] [name=Help]").elements.count == 1)
            app.stop()
            try await orca.present("help", of: app)
            // It does not say what it is.
            #expect(try watch.next().element?.name == "")
            try updates.next(until: "the unreadable element") { $0.element?.name == "" }
            // A question in a mirror that stands still fails three times until it is known to.
            try scene.wait(within: 30, "its mirror to be known as not responding") {
                try scene.client().find("application[name=calc] [name=Other]").stale.isEmpty == false
            }
            try ProcessFigures(pid: scene.focusd.process.pid).waitUntilAsleep(for: .milliseconds(600))
            app.node("cancel").update { $0.name = "Abort" }
            let stopwatch = Stopwatch()
            app.resume()
            // It is told to all, for nothing was known before.
            for each in [watch, updates] {
                let read = try each.next(until: "its name") { $0.element?.name == "Help" }
                #expect(read.cause == "updated" && read.element?.path == app.node("help").path)
            }
            #expect(try state.next().value == "help")
            #expect(try scene.client().waitFor("application[name=calc] [name=Abort]")?.name == "Abort")
            stopwatch.end("application stopped and continued")
            #expect(try scene.client().find("application[name=calc] [name=Abort]").stale.isEmpty)
        }
    }
}
