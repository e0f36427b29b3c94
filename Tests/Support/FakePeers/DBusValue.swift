/// Any value that a D-Bus message can carry, so that a fake peer can say the right thing or any wrong one.
package indirect enum DBusValue: Sendable, Hashable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// The signature of the elements, then the elements: an empty array has a type too.
    case array(String, [DBusValue])
    case structure([DBusValue])
    /// Only as an element of an array.
    case dictionaryEntry(DBusValue, DBusValue)
    case variant(DBusValue)

    /// The D-Bus signature of this value.
    package var typeSignature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + fields.map(\.typeSignature).joined() + ")"
        case .dictionaryEntry(let key, let value): "{" + key.typeSignature + value.typeSignature + "}"
        case .variant: "v"
        }
    }
}

// MARK: - Making values

extension DBusValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }

    /// A signed 32-bit integer, which is what nearly every number of AT-SPI is.
    package init(integerLiteral value: Int32) { self = .int32(value) }

    /// A boolean.
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension DBusValue {
    /// A reference to an accessible: bus name and object path, `(so)`.
    package static func reference(_ busName: String, _ path: String) -> DBusValue {
        .structure([.string(busName), .objectPath(path)])
    }

    /// An array of strings, `as`.
    package static func strings(_ values: [String]) -> DBusValue { .array("s", values.map { .string($0) }) }

    /// A dictionary of strings, `a{ss}`, in the order of its keys.
    package static func stringDictionary(_ values: [String: String]) -> DBusValue {
        .array("{ss}", values.sorted { $0.key < $1.key }.map { .dictionaryEntry(.string($0.key), .string($0.value)) })
    }

    /// A dictionary of variants, `a{sv}`, in the order given.
    package static func variantDictionary(_ values: [(String, DBusValue)]) -> DBusValue {
        .array("{sv}", values.map { .dictionaryEntry(.string($0.0), .variant($0.1)) })
    }
}

// MARK: - Reading values

extension DBusValue {
    /// The text of a string, object path or signature.
    package var text: String? {
        switch self {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    /// The number of any integer type.
    package var number: Int64? {
        switch self {
        case .byte(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .uint16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .uint32(let value): Int64(value)
        case .int64(let value): value
        case .uint64(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The truth of a boolean.
    package var truth: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The elements of an array or the fields of a structure.
    package var elements: [DBusValue]? {
        switch self {
        case .array(_, let values), .structure(let values): values
        default: nil
        }
    }

    /// What a variant holds; any other value is itself.
    package var unwrapped: DBusValue {
        if case .variant(let value) = self { value.unwrapped } else { self }
    }

    /// Bus name and path of a reference `(so)`, also inside a variant.
    package var referenced: FakeReference? {
        guard case .structure(let fields) = unwrapped, fields.count == 2,
            case .string(let busName) = fields[0], case .objectPath(let path) = fields[1]
        else { return nil }
        return FakeReference(bus: busName, path: path)
    }
}
