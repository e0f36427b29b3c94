import AccessibilityTree

/// Events that change a tree. Both bodies, `siiva{sv}` and Qt's `siiv(so)`, carry what is needed in the same place.
extension EventDecoder {
    /// Places beyond it are no places: no tree that is kept has as many objects.
    static let maximumIndex = 1_000_000

    /// `add` or `remove`, some write `/system` behind it.
    func childrenChanged(
        _ detail: String, _ first: Int32, of source: ObjectReference, _ reader: inout MessageReader
    ) throws(MalformedMessage) -> Outcome {
        let isAddition = detail == "add" || detail.hasPrefix("add/")
        guard isAddition || detail == "remove" || detail.hasPrefix("remove/") else { return .irrelevant }
        guard reader.variantHoldsStructure, let child = try child(&reader) else {
            return .observation(.childrenUnclear(parent: source))
        }
        if source.busName == registryName, source.path == BusNames.registryRoot {
            guard child.busName.hasPrefix(":") else { return .refused(.malformed) }
            return .observation(isAddition ? .applicationAdded(root: child) : .applicationRemoved(root: child))
        }
        guard child.busName == source.busName else { return .refused(.forged) }
        guard isAddition else { return .observation(.childRemoved(parent: source, child: child)) }
        let index = (0..<EventDecoder.maximumIndex).contains(Int(first)) ? Int(first) : nil
        return .observation(.childAdded(parent: source, index: index, child: child))
    }

    /// The variant of an event about another object.
    func child(_ reader: inout MessageReader) throws(MalformedMessage) -> ObjectReference? {
        try reader.variant { (value) throws(MalformedMessage) in try value.reference() }
    }

    func propertyChange(
        _ detail: String, of source: ObjectReference, _ reader: inout MessageReader
    ) throws(MalformedMessage) -> Outcome {
        switch detail {
        case "accessible-name": return .observation(.nameChanged(source, name: try text(&reader)))
        case "accessible-description":
            return .observation(.descriptionChanged(source, description: try text(&reader)))
        case "accessible-role":
            guard reader.holdsVariant else { return .observation(.roleChanged(source, role: nil)) }
            let role = try reader.variant { (value) throws(MalformedMessage) in try value.number() }
            return .observation(.roleChanged(source, role: role.map { Role(rawValue: $0) }))
        case "accessible-parent":
            guard reader.variantHoldsStructure else { return .observation(.parentChanged(source, parent: nil)) }
            return .observation(.parentChanged(source, parent: try child(&reader)))
        // Toolkits do not say that; programs can.
        case "accessible-id": return .observation(.attributesChanged(source))
        default: return .irrelevant
        }
    }

    /// Nil where the event carries something else than a text; it is true all the same that the text changed.
    private func text(_ reader: inout MessageReader) throws(MalformedMessage) -> String? {
        guard reader.holdsVariant else { return nil }
        return try reader.variant { (value) throws(MalformedMessage) in
            value.holdsString ? try value.string() : nil
        }
    }

    func cache(_ message: IncomingMessage) throws(MalformedMessage) -> Outcome {
        let sender = message.sender
        var reader = message.reader
        if message.isMember("AddAccessible") {
            switch try reader.cacheItem(of: sender) {
            case .item(let item): return .observation(.itemAdded(busName: sender, item))
            case .null: return .refused(.malformed)
            case .foreign: return .refused(.forged)
            }
        }
        if message.isMember("RemoveAccessible") {
            guard let reference = try reader.reference() else { return .refused(.malformed) }
            guard reference.busName == sender else { return .refused(.forged) }
            return .observation(.itemRemoved(reference))
        }
        return .irrelevant
    }
}
