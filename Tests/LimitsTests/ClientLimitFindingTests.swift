import FocusProtocol
import Testing

@testable import FocusService

/// Each limit on what clients may cost: not told while there is room, told once it is met, and no more some time after.
@Suite struct ClientLimitFindingTests {
    /// A ledger as the server has one, and what is remembered of it.
    private final class Scene {
        static let memory: Int64 = 600_000_000
        let ledger = ClientLedger(limits: ServiceLimits())
        private var incidents = Incidents(memory: Scene.memory)

        init() {
            ledger.onMet = { [unowned self] name, pid in
                incidents.note(Incidents.Kind(limit: name), by: .process(Int(pid)), at: 0)
            }
        }

        func findings(at now: Int64 = 1) -> [Finding] { IncidentDiagnosis(incidents: incidents, now: now).findings }
    }

    /// Told under its own code and no other, of that process; gone when it is forgotten.
    private func expectTold(
        _ scene: Scene, _ code: FindingCode, by pid: Int32, at location: SourceLocation = #_sourceLocation
    ) throws {
        let told = scene.findings()
        #expect(told.map(\.code) == [code.rawValue], sourceLocation: location)
        let finding = try #require(told.first, sourceLocation: location)
        #expect(finding.severity == code.severity.rawValue, sourceLocation: location)
        #expect(finding.what.contains("(process \(pid))"), "\(finding)", sourceLocation: location)
        #expect(finding.what.hasSuffix(".") && finding.whatToDo.hasSuffix("."), sourceLocation: location)
        // Several processes help only against what one process may have.
        if finding.whatToDo.contains("several processes") {
            #expect(code.rawValue.hasSuffix("PerProcess"), "\(finding)", sourceLocation: location)
        }
        #expect(scene.findings(at: Scene.memory).isEmpty, sourceLocation: location)
    }

    @Test(arguments: SharedResource.allCases)
    func `limitReached of what one process has`(resource: SharedResource) throws {
        let share = ServiceLimits().share(of: resource)
        let name = resource.names.ofProcess
        let scene = Scene()
        try scene.ledger.account(of: 7).take(resource, share.ofProcess)
        #expect(scene.findings().isEmpty)
        #expect(throws: FocusError.LimitExceeded(limit: name)) { try scene.ledger.account(of: 7).take(resource) }
        try expectTold(scene, FindingCode(limit: name), by: 7)
    }

    /// Whoever has little is refused last; where the rest is too little, what is there is gone, and `stats` tells to whom.
    @Test(arguments: SharedResource.allCases)
    func `limitReached of what all have together`(resource: SharedResource) throws {
        let share = ServiceLimits().share(of: resource)
        let name = resource.names.ofAll
        let scene = Scene()
        var pid: Int32 = 1
        while scene.ledger.account(of: pid).exceeded(resource, by: share.ofProcess) == nil {
            try scene.ledger.account(of: pid).take(resource, share.ofProcess)
            pid += 1
        }
        #expect(pid > 1)
        #expect(scene.findings().isEmpty)
        #expect(throws: FocusError.LimitExceeded(limit: name)) {
            try scene.ledger.account(of: pid).take(resource, share.ofProcess)
        }
        try expectTold(scene, FindingCode(limit: name), by: pid)
        let finding = scene.findings().first
        if resource != .announcements, resource != .queuedBytes {
            #expect(finding?.whatToDo.contains("focusctl stats") == true, "\(name)")
        }
        #expect(finding?.what.contains("already") == false)
    }

    @Test(arguments: SingleLimit.allCases)
    func `limitReached of one connection, state, call or message`(limit: SingleLimit) throws {
        let scene = Scene()
        #expect(scene.findings().isEmpty)
        scene.ledger.count(limit, by: 7)
        try expectTold(scene, FindingCode(limit: limit.rawValue), by: 7)
    }

    @Test func `limitReached.other`() throws {
        let scene = Scene()
        scene.ledger.count("maximumNew", by: 7)
        try expectTold(scene, .limitOther, by: 7)
        #expect(scene.findings().first?.what.contains("maximumNew") == true)
    }
}
