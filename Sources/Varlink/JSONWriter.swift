/// Writes values as JSON straight into one text, with no tree in between.
final class JSONWriter {
    var text = JSONText()

    /// Writes one value with everything in it; one that writes nothing of itself is an empty object.
    func writeValue(_ value: some Encodable) throws {
        let begin = text.bytes.count
        try value.encode(to: JSONValueEncoder(writer: self))
        if text.bytes.count == begin { text.writeEmptyObject() }
    }
}

/// The encoder of one value that is to be written where the writer is.
struct JSONValueEncoder: Encoder {
    let writer: JSONWriter
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONObjectContainer(writer: writer, place: writer.text.openObject()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayContainer(writer: writer, place: writer.text.openArray())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONSingleContainer(writer: writer)
    }
}
