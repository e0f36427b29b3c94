/// The outermost object of a message: the members that Varlink defines for calls and replies, whichever are there.
///
/// Other members are checked to be JSON and ignored, as Varlink asks.
struct Envelope {
    private(set) var method: String?
    private(set) var error: String?
    private(set) var more = false
    private(set) var oneway = false
    private(set) var upgrade = false
    private(set) var continues = false
    /// The object of parameters in its own bytes; empty where it has none.
    private(set) var parameters: [UInt8] = []
    /// The first parameter that holds an escape for NUL or for half a surrogate pair.
    private(set) var unusableParameter: String?

    private var seen: UInt8 = 0

    /// Reads one message without its NUL.
    init(reading bytes: Span<UInt8>, limits: VarlinkLimits) throws(MessageFault) {
        var scanner = JSONScanner(maximumDepth: limits.maximumDepth)
        try scanner.expect(UInt8(ascii: "{"), bytes)
        var isFirst = true
        while let name = try scanner.nextName(bytes, isFirst: isFirst) {
            isFirst = false
            if let member = Self.member(name, bytes) {
                try read(member, &scanner, bytes)
            } else {
                try scanner.skipValue(bytes, depth: 1)
            }
            // Outside the parameters, a text that cannot be is of no use to anybody: the names are matched, not kept.
            scanner.hasUnusableEscape = false
        }
        try scanner.expectEnd(bytes)
    }

    private static func member(_ name: JSONScanner.StringToken, _ bytes: Span<UInt8>) -> MessageFault.Member? {
        if name.equals("method", in: bytes) { return .method }
        if name.equals("parameters", in: bytes) { return .parameters }
        if name.equals("more", in: bytes) { return .more }
        if name.equals("continues", in: bytes) { return .continues }
        if name.equals("oneway", in: bytes) { return .oneway }
        if name.equals("upgrade", in: bytes) { return .upgrade }
        if name.equals("error", in: bytes) { return .error }
        return nil
    }

    private mutating func read(
        _ member: MessageFault.Member, _ scanner: inout JSONScanner, _ bytes: Span<UInt8>
    ) throws(MessageFault) {
        let bit: UInt8 =
            switch member {
            case .method: 1
            case .parameters: 2
            case .more: 4
            case .oneway: 8
            case .upgrade: 16
            case .error: 32
            case .continues: 64
            }
        guard seen & bit == 0 else { throw .repeated(member) }
        seen |= bit
        switch member {
        case .method: method = try text(of: member, &scanner, bytes)
        case .error: error = try text(of: member, &scanner, bytes)
        case .more: more = try flag(member, &scanner, bytes)
        case .oneway: oneway = try flag(member, &scanner, bytes)
        case .upgrade: upgrade = try flag(member, &scanner, bytes)
        case .continues: continues = try flag(member, &scanner, bytes)
        case .parameters: try readParameters(&scanner, bytes)
        }
    }

    private func text(
        of member: MessageFault.Member, _ scanner: inout JSONScanner, _ bytes: Span<UInt8>
    ) throws(MessageFault) -> String? {
        switch try scanner.peek(bytes) {
        case UInt8(ascii: "\""):
            let token = try scanner.string(bytes)
            guard !scanner.hasUnusableEscape else { throw .wrongType(of: member) }
            return token.text(in: bytes)
        case UInt8(ascii: "n"):
            try scanner.literal("null", bytes)
            return nil
        default: throw .wrongType(of: member)
        }
    }

    private func flag(
        _ member: MessageFault.Member, _ scanner: inout JSONScanner, _ bytes: Span<UInt8>
    ) throws(MessageFault) -> Bool {
        switch try scanner.peek(bytes) {
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): try scanner.optionalBool(bytes) ?? false
        default: throw .wrongType(of: member)
        }
    }

    private mutating func readParameters(_ scanner: inout JSONScanner, _ bytes: Span<UInt8>) throws(MessageFault) {
        switch try scanner.peek(bytes) {
        case UInt8(ascii: "n"): return try scanner.literal("null", bytes)
        case UInt8(ascii: "{"): break
        default: throw .wrongType(of: .parameters)
        }
        let begin = scanner.position
        try scanner.expect(UInt8(ascii: "{"), bytes)
        var isFirst = true
        while let name = try scanner.nextName(bytes, isFirst: isFirst) {
            isFirst = false
            try scanner.skipValue(bytes, depth: 2)
            if scanner.hasUnusableEscape {
                scanner.hasUnusableEscape = false
                if unusableParameter == nil { unusableParameter = name.text(in: bytes) }
            }
        }
        guard !isFirst else { return }
        let content = bytes.extracting(begin..<scanner.position)
        parameters = content.withUnsafeBufferPointer { Array($0) }
    }
}
