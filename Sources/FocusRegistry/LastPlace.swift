import AccessibilityTree

/// Where a technology was last, as the next run of the service needs it: names and paths, no text.
package struct LastPlace: Hashable, Sendable {
    package var technology: TechnologyID
    /// The technology's connection.
    package var busName: String
    package var element: ObjectReference
    /// Whether the element's window was the active one: then it must still be, for the place to count.
    package var isInActiveWindow: Bool

    package init(technology: TechnologyID, busName: String, element: ObjectReference, isInActiveWindow: Bool) {
        self.technology = technology
        self.busName = busName
        self.element = element
        self.isInActiveWindow = isInActiveWindow
    }
}

/// The places of all technologies on one bus, who moved last first, and how they are written down.
package struct LastPlaces: Hashable, Sendable {
    /// More technologies than any desktop has.
    package static let maximumPlaces = 12
    /// Bytes of a line: more than any toolkit's paths need. Twelve of them, and the keyboard's, fit into 16 KiB.
    package static let maximumLineBytes = 1_024
    private static let firstLine = "focusd places 1"
    private static let lastLine = "end"

    /// The bus that the names belong to: its own id, which no other bus has.
    package var bus: String
    package var places: [LastPlace]
    /// The element that typed keys went to: where it is another one now, the user has moved on meanwhile.
    package var keyboard: ObjectReference?

    package init(bus: String, places: [LastPlace], keyboard: ObjectReference? = nil) {
        self.bus = bus
        self.places = places
        self.keyboard = keyboard
    }

    /// The text in which nothing is known.
    package static var nothing: [UInt8] { Array("\(firstLine)\n\(lastLine)\n".utf8) }

    /// As text: a line for each place, its fields with tabs between them. A place that would break a line, or needs too
    /// long a one, is left out.
    package var encoded: [UInt8] {
        var lines = [LastPlaces.firstLine, bus]
        // Nobody asks of the keyboard what is asked of a technology; it is written the same way.
        let last = keyboard.map {
            LastPlace(technology: .keyboard, busName: $0.busName, element: $0, isInActiveWindow: false)
        }
        for place in places.prefix(LastPlaces.maximumPlaces) + (last.map { [$0] } ?? []) {
            let fields = [
                place.technology.rawValue, place.busName, place.element.busName, place.element.path,
                place.isInActiveWindow ? "active" : "elsewhere",
            ]
            guard fields.allSatisfy({ !$0.isEmpty && !$0.utf8.contains { $0 < 0x20 } }) else { continue }
            let line = fields.joined(separator: "\t")
            if line.utf8.count <= LastPlaces.maximumLineBytes { lines.append(line) }
        }
        lines.append(LastPlaces.lastLine)
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Nil where the text is not whole or not right: then nothing is known. What follows the last line does not count.
    package init?(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: LastPlaces.maximumPlaces + 4)
        guard let end = lines.firstIndex(where: { $0.elementsEqual(LastPlaces.lastLine.utf8) }), end >= 2,
            lines[0].elementsEqual(LastPlaces.firstLine.utf8), let bus = String(validating: lines[1], as: UTF8.self)
        else { return nil }
        self.bus = bus
        places = []
        for line in lines[2..<end] {
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .compactMap { String(validating: $0, as: UTF8.self) }
            guard fields.count == 5, fields.allSatisfy({ !$0.isEmpty }), fields[1].hasPrefix(":"),
                fields[2].hasPrefix(":"), fields[3].hasPrefix("/"), ["active", "elsewhere"].contains(fields[4])
            else { return nil }
            let element = ObjectReference(busName: fields[2], path: fields[3])
            let id = TechnologyID(fields[0])
            if id == .keyboard {
                keyboard = element
            } else {
                places.append(
                    LastPlace(
                        technology: id, busName: fields[1], element: element, isInActiveWindow: fields[4] == "active"))
            }
        }
    }
}

extension FocusRegistry {
    /// Whether a technology has said in this run where it is; else its place is only assumed.
    package func hasMoved(_ id: TechnologyID) -> Bool {
        // Before any time of a clock lies what ``assume(_:_:cause:precedence:at:)`` gives by precedence.
        technologies[id].map { $0.lastMove > .min + Microseconds(LastPlaces.maximumPlaces) * 2 } ?? false
    }

    /// Where the assistive technologies are now, for another run of the service to know.
    package var lastPlaces: [LastPlace] {
        activeTechnologies.compactMap { id in
            guard let record = technologies[id], let connection = record.connection,
                let position = record.followed ?? record.position
            else { return nil }
            return LastPlace(
                technology: id, busName: connection.busName, element: position.element,
                isInActiveWindow: position.placement.window != nil && position.placement.window == activeWindow)
        }
    }
}
