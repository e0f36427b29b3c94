/// What a call is answered with when nothing is scripted.
enum Truth {
    case values([DBusValue])
    case error(String, String)

    static func value(_ value: DBusValue) -> Truth { .values([value]) }
    static func unknownMethod(_ call: FakeCall) -> Truth {
        .error("org.freedesktop.DBus.Error.UnknownMethod", "no method \(call.member)")
    }
}

extension FakeApplication {
    /// Takes a call in: notes it, and answers it unless the application is stopped. On the connection's own thread.
    func receive(_ call: FakeCall) {
        let isStopped = state.withLock { state in
            if state.isStopped { state.backlog.append(call) }
            return state.isStopped
        }
        calls.append(call)
        if !isStopped { answer(call) }
    }

    func answer(_ call: FakeCall) {
        let reaction = takeReaction(to: call)
        if reaction.delay > .zero {
            connection.after(reaction.delay) { self.finish(call, reaction) }
        } else {
            finish(call, reaction)
        }
    }

    private func finish(_ call: FakeCall, _ reaction: Reaction) {
        do {
            for effect in reaction.first { try effect(self) }
            switch reaction.answer {
            case .truth: tellTruth(call)
            case .values(let values):
                let isProperty = call.property != nil && call.member == "Get"
                call.reply(isProperty ? values.map { .variant($0.unwrapped) } : values)
            case .error(let name, let text): call.fail(name, text)
            case .silence: break
            case .disconnection: connection.disconnect()
            }
            for effect in reaction.afterwards { try effect(self) }
        } catch {
            preconditionFailure("a scripted effect of \(name) failed: \(error)")
        }
    }

    private func takeReaction(to call: FakeCall) -> Reaction {
        state.withLock { state in
            let match = state.scripts.lastIndex {
                $0.timesLeft != 0 && call.concerns(path: $0.path, interface: $0.interface, member: $0.member)
            }
            guard let match else { return .truth }
            if let times = state.scripts[match].timesLeft { state.scripts[match].timesLeft = times - 1 }
            return state.scripts[match].reaction
        }
    }

    private func tellTruth(_ call: FakeCall) {
        do {
            switch try truth(call) {
            case .values(let values): call.reply(values)
            case .error(let name, let text): call.fail(name, text)
            }
        } catch {
            call.fail("org.freedesktop.DBus.Error.Failed", "\(error)")
        }
    }

    private func truth(_ call: FakeCall) throws -> Truth {
        if call.path == "/org/a11y/atspi/cache" { return cacheTruth(call) }
        guard let node = find(call.path) else {
            return .error("org.freedesktop.DBus.Error.UnknownObject", "no object \(call.path)")
        }
        switch call.interface {
        case "org.freedesktop.DBus.Properties": return propertyTruth(call, node)
        case "org.freedesktop.DBus.Introspectable": return .value("<node/>")
        default: break
        }
        let interface = call.interface.map { $0.replacing("org.a11y.atspi.", with: "") } ?? "Accessible"
        guard node.interfaces.contains(interface) else {
            return .error("org.freedesktop.DBus.Error.UnknownInterface", "no interface \(interface)")
        }
        switch interface {
        case "Accessible": return accessibleTruth(call, node)
        case "Application": return call.member == "GetLocale" ? .value("C") : .unknownMethod(call)
        case "Component": return try componentTruth(call, node)
        case "Selection": return selectionTruth(call, node)
        case "Text": return textTruth(call, node)
        default: return .unknownMethod(call)
        }
    }

    private func accessibleTruth(_ call: FakeCall, _ node: FakeNode) -> Truth {
        let content = node.snapshot
        let roleName = content.roleName ?? content.role.name
        switch call.member {
        case "GetChildren": return .value(.array("(so)", content.children.map(value)))
        case "GetChildAtIndex":
            let index = Int(call.arguments.first?.number ?? -1)
            let child = content.children.indices.contains(index) ? content.children[index] : .null
            return .value(value(child))
        case "GetIndexInParent": return .value(.int32(indexInParent(node)))
        case "GetRelationSet":
            let relations = content.relations.map { kind, targets in
                DBusValue.structure([.uint32(kind), .array("(so)", targets.map(value))])
            }
            return .value(.array("(ua(so))", relations))
        case "GetRole": return .value(.uint32(content.role.rawValue))
        case "GetRoleName": return .value(.string(roleName))
        case "GetLocalizedRoleName": return .value(.string(content.localizedRoleName ?? roleName))
        case "GetState": return .value(content.states.words)
        case "GetAttributes": return .value(.stringDictionary(content.attributes))
        case "GetApplication": return .value(.reference(busName, Self.rootPath))
        case "GetInterfaces": return .value(.strings(content.interfaces.map { "org.a11y.atspi." + $0 }))
        default: return .unknownMethod(call)
        }
    }

    private func propertyTruth(_ call: FakeCall, _ node: FakeNode) -> Truth {
        let interface = (call.subject ?? "").replacing("org.a11y.atspi.", with: "")
        switch call.member {
        case "Get":
            guard let value = properties(of: node, interface).first(where: { $0.0 == call.property })?.1 else {
                let error = toolkit == .qt ? "UnknownInterface" : "InvalidArgs"
                return .error("org.freedesktop.DBus.Error." + error, "no property \(call.property ?? "")")
            }
            return .value(.variant(value))
        case "GetAll": return .value(.variantDictionary(properties(of: node, interface)))
        case "Set":
            // The registry gives each application a number so.
            if call.property == "Id", let number = call.arguments.last?.unwrapped.number {
                state.withLock { $0.applicationID = Int32(truncatingIfNeeded: number) }
            }
            return .values([])
        default: return .unknownMethod(call)
        }
    }

    private func properties(of node: FakeNode, _ interface: String) -> [(String, DBusValue)] {
        let content = node.snapshot
        guard content.interfaces.contains(interface) else { return [] }
        switch interface {
        case "Accessible":
            let count = content.childCount ?? Int32(content.children.count)
            let always: [(String, DBusValue)] = [
                ("Name", .string(content.name)), ("Description", .string(content.description)),
                ("Parent", value(content.parent)), ("ChildCount", .int32(count)), ("Locale", .string(content.locale)),
                ("HelpText", .string(content.helpText)),
            ]
            let identifier = toolkit == .qt && content.accessibleID == "" ? nil : content.accessibleID
            return always + (identifier.map { [("AccessibleId", .string($0))] } ?? [])
        case "Application":
            let number = state.withLock { $0.applicationID }
            return [
                ("ToolkitName", .string(toolkit.name)), ("Version", .string(toolkit.version)),
                ("ToolkitVersion", .string(toolkit.version)), ("AtspiVersion", .string("2.1")),
                ("InterfaceVersion", .uint32(1)), ("Id", .int32(number)),
            ]
        case "Selection":
            let selected = content.children.count { find($0.path)?.states.contains(.selected) == true }
            return [("NSelectedChildren", .int32(Int32(selected)))]
        case "Text":
            let length = Int32(content.text.unicodeScalars.count)
            return [("CharacterCount", .int32(length)), ("CaretOffset", .int32(content.caretOffset))]
        default: return []
        }
    }

    func indexInParent(_ node: FakeNode) -> Int32 {
        if let index = node.indexInParent { return index }
        return find(node.parent.path)?.children.firstIndex { $0.path == node.path }.map { Int32($0) } ?? -1
    }

    /// A reference as a value: the application's own name where none is given, but for the null reference.
    func value(_ reference: FakeReference) -> DBusValue {
        let isNull = reference == .null
        return .reference(reference.bus.isEmpty && !isNull ? busName : reference.bus, reference.path)
    }
}
