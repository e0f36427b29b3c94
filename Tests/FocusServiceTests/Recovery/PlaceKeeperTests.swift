import AccessibilityTree
import EventLoop
import FocusRegistry
import Foundation
import TestDesktop
import Testing

@testable import FocusService

extension FocusdTests {
    /// What one run keeps of where technologies are, and what the next makes of it.
    @Suite struct Keeping {
        private static let bus = "0123456789abcdef0123456789abcdef"
        private static let (orca, odilia) = (TechnologyID("orca"), TechnologyID("odilia"))

        /// A keeper in a run of its own on the file that others left.
        @Loop
        private final class Run {
            let keeper: PlaceKeeper
            var registry = FocusRegistry(firstRevision: 1)
            private let path: String
            let bus: String

            init(_ folder: String, technologies: [TechnologyID] = [], bus: String = Keeping.bus) {
                path = "\(folder)/places"
                self.bus = bus
                keeper = PlaceKeeper(KeptFile(path))
                for id in technologies {
                    let connection = TechnologyConnection(busName: Run.busName(id), pid: 7, version: nil)
                    _ = registry.technologyAppeared(id, connection, at: 1)
                }
            }

            static func busName(_ id: TechnologyID) -> String { ":1.\(900 + id.rawValue.count)" }

            func signal(_ id: TechnologyID, _ path: String, at time: Microseconds) {
                let position = Position(placement: Run.placement(path), mode: .focusTracking, time: time)
                write(registry.technologySignalled(id, position))
            }

            func take(_ id: TechnologyID) -> (place: LastPlace, precedence: Int, keyboard: ObjectReference?)? {
                keeper.take(id, at: Run.busName(id), onBus: bus)
            }

            func settle(_ kept: (place: LastPlace, precedence: Int, keyboard: ObjectReference?)?) {
                guard let kept else { return }
                keeper.settle(kept.place.technology)
                write(
                    registry.assume(
                        kept.place.technology, Run.placement(kept.place.element.path), cause: .restored,
                        precedence: kept.precedence, at: 5))
            }

            func write(_ transaction: Transaction?) {
                guard let transaction else { return }
                keeper.remember(transaction, of: registry, onBus: bus)
            }

            /// What a next run would find.
            var written: LastPlaces? { KeptFile(path).flatMap { LastPlaces($0.contents) } }
            var writtenTechnologies: [TechnologyID]? { written?.places.map(\.technology) }

            private static func placement(_ path: String) -> Placement {
                Placement(lineage: [ObjectReference(busName: ":1.10", path: path)])
            }
        }

        private func onLoop<Value: Sendable>(_ body: @escaping @Loop @Sendable (String) -> Value) async throws -> Value
        {
            let folder = try Places.makeTemporaryFolder()
            defer {
                do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(error)") }
            }
            return await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    nonisolated(unsafe) var value: Value?  // SAFETY: only touched on this thread, which is the loop's.
                    Loop.run {
                        value = body(folder)
                        Loop.stop()
                    }
                    guard let value else { preconditionFailure("the loop ended before it began") }
                    continuation.resume(returning: value)
                }
            }
        }

        /// Odilia moves, then Orca; ends.
        @Loop
        private static func leave(_ folder: String) {
            let run = Run(folder, technologies: [orca, odilia])
            run.signal(odilia, "/odilia", at: 10)
            run.signal(orca, "/orca", at: 20)
        }

        @Test(arguments: [[orca, odilia], [odilia, orca]])
        func `who moved last speaks for all after a restart, whoever is recognised first`(order: [TechnologyID])
            async throws
        {
            let (precedences, aggregate, written) = try await onLoop { folder in
                Self.leave(folder)
                let run = Run(folder, technologies: order)
                let kept = order.map { run.take($0) }
                for each in kept { run.settle(each) }
                return (kept.map { $0?.precedence ?? 0 }, run.registry.aggregate?.technology, run.writtenTechnologies)
            }
            #expect(
                order == [Self.orca, Self.odilia] ? precedences[0] > precedences[1] : precedences[1] > precedences[0])
            #expect(aggregate == Self.orca)
            #expect(written == [Self.orca, Self.odilia])
        }

        @Test(arguments: [[orca, odilia], [odilia, orca]])
        func `a place that was asked for and is not settled yet survives another end`(order: [TechnologyID])
            async throws
        {
            let (taken, settled) = try await onLoop { folder in
                Self.leave(folder)
                let run = Run(folder, technologies: order)
                let first = run.take(order[0])
                // Anything is told meanwhile.
                run.keeper.move(to: KeptFile("\(folder)/places"), run.registry, onBus: Self.bus)
                let taken = run.writtenTechnologies
                run.settle(first)
                return (taken, run.writtenTechnologies)
            }
            // In the order of then, also where one of them has come back already.
            #expect(taken == [Self.orca, Self.odilia])
            #expect(settled == [Self.orca, Self.odilia])
        }

        @Test func `a place that does not count any more is not kept, and is told only once`() async throws {
            let (second, written, foreign) = try await onLoop { folder in
                Self.leave(folder)
                let run = Run(folder, technologies: [Self.orca])
                _ = run.take(Self.orca)
                run.keeper.settle(Self.orca)
                let foreign = run.keeper.take(Self.odilia, at: ":1.1", onBus: Self.bus)
                run.keeper.move(to: KeptFile("\(folder)/places"), run.registry, onBus: Self.bus)
                return (run.take(Self.orca) == nil, run.writtenTechnologies, foreign == nil)
            }
            #expect(second && foreign)
            #expect(written == [])
        }

        @Test func `who has moved in this run comes before whoever has not`() async throws {
            let written = try await onLoop { folder in
                Self.leave(folder)
                let run = Run(folder, technologies: [Self.orca, Self.odilia])
                run.settle(run.take(Self.orca))
                run.signal(Self.odilia, "/other", at: 30)
                return run.written
            }
            #expect(written?.places.map(\.technology) == [Self.odilia, Self.orca])
            #expect(written?.places.first?.element.path == "/other")
        }

        @Test(arguments: [false, true])
        func `what cannot be written down leaves no earlier place behind`(isAll: Bool) async throws {
            let written = try await onLoop { folder in
                Self.leave(folder)
                let long = String(repeating: "x", count: 17_000)
                let run = Run(folder, technologies: [Self.orca], bus: isAll ? long : Self.bus)
                _ = run.take(Self.orca)
                run.signal(Self.orca, isAll ? "/short" : "/\(long)", at: 30)
                return run.writtenTechnologies
            }
            #expect(written == (isAll ? nil : [Self.odilia]))
        }
    }
}
