import AccessibilityTree

/// Numbered selectors in buckets, and the search for those that match a node of a path.
struct PathRules: Sendable {
    private(set) var buckets = PathBuckets()
    private(set) var tally = SensitivityTally()
    /// For each number where its alternatives are; empty where it is free.
    private var members: [[Placed]] = []
    private var free: [Int32] = []

    private struct Placed: Sendable {
        let key: PathBuckets.Key
        var place: Int32
    }

    var isEmpty: Bool { free.count == members.count }

    // MARK: - Changing

    /// Returns the number of the selector until it is removed. Numbers are small.
    mutating func insert(_ alternatives: [CompiledComplex], ownPID: Int) -> Int32 {
        let number = free.popLast() ?? Int32(members.count)
        if Int(number) == members.count { members.append([]) }
        for complex in alternatives {
            let (key, reach) = buckets.choice(complex, ownPID: ownPID)
            let rule = PathRule(
                complex: complex, ownPID: ownPID, owner: number, ordinal: Int32(members[Int(number)].count),
                reach: reach)
            members[Int(number)].append(Placed(key: key, place: buckets.append(rule, to: key)))
            tally.add(PathSensitivity(complex))
        }
        return number
    }

    mutating func remove(_ number: Int32) {
        for ordinal in members[Int(number)].indices {
            let placed = members[Int(number)][ordinal]
            let (removed, moved) = buckets.remove(at: placed.place, from: placed.key)
            tally.remove(PathSensitivity(removed.complex))
            if let moved { members[Int(moved.owner)][Int(moved.ordinal)].place = placed.place }
        }
        members[Int(number)] = []
        free.append(number)
        if isEmpty { self = PathRules() }
    }

    // MARK: - Searching

    /// Numbers of selectors, with the depths of nodes that they match.
    struct Findings {
        var matches: [(number: Int32, depth: Int)] = []
        /// Took too much work.
        var givenUp: [Int32] = []
        /// A number may be among the matches more than once.
        fileprivate var isRepeated = false
        /// The first rules of the buckets that were looked at.
        fileprivate var seen: [Int64] = []
    }

    func findings(
        in path: FocusPath, limits: SelectorIndexLimits, focused: (ObjectReference) -> Bool
    ) -> Findings {
        var findings = Findings()
        guard !isEmpty else { return findings }
        var run = PathMatching(path, tally.all, limits, focused: focused)
        // ORDER: what is rarely asked comes first, so that what is always asked leaves work for it.
        for depth in path.nodes.indices {
            if !buckets.ids.isEmpty, !path.nodes[depth].id.isEmpty, let rules = buckets.ids[path.nodes[depth].id] {
                look(at: rules, depth, &run, &findings)
            }
            if !buckets.names.isEmpty, !run.names[depth].isEmpty, let rules = buckets.names[run.names[depth]] {
                look(at: rules, depth, &run, &findings)
            }
        }
        if !buckets.own.isEmpty, let rules = buckets.own[path.application.pid] { look(at: rules, 0, &run, &findings) }
        if !buckets.roles.isEmpty || !buckets.windows.isEmpty {
            for depth in path.nodes.indices {
                let role = path.nodes[depth].role
                if let rules = buckets.roles[role] { look(at: rules, depth, &run, &findings) }
                if role.isWindow { look(at: buckets.windows, depth, &run, &findings) }
            }
        }
        look(at: buckets.everything, 0, &run, &findings)
        if findings.isRepeated || !findings.givenUp.isEmpty { tidy(&findings) }
        return findings
    }

    /// Asks the rules of a bucket, the first time that it is come by. `depth` is that of the node that has what they demand.
    private func look(at rules: [PathRule], _ depth: Int, _ run: inout PathMatching, _ findings: inout Findings) {
        guard let first = rules.first else { return }
        let mark = Int64(first.owner) << 32 | Int64(first.ordinal)
        if findings.seen.contains(mark) { return }
        findings.seen.append(mark)
        for rule in rules {
            let found = run.innermost(rule, from: max(0, depth - Int(rule.reach)))
            if run.isExhausted {
                findings.givenUp.append(rule.owner)
            } else if let found {
                findings.matches.append((rule.owner, found))
                if members[Int(rule.owner)].count > 1 { findings.isRepeated = true }
            }
        }
    }

    /// Leaves each selector its innermost match, and none to one that was given up in part.
    private func tidy(_ findings: inout Findings) {
        let givenUp = Set(findings.givenUp)
        var least: [Int32: Int] = [:]
        for (number, depth) in findings.matches where !givenUp.contains(number) {
            least[number] = min(depth, least[number] ?? depth)
        }
        findings.matches = least.map { ($0.key, $0.value) }.sorted { $0 < $1 }
        findings.givenUp = givenUp.sorted()
    }
}
