/// One call as it came over the wire. Its parameters are checked JSON, not yet decoded.
package struct IncomingCall: Hashable, Sendable {
    /// The whole name, like `io.focusd.Focus.GetFocus`; any text that a peer sent.
    package var method: String
    /// Whether the caller takes more than one reply.
    package var wantsMore: Bool
    /// Whether the caller takes neither reply nor error.
    package var isOneway: Bool
    /// Whether the caller wants to speak another protocol from here on.
    package var wantsUpgrade: Bool
    /// The object of parameters in its own bytes; empty where the caller gave none.
    package var parameters: [UInt8]
    /// The first parameter that holds an escape for NUL or for half a surrogate pair, which no text can hold.
    package var unusableParameter: String?

    package init(
        method: String, parameters: [UInt8] = [], wantsMore: Bool = false, isOneway: Bool = false,
        wantsUpgrade: Bool = false
    ) {
        self.method = method
        self.parameters = parameters
        self.wantsMore = wantsMore
        self.isOneway = isOneway
        self.wantsUpgrade = wantsUpgrade
    }

    /// Reads one message, without its NUL, in one pass.
    package init(reading bytes: Span<UInt8>, limits: VarlinkLimits) throws(MessageFault) {
        let envelope = try Envelope(reading: bytes, limits: limits)
        guard let method = envelope.method else { throw .missing(.method) }
        self.init(
            method: method, parameters: envelope.parameters, wantsMore: envelope.more, isOneway: envelope.oneway,
            wantsUpgrade: envelope.upgrade)
        unusableParameter = envelope.unusableParameter
    }

    /// The part of the method's name before its last dot; empty where it has none.
    package var interfaceName: Substring {
        method.lastIndex(of: ".").map { method[..<$0] } ?? ""
    }

    /// The part of the method's name after its last dot.
    package var memberName: Substring {
        method.lastIndex(of: ".").map { method[method.index(after: $0)...] } ?? method[...]
    }

    /// Decodes the parameters; throws the error that the caller is to be answered.
    ///
    /// Given the names that the method knows, it also refuses others and those given twice: a misspelt parameter must
    /// not silently mean that it was left out.
    package func decodeParameters<Parameters: Decodable>(
        as type: Parameters.Type, knownNames: [String]? = nil
    ) throws(VarlinkError) -> Parameters {
        if let knownNames, !parameters.isEmpty, let name = firstUnknownParameter(knownNames) {
            throw .invalidParameter(parameter: name)
        }
        do {
            return try JSONBytes.decode(type, from: parameters)
        } catch {
            throw .invalidParameter(parameter: Self.parameter(blamedBy: error))
        }
    }

    private func firstUnknownParameter(_ knownNames: [String]) -> String? {
        var scanner = JSONScanner(maximumDepth: Int.max)
        var seen: Set<String> = []
        let bytes = parameters.span
        do throws(MessageFault) {
            try scanner.expect(UInt8(ascii: "{"), bytes)
            while let token = try scanner.nextName(bytes, isFirst: seen.isEmpty) {
                let name = token.text(in: bytes)
                guard knownNames.contains(name), seen.insert(name).inserted else { return name }
                try scanner.skipValue(bytes, depth: 0)
            }
            return nil
        } catch {
            return "parameters"
        }
    }

    private static func parameter(blamedBy error: any Error) -> String {
        let path: [any CodingKey] =
            switch error as? DecodingError {
            case .keyNotFound(let key, let context): context.codingPath + [key]
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            default: []
            }
        return path.first?.stringValue ?? "parameters"
    }
}
