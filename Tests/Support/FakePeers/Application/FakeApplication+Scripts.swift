/// What is to be done with some calls instead of telling the truth.
struct Script: Sendable {
    let path: String?
    let member: String
    let interface: String?
    var toSkip: Int
    var timesLeft: Int?
    let reaction: Reaction
}

extension FakeApplication {
    /// From now on reacts so to this method, or to the reading of this property (`Name`); the latest script wins.
    ///
    /// Without a key it holds for every node, with `times` only for the next few calls, with `after` only when so
    /// many were answered as if the script were not there. The member `*` stands for every call.
    package func script(
        _ member: String, on key: String? = nil, interface: String? = nil, after toSkip: Int = 0, times: Int? = nil,
        _ reaction: Reaction
    ) {
        let path = key.map(pathOf)
        state.withLock {
            $0.scripts.append(
                Script(
                    path: path, member: member, interface: interface, toSkip: toSkip, timesLeft: times,
                    reaction: reaction))
        }
    }

    /// Forgets all scripts: the truth again.
    package func unscript() { state.withLock { $0.scripts = [] } }

    func takeReaction(to call: FakeCall) -> Reaction {
        state.withLock { state in
            guard !state.scripts.isEmpty else { return .truth }
            for index in state.scripts.indices.reversed() {
                let script = state.scripts[index]
                guard script.timesLeft != 0,
                    call.concerns(path: script.path, interface: script.interface, member: script.member)
                else { continue }
                if script.toSkip > 0 {
                    state.scripts[index].toSkip -= 1
                    continue
                }
                if let times = script.timesLeft { state.scripts[index].timesLeft = times - 1 }
                return script.reaction
            }
            return .truth
        }
    }
}

// MARK: - Watching calls

extension FakeApplication {
    /// Whether `calls` keeps every call; else they are only counted by name, which a test of speed wants.
    package var keepsCalls: Bool {
        get { state.withLock { $0.keepsCalls } }
        set { state.withLock { $0.keepsCalls = newValue } }
    }

    /// How often a method was called, or a property read, on a node or on all of them.
    package func count(_ member: String, on key: String? = nil, interface: String? = nil) -> Int {
        if key == nil, interface == nil { return state.withLock { $0.tally[member] ?? 0 } }
        let path = key.map(pathOf)
        return calls.count { $0.concerns(path: path, interface: interface, member: member) }
    }

    /// How many calls there were for each method, and for each property that was read.
    package var tally: [String: Int] { state.withLock { $0.tally } }

    /// The calls to nodes below this one, itself not included, also to nodes that were made for it on demand.
    package func calls(below key: String) -> [FakeCall] {
        let top = node(key)
        var paths = Set(subtree(top).map(\.path))
        paths.remove(top.path)
        for made in state.withLock({ $0.made[top.path] ?? [:] }).values { paths.insert(made.path) }
        return calls.all.filter { paths.contains($0.path) }
    }

    /// Waits for the `number`th such call since place `start` in `calls`; all since the beginning unless told.
    package func waitForCall(
        _ member: String, on key: String? = nil, interface: String? = nil, number: Int = 1, from start: Int = 0,
        within deadline: Duration = .seconds(10)
    ) async throws -> FakeCall {
        let path = key.map(pathOf)
        return try await calls.wait(number, from: start, within: deadline, for: "call of \(member)") {
            $0.concerns(path: path, interface: interface, member: member)
        }
    }

    /// As `waitForCall`, holding up the calling thread.
    package func waitForCallBlocking(
        _ member: String, on key: String? = nil, interface: String? = nil, number: Int = 1, from start: Int = 0,
        within deadline: Duration = .seconds(10)
    ) throws -> FakeCall {
        let path = key.map(pathOf)
        return try calls.waitBlocking(number, from: start, within: deadline, for: "call of \(member)") {
            $0.concerns(path: path, interface: interface, member: member)
        }
    }

    /// Keys are names of nodes; anything that begins with a slash is a path, also of a node that is not there.
    private func pathOf(_ key: String) -> String { key.hasPrefix("/") ? key : node(key).path }
}

extension FakeCall {
    /// Whether this is a call of the method, or a reading of the property, on that path and interface.
    package func concerns(path: String? = nil, interface: String? = nil, member: String) -> Bool {
        guard path == nil || path == self.path, member == "*" || self.member == member || property == member
        else { return false }
        guard let interface else { return true }
        let meant: Set<String> = [interface, "org.a11y.atspi." + interface]
        return [self.interface, subject].contains { $0.map(meant.contains) ?? false }
    }
}
