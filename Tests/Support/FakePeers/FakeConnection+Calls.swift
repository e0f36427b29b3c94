import Dispatch

extension FakeConnection {
    /// Sends a signal with any body, to everybody or to one connection. Throws what D-Bus cannot carry.
    package func emit(
        path: String, interface: String, member: String, _ arguments: [DBusValue], to destination: String? = nil
    ) throws {
        send(
            try .signal(
                path: path, interface: interface, member: member, arguments: arguments, destination: destination))
    }

    /// Calls a method and waits for the answer.
    package func call(
        _ destination: String, _ path: String, _ interface: String?, _ member: String, _ arguments: [DBusValue] = [],
        within deadline: Duration = .seconds(10)
    ) async throws -> [DBusValue] {
        let message = try FakeMessage.call(
            destination: destination, path: path, interface: interface, member: member, arguments: arguments)
        return try await withCheckedContinuation { continuation in
            send(call: message, within: deadline) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Calls a method and holds up the calling thread until the answer. Never from the connection's own thread.
    package func callBlocking(
        _ destination: String, _ path: String, _ interface: String?, _ member: String, _ arguments: [DBusValue] = [],
        within deadline: Duration = .seconds(10)
    ) throws -> [DBusValue] {
        guard !isOnOwnThread else { throw FakePeerError.wouldBlockItself }
        let message = try FakeMessage.call(
            destination: destination, path: path, interface: interface, member: member, arguments: arguments)
        let answer = Locked<Result<[DBusValue], FakePeerError>>(.failure(.disconnected))
        let done = DispatchSemaphore(value: 0)
        send(call: message, within: deadline) { result in
            answer.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return try answer.withLock { $0 }.get()
    }

    /// Reads one property with `Properties.Get`, out of its variant.
    package func property(
        _ destination: String, _ path: String, _ interface: String, _ name: String,
        within deadline: Duration = .seconds(10)
    ) async throws -> DBusValue {
        let answer = try await call(
            destination, path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)],
            within: deadline)
        guard let value = answer.first else { throw FakePeerError.unexpectedAnswer("empty property \(name)") }
        return value.unwrapped
    }

    /// Asks the bus itself something, holding up the calling thread.
    package func busBlocking(_ member: String, _ arguments: [DBusValue] = []) throws -> [DBusValue] {
        try callBlocking(busDriver, "/org/freedesktop/DBus", busDriver, member, arguments)
    }

    /// Receives the signals that this D-Bus match rule describes, from its return on.
    package func listen(_ rule: String) throws { _ = try busBlocking("AddMatch", [.string(rule)]) }

    /// The process of a connection, by the bus's word; that of the bus is its own name's.
    package func processID(of busName: String) throws -> Int32 {
        let answer = try busBlocking("GetConnectionUnixProcessID", [.string(busName)])
        guard let pid = answer.first?.number, let number = Int32(exactly: pid) else {
            throw FakePeerError.unexpectedAnswer("\(answer)")
        }
        return number
    }

    /// The name of a process's connection.
    package func name(of process: Int32) throws -> String {
        let names = try busBlocking("ListNames").first?.elements?.compactMap(\.text) ?? []
        for name in names where name.hasPrefix(":") {
            if try processID(of: name) == process { return name }
        }
        throw FakePeerError.unexpectedAnswer("process \(process) is not on the bus")
    }

    /// Whether somebody has a name.
    package func hasOwner(_ name: String) throws -> Bool {
        try busBlocking("NameHasOwner", [.string(name)]).first == .boolean(true)
    }

    /// Owns a well-known name, from its return on.
    package func requestName(_ name: String) throws {
        _ = try busBlocking("RequestName", [.string(name), .uint32(4)])
    }

    /// Gives a well-known name back.
    package func releaseName(_ name: String) throws { _ = try busBlocking("ReleaseName", [.string(name)]) }

    /// Waits until the bus has taken, and passed on, everything that was sent from this thread before.
    package func settle() throws { _ = try busBlocking("GetId") }

    /// As `settle`, without holding up the thread.
    package func settled() async throws { _ = try await call(busDriver, "/org/freedesktop/DBus", busDriver, "GetId") }
}
