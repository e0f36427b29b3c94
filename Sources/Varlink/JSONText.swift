/// JSON under way: the text so far and the containers in it that are open.
///
/// Swift's encoding tells when a container opens, not when it is done. It is taken as done when an outer one goes on,
/// which is always so for synthesized code. A container that is used after that throws.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    /// The containers that are open, outermost first.
    private var open: [Container] = []
    private var lastNumber = 0
    private var misuse: EncodingError?

    private struct Container {
        var number: Int
        var closing: UInt8
        var isEmpty: Bool
    }

    /// An open container's place, kept by whoever writes into it.
    struct Place {
        var level: Int
        var number: Int
    }

    init() {
        bytes.reserveCapacity(1024)
        open.reserveCapacity(8)
    }

    /// Closes whatever is open and gives the text; throws where a container was used after it was complete.
    mutating func finish() throws -> [UInt8] {
        if let misuse { throw misuse }
        closeContainers(downTo: 0)
        return bytes
    }

    // MARK: - Containers

    mutating func openObject() -> Place { open(UInt8(ascii: "{"), closing: UInt8(ascii: "}")) }

    mutating func openArray() -> Place { open(UInt8(ascii: "["), closing: UInt8(ascii: "]")) }

    mutating func writeEmptyObject() { bytes.append(contentsOf: "{}".utf8) }

    /// Gets ready for the next element of an open array.
    mutating func beginElement(_ place: Place) throws {
        guard place.level < open.count, open[place.level].number == place.number else {
            throw EncodingError.invalidValue(
                place, .init(codingPath: [], debugDescription: "This container is already complete."))
        }
        if open.count > place.level + 1 { closeContainers(downTo: place.level + 1) }
        if open[place.level].isEmpty {
            open[place.level].isEmpty = false
        } else {
            bytes.append(UInt8(ascii: ","))
        }
    }

    /// Gets ready for the next member of an open object and writes its name.
    mutating func beginMember(_ name: String, _ place: Place) throws {
        try beginElement(place)
        bytes.appendJSONString(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// The same where Swift's protocol lets nothing throw: it is remembered and thrown in the end.
    mutating func tryBeginElement(_ place: Place) {
        remember { text throws in try text.beginElement(place) }
    }

    /// The same where Swift's protocol lets nothing throw: it is remembered and thrown in the end.
    mutating func tryBeginMember(_ name: String, _ place: Place) {
        remember { text throws in try text.beginMember(name, place) }
    }

    // MARK: - Values

    mutating func writeNull() { bytes.append(contentsOf: "null".utf8) }

    mutating func write(_ value: Bool) { bytes.append(contentsOf: (value ? "true" : "false").utf8) }

    mutating func write(_ value: String) { bytes.appendJSONString(value) }

    mutating func write<Number: FixedWidthInteger>(_ value: Number) {
        if let small = Int64(exactly: value) {
            appendDecimal(small)
        } else {
            bytes.append(contentsOf: value.description.utf8)
        }
    }

    mutating func write(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "JSON has no number for \(value)."))
        }
        bytes.append(contentsOf: value.description.utf8)
    }

    mutating func writeNull(named name: String, _ place: Place) throws {
        try beginMember(name, place)
        writeNull()
    }

    mutating func write(_ value: Bool, named name: String, _ place: Place) throws {
        try beginMember(name, place)
        write(value)
    }

    mutating func write(_ value: String, named name: String, _ place: Place) throws {
        try beginMember(name, place)
        write(value)
    }

    mutating func write<Number: FixedWidthInteger>(_ value: Number, named name: String, _ place: Place) throws {
        try beginMember(name, place)
        write(value)
    }

    mutating func write(_ value: Double, named name: String, _ place: Place) throws {
        try beginMember(name, place)
        try write(value)
    }

    // MARK: -

    private mutating func open(_ opening: UInt8, closing: UInt8) -> Place {
        bytes.append(opening)
        lastNumber += 1
        open.append(Container(number: lastNumber, closing: closing, isEmpty: true))
        return Place(level: open.count - 1, number: lastNumber)
    }

    private mutating func closeContainers(downTo level: Int) {
        while open.count > level, let container = open.popLast() { bytes.append(container.closing) }
    }

    private mutating func remember(_ step: (inout JSONText) throws -> Void) {
        do {
            try step(&self)
        } catch let error as EncodingError {
            misuse = misuse ?? error
        } catch {
            assertionFailure("a step of JSON throws encoding errors only")
        }
    }

    private mutating func appendDecimal(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let begin = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[begin...].reverse()
    }
}
