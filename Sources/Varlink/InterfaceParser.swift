/// Reads Varlink's interface language by recursive descent, with a bounded depth.
struct InterfaceParser {
    /// How deep types may stand in each other.
    static let maximumDepth = 32

    private let bytes: [UInt8]
    private var position = 0
    /// The comment lines right above the next token.
    private var comment: [String] = []
    /// Where each used name of a type stands, to check that it exists.
    private var references: [(name: String, position: Int)] = []
    private var memberNames: Set<String> = []

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func interface() throws(InterfaceSyntaxError) -> InterfaceDescription {
        skipSpace()
        let documentation = takeComment()
        try expectKeyword("interface")
        skipSpace()
        var description = InterfaceDescription(name: try interfaceName(), documentation: documentation)
        while true {
            comment = []
            skipSpace()
            guard position < bytes.count else { break }
            try member(of: &description)
        }
        let known = Set(description.types.map(\.name))
        for reference in references where !known.contains(reference.name) {
            throw error("a type of this interface, not '\(reference.name)'", at: reference.position)
        }
        return description
    }

    private mutating func member(of description: inout InterfaceDescription) throws(InterfaceSyntaxError) {
        let documentation = takeComment()
        let begin = position
        switch word() {
        case "type":
            let name = try memberName()
            skipSpace()
            let type = try parenthesized(depth: 0)
            description.types.append(.init(name: name, type: type, documentation: documentation))
        case "method":
            let name = try memberName()
            let parameters = try fields()
            skipSpace()
            try expect("->")
            description.methods.append(
                .init(name: name, parameters: parameters, reply: try fields(), documentation: documentation))
        case "error":
            let name = try memberName()
            description.errors.append(.init(name: name, parameters: try fields(), documentation: documentation))
        default:
            throw error("'type', 'method' or 'error'", at: begin)
        }
    }

    // MARK: - Types

    /// A structure's fields where only a structure may stand: behind methods and errors.
    private mutating func fields() throws(InterfaceSyntaxError) -> [InterfaceDescription.Field] {
        skipSpace()
        let begin = position
        guard case .structure(let fields) = try parenthesized(depth: 0) else {
            throw error("fields with types", at: begin)
        }
        return fields
    }

    private mutating func fieldType(depth: Int, isOptional: Bool = false) throws(InterfaceSyntaxError)
        -> InterfaceDescription.FieldType
    {
        skipSpace()
        guard depth < Self.maximumDepth else { throw error("at most \(Self.maximumDepth) types inside each other") }
        if take("?") {
            guard !isOptional else { throw error("one '?' only", at: position - 1) }
            return .optional(try fieldType(depth: depth + 1, isOptional: true))
        }
        if take("[]") { return .array(try fieldType(depth: depth + 1)) }
        if take("[string]") { return .dictionary(try fieldType(depth: depth + 1)) }
        if peek() == UInt8(ascii: "(") { return try parenthesized(depth: depth + 1) }
        let begin = position
        let name = word()
        switch name {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        default:
            guard let first = name.utf8.first, isUpper(first), isMemberName(name) else {
                throw error("a type", at: begin)
            }
            references.append((name, begin))
            return .named(name)
        }
    }

    /// A structure, or an enumeration where the first name has no type. Empty parentheses are a structure.
    private mutating func parenthesized(depth: Int) throws(InterfaceSyntaxError) -> InterfaceDescription.FieldType {
        guard depth < Self.maximumDepth else { throw error("at most \(Self.maximumDepth) types inside each other") }
        try expect("(")
        comment = []
        skipSpace()
        if take(")") { return .structure([]) }
        var fields: [InterfaceDescription.Field] = []
        var names: Set<String> = []
        var isEnumeration: Bool?
        repeat {
            skipSpace()
            let documentation = takeComment()
            let begin = position
            let name = word()
            guard isFieldName(name) else { throw error("a field's name", at: begin) }
            guard names.insert(name).inserted else { throw error("a name that was not there before", at: begin) }
            skipSpace()
            let hasType = take(":")
            guard isEnumeration != hasType else {
                throw error(hasType ? "',' or ')', as no name before has a type" : "':' and a type")
            }
            isEnumeration = !hasType
            let type = hasType ? try fieldType(depth: depth + 1) : .string
            fields.append(.init(name: name, type: type, documentation: documentation))
            comment = []
            skipSpace()
        } while take(",")
        try expect(")")
        return isEnumeration == true ? .enumeration(fields.map(\.name)) : .structure(fields)
    }

    // MARK: - Names

    private mutating func memberName() throws(InterfaceSyntaxError) -> String {
        skipSpace()
        let begin = position
        let name = word()
        guard isMemberName(name) else { throw error("a name that begins with a capital letter", at: begin) }
        guard memberNames.insert(name).inserted else { throw error("a name that was not there before", at: begin) }
        return name
    }

    /// A name like `org.example.ftl`: at least two parts, the first beginning with a letter, no part with `-` at an end.
    private mutating func interfaceName() throws(InterfaceSyntaxError) -> String {
        let begin = position
        while let byte = peek(), isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") {
            position += 1
        }
        let name = text(begin..<position)
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areParts = parts.allSatisfy { part in
            guard let first = part.first, let last = part.last else { return false }
            return isLetterOrDigit(first) && isLetterOrDigit(last)
        }
        guard parts.count >= 2, areParts, let first = name.utf8.first, isLetter(first) else {
            throw error("an interface's name, like 'org.example.name'", at: begin)
        }
        return name
    }

    private func isMemberName(_ name: String) -> Bool {
        guard let first = name.utf8.first, isUpper(first) else { return false }
        return name.utf8.allSatisfy(isLetterOrDigit)
    }

    /// Letters, digits and single underscores between them, a letter first.
    private func isFieldName(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        var previous = first
        for byte in name.utf8.dropFirst() {
            if byte == UInt8(ascii: "_"), previous == UInt8(ascii: "_") { return false }
            previous = byte
        }
        return previous != UInt8(ascii: "_")
    }

    // MARK: - Tokens

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The letters, digits and underscores that come next; maybe none.
    private mutating func word() -> String {
        let begin = position
        while let byte = peek(), isLetterOrDigit(byte) || byte == UInt8(ascii: "_") { position += 1 }
        return text(begin..<position)
    }

    private mutating func take(_ token: StaticString) -> Bool {
        let wanted = token.description.utf8
        guard bytes[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func expect(_ token: StaticString) throws(InterfaceSyntaxError) {
        guard take(token) else { throw error("'\(token)'") }
    }

    private mutating func expectKeyword(_ keyword: String) throws(InterfaceSyntaxError) {
        let begin = position
        guard word() == keyword else { throw error("'\(keyword)'", at: begin) }
    }

    /// Skips white space and comments, and keeps the comment lines that stand right above what comes next.
    ///
    /// A comment behind something in its line, and one with an empty line below it, belongs to nothing.
    private mutating func skipSpace() {
        var lineIsEmpty = position == 0 || bytes[position - 1] == UInt8(ascii: "\n")
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
            case UInt8(ascii: "\n"):
                if lineIsEmpty { comment = [] }
                lineIsEmpty = true
                position += 1
            case UInt8(ascii: "#"):
                let begin = position + 1
                let end = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                if lineIsEmpty { comment.append(text(begin..<end).trimmingOneSpace()) }
                position = min(end + 1, bytes.count)
                lineIsEmpty = true
            default: return
            }
        }
    }

    private mutating func takeComment() -> String {
        defer { comment = [] }
        return comment.joined(separator: "\n")
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func error(_ expected: String, at place: Int? = nil) -> InterfaceSyntaxError {
        let place = place ?? position
        let before = bytes[..<place]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = 1 + before.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        return InterfaceSyntaxError(position: place, line: line, column: place - lineStart + 1, expected: expected)
    }
}

private func isUpper(_ byte: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }

private func isLetter(_ byte: UInt8) -> Bool { isUpper(byte & 0xDF) && byte < 0x80 }

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
}

extension String {
    fileprivate func trimmingOneSpace() -> String { hasPrefix(" ") ? String(dropFirst()) : self }
}
