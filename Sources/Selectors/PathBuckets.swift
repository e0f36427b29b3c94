import AccessibilityTree

/// One alternative of a selector in an index.
struct PathRule: Sendable {
    let complex: CompiledComplex
    /// The process that `:self` means.
    let ownPID: Int
    /// The number of its selector.
    let owner: Int32
    /// Which of its selector's alternatives it is.
    let ordinal: Int32
    /// How far below the node that its bucket was found by an element can be that it means.
    let reach: Int32
}

/// Alternatives of selectors by something that each demands of one node of a path.
struct PathBuckets: Sendable {
    /// What a bucket's alternatives demand.
    enum Key: Hashable, Sendable {
        case id(String)
        /// After ``PlainText/normal(_:)``.
        case name(String)
        case own(Int)
        case role(Role)
        case window
        /// Nothing that is looked for.
        case everything

        /// How likely a path has it, against the others.
        fileprivate var weight: Int {
            switch self {
            case .id, .name: 1
            case .own: 8
            // Every path ends with it.
            case .role(.application): 1_024
            case .role: 32
            case .window: 512
            case .everything: 4_096
            }
        }
    }

    private(set) var ids: [String: [PathRule]] = [:]
    private(set) var names: [String: [PathRule]] = [:]
    private(set) var own: [Int: [PathRule]] = [:]
    private(set) var roles: [Role: [PathRule]] = [:]
    private(set) var windows: [PathRule] = []
    private(set) var everything: [PathRule] = []

    /// How many are not empty.
    var count: Int {
        ids.count + names.count + own.count + roles.count + (windows.isEmpty ? 0 : 1) + (everything.isEmpty ? 0 : 1)
    }

    subscript(key: Key) -> [PathRule] {
        switch key {
        case .id(let id): ids[id] ?? []
        case .name(let name): names[name] ?? []
        case .own(let pid): own[pid] ?? []
        case .role(let role): roles[role] ?? []
        case .window: windows
        case .everything: everything
        }
    }

    // MARK: - Choosing

    /// The bucket of an alternative that costs the least, and how far below it the meant element can be.
    ///
    /// A thousand buttons called "OK" in dialogs of different names are found by the dialogs.
    func choice(_ complex: CompiledComplex, ownPID: Int) -> (key: Key, reach: Int32) {
        var best = Key.everything
        var bestCost = cost(best)
        var bestStep = complex.subject
        for step in complex.compounds.indices.reversed() {
            for key in PathBuckets.demands(complex.compounds[step], ownPID) {
                let cost = cost(key)
                guard cost < bestCost else { continue }
                (best, bestCost, bestStep) = (key, cost, step)
            }
        }
        // All of a path is the application's own, and any node of it is looked at where nothing is demanded.
        switch best {
        case .own, .everything: return (best, .max)
        default: break
        }
        let between = complex.combinators[bestStep..<complex.subject]
        return (best, between.allSatisfy { $0 == .child } ? Int32(between.count) : .max)
    }

    private func cost(_ key: Key) -> Int { (self[key].count + 1) * key.weight }

    private static func demands(_ compound: CompiledCompound, _ ownPID: Int) -> [Key] {
        var keys: [Key] = []
        if let id = compound.tests.wantedID { keys.append(.id(id)) }
        if let name = compound.tests.wantedName { keys.append(.name(name)) }
        for case .ownApplication in compound.tests.cheap { keys.append(.own(ownPID)) }
        if let role = compound.tests.wantedRole { keys.append(.role(role)) }
        switch compound.type {
        case .any: break
        case .role(let role): keys.append(.role(role))
        case .anyWindow: keys.append(.window)
        }
        return keys
    }

    // MARK: - Changing

    /// Returns its place in the bucket.
    mutating func append(_ rule: PathRule, to key: Key) -> Int32 {
        change(key) { rules in
            rules.append(rule)
            return Int32(rules.count - 1)
        }
    }

    /// Returns what was there, and what is there now in its stead.
    mutating func remove(at place: Int32, from key: Key) -> (removed: PathRule, moved: PathRule?) {
        change(key) { rules in
            let removed = rules[Int(place)]
            let last = rules.removeLast()
            guard Int(place) < rules.count else { return (removed, nil) }
            rules[Int(place)] = last
            return (removed, last)
        }
    }

    private mutating func change<Result>(_ key: Key, _ body: (inout [PathRule]) -> Result) -> Result {
        switch key {
        case .id(let id): PathBuckets.change(&ids, id, body)
        case .name(let name): PathBuckets.change(&names, name, body)
        case .own(let pid): PathBuckets.change(&own, pid, body)
        case .role(let role): PathBuckets.change(&roles, role, body)
        case .window: body(&windows)
        case .everything: body(&everything)
        }
    }

    private static func change<Name, Result>(
        _ buckets: inout [Name: [PathRule]], _ name: Name, _ body: (inout [PathRule]) -> Result
    ) -> Result {
        let result = body(&buckets[name, default: []])
        if buckets[name]?.isEmpty == true { buckets[name] = nil }
        return result
    }
}
