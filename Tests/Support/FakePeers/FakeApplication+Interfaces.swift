/// The interfaces beside Accessible, as far as anything here asks for them.
extension FakeApplication {
    func componentTruth(_ call: FakeCall, _ node: FakeNode) throws -> Truth {
        let content = node.snapshot
        switch call.member {
        case "GrabFocus":
            if toolkit == .gtk4 { return .error("org.freedesktop.DBus.Error.NotSupported", "not supported") }
            guard content.states.contains(.focusable) else { return .value(false) }
            // As GTK3: a window in the background is raised, and a hidden widget gets the focus all the same.
            if let window = window(of: node), !window.states.contains(.active) { try activate(window.key) }
            try moveFocus(to: node.key)
            return .value(true)
        case "GetExtents":
            let box = content.extents
            return .value(.structure([.int32(box.x), .int32(box.y), .int32(box.width), .int32(box.height)]))
        case "GetPosition": return .values([.int32(content.extents.x), .int32(content.extents.y)])
        case "GetSize": return .values([.int32(content.extents.width), .int32(content.extents.height)])
        case "ScrollTo":
            if toolkit == .gtk4 { return .error("org.freedesktop.DBus.Error.NotSupported", "not supported") }
            return .value(false)
        case "GetLayer": return .value(.uint32(3))
        case "GetMDIZOrder": return .value(.int16(-1))
        case "GetAlpha": return .value(.double(1))
        default: return .unknownMethod(call)
        }
    }

    func selectionTruth(_ call: FakeCall, _ node: FakeNode) -> Truth {
        let index = Int(call.arguments.first?.number ?? -1)
        let children = node.children
        let child = children.indices.contains(index) ? find(children[index].path) : nil
        switch call.member {
        case "SelectChild":
            guard let child else { return .value(false) }
            for other in children { find(other.path)?.states.remove(.selected) }
            child.states.insert(.selected)
            return .value(true)
        case "IsChildSelected": return .value(.boolean(child?.states.contains(.selected) == true))
        case "GetSelectedChild":
            let selected = children.filter { find($0.path)?.states.contains(.selected) == true }
            return .value(value(selected.indices.contains(index) ? selected[index] : .null))
        case "ClearSelection":
            for other in children { find(other.path)?.states.remove(.selected) }
            return .value(true)
        default: return .unknownMethod(call)
        }
    }

    func textTruth(_ call: FakeCall, _ node: FakeNode) -> Truth {
        switch call.member {
        case "GetText":
            let scalars = Array(node.text.unicodeScalars)
            let start = min(max(0, Int(call.arguments.first?.number ?? 0)), scalars.count)
            let asked = Int(call.arguments.last?.number ?? -1)
            let end = asked < 0 ? scalars.count : min(max(start, asked), scalars.count)
            return .value(.string(String(String.UnicodeScalarView(scalars[start..<end]))))
        case "SetCaretOffset":
            node.caretOffset = Int32(truncatingIfNeeded: call.arguments.first?.number ?? 0)
            return .value(true)
        default: return .unknownMethod(call)
        }
    }

    func cacheTruth(_ call: FakeCall) -> Truth {
        guard call.member == "GetItems" else { return .unknownMethod(call) }
        let listed = nodes.filter(\.isInCache)
        return switch cache {
        case .modern: .value(.array("((so)(so)(so)iiassusau)", listed.map(modernItem)))
        case .legacy: .value(.array("((so)(so)(so)a(so)assusau)", listed.map(legacyItem)))
        case .legacyEmpty: .value(.array("((so)(so)(so)a(so)assusau)", []))
        case .missing: .unknownMethod(call)
        }
    }

    /// The node as `Cache.GetItems` lists it, new signature; for `AddAccessible` too.
    package func modernItem(_ node: FakeNode) -> DBusValue {
        let content = node.snapshot
        let count = content.childCount ?? Int32(content.children.count)
        return .structure(
            itemHead(node, content) + [.int32(indexInParent(node)), .int32(count)] + itemTail(content))
    }

    private func legacyItem(_ node: FakeNode) -> DBusValue {
        let content = node.snapshot
        return .structure(
            itemHead(node, content) + [.array("(so)", content.children.map(value))] + itemTail(content))
    }

    private func itemHead(_ node: FakeNode, _ content: FakeNode.Content) -> [DBusValue] {
        [.reference(busName, node.path), .reference(busName, Self.rootPath), value(content.parent)]
    }

    private func itemTail(_ content: FakeNode.Content) -> [DBusValue] {
        [
            .strings(content.interfaces.map { "org.a11y.atspi." + $0 }), .string(content.name),
            .uint32(content.role.rawValue), .string(content.description), content.states.words,
        ]
    }
}
