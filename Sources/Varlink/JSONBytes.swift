import FoundationEssentials

/// Turns values into the bytes of JSON and back.
package enum JSONBytes {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()
    private static let decoder = JSONDecoder()

    /// The bytes of a value. Members that are nil are left out. Throws where a number is not finite.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        try Array(encoder.encode(value))
    }

    /// A value from its bytes; no bytes at all are an empty object. Throws a `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try decoder.decode(type, from: bytes.isEmpty ? emptyObject : Data(bytes))
    }

    private static let emptyObject = Data("{}".utf8)
}
