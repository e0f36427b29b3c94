/// An AT-SPI event: right, wrong or nonsensical.
package struct FakeEvent: Sendable {
    /// After `org.a11y.atspi.Event.`: `Object`, `Window`, `Focus`, `Document`.
    package var interface: String
    package var member: String
    package var detail: String
    package var detail1: Int32
    package var detail2: Int32
    /// Nil: what the toolkit sends for such an event.
    package var anyData: DBusValue?
    /// The dictionary at the end, new body only.
    package var properties: [(String, DBusValue)] = []
    /// Nil: the toolkit's.
    package var body: EventBody?

    /// Any event at all.
    package init(
        _ interface: String, _ member: String, detail: String = "", _ detail1: Int32 = 0, _ detail2: Int32 = 0,
        anyData: DBusValue? = nil, properties: [(String, DBusValue)] = [], body: EventBody? = nil
    ) {
        self.interface = interface
        self.member = member
        self.detail = detail
        self.detail1 = detail1
        self.detail2 = detail2
        self.anyData = anyData
        self.properties = properties
        self.body = body
    }

    /// `object:state-changed:STATE`.
    package static func stateChanged(_ state: String, _ value: Int32) -> FakeEvent {
        FakeEvent("Object", "StateChanged", detail: state, value)
    }

    /// `window:activate` and the like: `Activate`, `Deactivate`, `Create`, `Destroy`; GTK4 4.8 has them in lower case.
    package static func window(_ member: String, title: String = "") -> FakeEvent {
        FakeEvent("Window", member, anyData: .string(title))
    }

    /// `object:children-changed:add` or `remove`.
    package static func childrenChanged(_ what: String, index: Int32, child: DBusValue) -> FakeEvent {
        FakeEvent("Object", "ChildrenChanged", detail: what, index, anyData: child)
    }

    /// `object:active-descendant-changed`.
    package static func activeDescendantChanged(_ target: DBusValue, index: Int32 = 0) -> FakeEvent {
        FakeEvent("Object", "ActiveDescendantChanged", index, anyData: target)
    }

    /// `object:property-change:PROPERTY`, as `accessible-name`.
    package static func propertyChange(_ property: String, _ value: DBusValue) -> FakeEvent {
        FakeEvent("Object", "PropertyChange", detail: property, anyData: value)
    }

    /// `object:text-caret-moved`.
    package static func caretMoved(_ offset: Int32) -> FakeEvent { FakeEvent("Object", "TextCaretMoved", offset) }

    /// The legacy `focus:`.
    package static let legacyFocus = FakeEvent("Focus", "Focus")
}

extension FakeApplication {
    /// Sends an event from a node, given by key or by path; a path may be anything, also another application's.
    package func emit(_ event: FakeEvent, from source: String, to destination: String? = nil) throws {
        send(try message(event, from: source, to: destination))
    }

    /// Sends any signal with any body from any path.
    package func emitRaw(
        path: String, interface: String, member: String, _ arguments: [DBusValue], to destination: String? = nil
    ) throws {
        send(
            try .signal(
                path: path, interface: interface, member: member, arguments: arguments, destination: destination))
    }

    /// `state-changed:focused` from a node, whose states stay what they are.
    package func emitFocused(_ key: String, _ value: Int32) throws {
        try emit(.stateChanged("focused", value), from: key)
    }

    /// Changes a state of a node and says so.
    package func setState(_ state: FakeStates, named name: String, _ value: Bool, on key: String) throws {
        if value { node(key).states.insert(state) } else { node(key).states.remove(state) }
        try emit(.stateChanged(name, value ? 1 : 0), from: key)
    }

    /// Sends events in turn, `count` in all, at a rate or as fast as the bus takes them; calls are answered meanwhile.
    package func flood(_ messages: [FakeMessage], count: Int, perSecond: Int? = nil) -> Flood {
        connection.flood(messages, count: count, perSecond: perSecond)
    }

    /// Claims, as only the bus itself may, that a name has changed its owner.
    package func forgeNameOwnerChanged(_ name: String, from old: String, to new: String) throws {
        try emitRaw(
            path: "/org/freedesktop/DBus", interface: busDriver, member: "NameOwnerChanged",
            [.string(name), .string(old), .string(new)])
    }

    /// As above, with events of nodes.
    package func flood(_ events: [(FakeEvent, from: String)], count: Int, perSecond: Int? = nil) throws -> Flood {
        flood(try events.map { try message($0.0, from: $0.from) }, count: count, perSecond: perSecond)
    }

    /// Gives a node another name and says so.
    package func rename(_ key: String, to name: String) throws {
        node(key).name = name
        try emit(.propertyChange("accessible-name", .string(name)), from: key)
    }

    /// Gives a node another role and says so.
    package func changeRole(_ key: String, to role: FakeRole) throws {
        node(key).role = role
        try emit(.propertyChange("accessible-role", .int32(Int32(truncatingIfNeeded: role.rawValue))), from: key)
    }

    /// Does something and answers what it would have announced, in order, instead of sending it.
    ///
    /// What this application emits for another reason meanwhile, from any thread, is taken too.
    package func collect(_ change: () throws -> Void) rethrows -> [FakeMessage] {
        state.withLock { $0.collected = [] }
        defer { state.withLock { $0.collected = nil } }
        try change()
        return state.withLock { $0.collected ?? [] }
    }

    /// Sends what was collected: all of it, or some, or more than once, in any order.
    package func announce(_ messages: [FakeMessage]) {
        for message in messages { if let copy = message.copy() { connection.send(copy) } }
    }

    /// The event as a message, to be sent any number of times with `announce` or `flood`.
    package func message(_ event: FakeEvent, from source: String, to destination: String? = nil) throws -> FakeMessage {
        let node = find(source)
        let path = node?.path ?? source
        var arguments: [DBusValue] = [
            .string(event.detail), .int32(event.detail1), .int32(event.detail2),
            .variant(event.anyData ?? usualData(of: path)),
        ]
        switch event.body ?? eventBody {
        case .modern: arguments.append(.variantDictionary(event.properties))
        case .legacy: arguments.append(.reference(busName, node?.applicationPath ?? root.path))
        case .bare: break
        }
        return try .signal(
            path: path, interface: "org.a11y.atspi.Event." + event.interface, member: event.member,
            arguments: arguments, destination: destination)
    }

    var eventBody: EventBody { toolkit == .qt ? .legacy : .modern }

    private func send(_ message: FakeMessage) {
        let isCollected = state.withLock { state in
            state.collected?.append(message)
            return state.collected != nil
        }
        if !isCollected { connection.send(message) }
    }

    private func usualData(of path: String) -> DBusValue {
        switch toolkit {
        case .gtk3: .int32(0)
        case .gtk4: .string("0")
        case .qt: .reference(busName, path)
        }
    }
}
