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

    func tableTruth(_ call: FakeCall, _ node: FakeNode) -> Truth {
        let numbers = call.arguments.compactMap(\.number)
        let (rows, columns) = (Int64(node.rows), Int64(node.columns))
        switch call.member {
        case "GetAccessibleAt":
            guard numbers.count == 2, 0..<rows ~= numbers[0], 0..<columns ~= numbers[1] else {
                return .value(value(.null))
            }
            return .value(value(child(Int(numbers[0] * columns + numbers[1]), of: node)))
        case "GetIndexAt":
            guard numbers.count == 2 else { return .value(-1) }
            return .value(.int32(Int32(truncatingIfNeeded: numbers[0] * columns + numbers[1])))
        case "GetRowAtIndex", "GetColumnAtIndex":
            guard let index = numbers.first, index >= 0, columns > 0 else { return .value(-1) }
            let number = call.member == "GetRowAtIndex" ? index / columns : index % columns
            return .value(.int32(Int32(truncatingIfNeeded: number)))
        default: return .unknownMethod(call)
        }
    }

    /// The child at an index, made if the node makes children; null where there is none.
    func child(_ index: Int, of node: FakeNode) -> FakeReference {
        let content = node.snapshot
        if content.children.indices.contains(index) { return content.children[index] }
        guard let make = content.makesChildren, index >= 0, index < Int(content.count) else { return .null }
        if let known = state.withLock({ $0.made[node.path]?[index] }) {
            if content.keepsMadeChildren { return known.reference }
            forget([known])
        }
        let made = make(index)
        made.indexInParent = Int32(truncatingIfNeeded: index)
        made.isInCache = false
        adopt(made, below: node.reference, application: node.applicationPath)
        state.withLock { $0.made[node.path, default: [:]][index] = made }
        return made.reference
    }
}
