// The containers are thin: every method says where it is and hands the value to the writer.

/// The members of an object.
struct JSONObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONWriter
    let place: JSONText.Place
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try writer.text.writeNull(named: key.stringValue, place) }
    func encode(_ value: Bool, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: String, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: Int, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: Int8, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: Int16, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: Int32, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: Int64, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: UInt, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: UInt8, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: UInt16, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: UInt32, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: UInt64, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: Double, forKey key: Key) throws { try writer.text.write(value, named: key.stringValue, place) }
    func encode(_ value: Float, forKey key: Key) throws {
        try writer.text.write(Double(value), named: key.stringValue, place)
    }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try writer.text.beginMember(key.stringValue, place)
        try writer.writeValue(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key.stringValue).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested("super") }
    func superEncoder(forKey key: Key) -> any Encoder { nested(key.stringValue) }

    private func nested(_ name: String) -> JSONValueEncoder {
        writer.text.tryBeginMember(name, place)
        return JSONValueEncoder(writer: writer)
    }
}

/// The elements of an array.
struct JSONArrayContainer: UnkeyedEncodingContainer {
    let writer: JSONWriter
    let place: JSONText.Place
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(writer: JSONWriter, place: JSONText.Place) {
        self.writer = writer
        self.place = place
    }

    mutating func encodeNil() throws { try begin().text.writeNull() }
    mutating func encode(_ value: Bool) throws { try begin().text.write(value) }
    mutating func encode(_ value: String) throws { try begin().text.write(value) }
    mutating func encode(_ value: Int) throws { try begin().text.write(value) }
    mutating func encode(_ value: Int8) throws { try begin().text.write(value) }
    mutating func encode(_ value: Int16) throws { try begin().text.write(value) }
    mutating func encode(_ value: Int32) throws { try begin().text.write(value) }
    mutating func encode(_ value: Int64) throws { try begin().text.write(value) }
    mutating func encode(_ value: UInt) throws { try begin().text.write(value) }
    mutating func encode(_ value: UInt8) throws { try begin().text.write(value) }
    mutating func encode(_ value: UInt16) throws { try begin().text.write(value) }
    mutating func encode(_ value: UInt32) throws { try begin().text.write(value) }
    mutating func encode(_ value: UInt64) throws { try begin().text.write(value) }
    mutating func encode(_ value: Double) throws { try begin().text.write(value) }
    mutating func encode(_ value: Float) throws { try begin().text.write(Double(value)) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try begin().writeValue(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { nested() }

    private mutating func begin() throws -> JSONWriter {
        try writer.text.beginElement(place)
        count += 1
        return writer
    }

    private mutating func nested() -> JSONValueEncoder {
        writer.text.tryBeginElement(place)
        count += 1
        return JSONValueEncoder(writer: writer)
    }
}

/// One value that stands alone.
struct JSONSingleContainer: SingleValueEncodingContainer {
    let writer: JSONWriter
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { writer.text.writeNull() }
    func encode(_ value: Bool) { writer.text.write(value) }
    func encode(_ value: String) { writer.text.write(value) }
    func encode(_ value: Int) { writer.text.write(value) }
    func encode(_ value: Int8) { writer.text.write(value) }
    func encode(_ value: Int16) { writer.text.write(value) }
    func encode(_ value: Int32) { writer.text.write(value) }
    func encode(_ value: Int64) { writer.text.write(value) }
    func encode(_ value: UInt) { writer.text.write(value) }
    func encode(_ value: UInt8) { writer.text.write(value) }
    func encode(_ value: UInt16) { writer.text.write(value) }
    func encode(_ value: UInt32) { writer.text.write(value) }
    func encode(_ value: UInt64) { writer.text.write(value) }
    func encode(_ value: Double) throws { try writer.text.write(value) }
    func encode(_ value: Float) throws { try writer.text.write(Double(value)) }
    func encode<Value: Encodable>(_ value: Value) throws { try writer.writeValue(value) }
}
