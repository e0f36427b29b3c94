/// Any JSON value, for what has no shape of its own.
package enum WireValue: Decodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([WireValue])
    case object([String: WireValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = Self.attempt({ try container.decode(Bool.self) }) {
            self = .bool(value)
        } else if let value = Self.attempt({ try container.decode(Int64.self) }) {
            self = .integer(value)
        } else if let value = Self.attempt({ try container.decode(Double.self) }) {
            self = .number(value)
        } else if let value = Self.attempt({ try container.decode(String.self) }) {
            self = .string(value)
        } else if let value = Self.attempt({ try container.decode([WireValue].self) }) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: WireValue].self))
        }
    }

    /// The value as a person would write it; text without quotes.
    package var plainText: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .string(let value): value
        case .array(let values): "[" + values.map(\.plainText).joined(separator: ", ") + "]"
        case .object(let fields):
            "{" + fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.plainText)" }.joined(separator: ", ")
                + "}"
        }
    }

    /// Nil where the value is of another type: trying one after the other is how Codable finds out.
    private static func attempt<Value>(_ decode: () throws -> Value) -> Value? {
        do { return try decode() } catch { return nil }
    }
}
