/// What the values of one state are called on the wire: their descriptions, made unique.
struct ValueNames<Value: Hashable & Sendable>: Sendable {
    private var names: [Value: String] = [:]
    private var values: [String: Value] = [:]

    /// Bytes of a description that are kept.
    private static var keptBytes: Int { 200 }

    /// A value's name; made from the description where it has none yet.
    mutating func name(of value: Value, description: String) -> String {
        if let name = names[value] { return name }
        let plain = Self.plain(description)
        var name = plain
        var number = 1
        while values[name] != nil {
            number += 1
            name = "\(plain) (\(number))"
        }
        names[value] = name
        values[name] = value
        return name
    }

    /// The value with this name; nil for one that the state never had.
    func value(named name: String) -> Value? { values[name] }

    /// No message can hold a NUL.
    private static func plain(_ description: String) -> String {
        var text = ""
        var bytes = 0
        for scalar in description.unicodeScalars where scalar != "\0" {
            bytes += scalar.utf8.count
            guard bytes <= keptBytes else { break }
            text.unicodeScalars.append(scalar)
        }
        return text.isEmpty ? "value" : text
    }
}
