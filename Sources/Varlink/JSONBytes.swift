import FoundationEssentials

/// Turns values into the bytes of JSON and back.
package enum JSONBytes {
    private static let decoder = JSONDecoder()

    /// The bytes of a value, members in the order in which it writes them. Members that are nil are left out.
    ///
    /// Throws where a number is not finite.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let writer = JSONWriter()
        try writer.writeValue(value)
        return try writer.text.finish()
    }

    /// A value from its bytes; no bytes at all are an empty object. Throws a `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try decoder.decode(type, from: bytes.isEmpty ? emptyObject : Data(bytes))
    }

    private static let emptyObject = Data("{}".utf8)
}
