import FocusProtocol
import FoundationEssentials

/// The one place where values become JSON and JSON becomes values.
package enum WireJSON {
    /// One line of JSON without a line break, with its keys in order so that it can be compared.
    package static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            preconditionFailure("a shape of the protocol cannot be written as JSON: \(error)")
        }
    }

    /// Reads one reply to a call of this method.
    static func decodeReply<M: MethodCall>(_ message: [UInt8], to method: M.Type) throws(FocusSocketError) -> Reply<M> {
        do {
            return try JSONDecoder().decode(Reply<M>.self, from: Data(message))
        } catch {
            throw .unreadableReply(.notUnderstood)
        }
    }
}

/// A call as it is on the wire.
struct Request<M: MethodCall>: Encodable {
    let method: String
    let parameters: M.Parameters
    let more: Bool?
}

/// A reply as it is on the wire: what was asked for, or an error.
struct Reply<M: MethodCall>: Decodable {
    enum Content {
        case reply(M.Reply)
        case error(ErrorReply)
    }
    let content: Content
    let continues: Bool

    private enum Key: String, CodingKey {
        case parameters, continues, error
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        continues = try container.decodeIfPresent(Bool.self, forKey: .continues) ?? false
        if let name = try container.decodeIfPresent(String.self, forKey: .error) {
            let parameters = try container.decodeIfPresent([String: WireValue].self, forKey: .parameters)
            content = .error(ErrorReply(name: name, parameters: parameters ?? [:]))
        } else {
            content = .reply(try container.decode(M.Reply.self, forKey: .parameters))
        }
    }
}
