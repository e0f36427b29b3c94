/// The errors of `org.varlink.service`, which every method of every interface may answer.
package enum VarlinkError: Error, Hashable, Sendable {
    case interfaceNotFound(interface: String)
    case methodNotFound(method: String)
    case methodNotImplemented(method: String)
    case invalidParameter(parameter: String)
    case permissionDenied
    case expectedMore

    /// What a method that the service does not have is answered: which of the two depends on the interface.
    package static func notFound(_ call: IncomingCall, interfaces: some Sequence<String>) -> VarlinkError {
        interfaces.contains { $0 == call.interfaceName }
            ? .methodNotFound(method: call.method)
            : .interfaceNotFound(interface: String(call.interfaceName))
    }

    /// The whole name on the wire.
    package var name: String {
        switch self {
        case .interfaceNotFound: "org.varlink.service.InterfaceNotFound"
        case .methodNotFound: "org.varlink.service.MethodNotFound"
        case .methodNotImplemented: "org.varlink.service.MethodNotImplemented"
        case .invalidParameter: "org.varlink.service.InvalidParameter"
        case .permissionDenied: "org.varlink.service.PermissionDenied"
        case .expectedMore: "org.varlink.service.ExpectedMore"
        }
    }

    /// The parameters on the wire: one JSON object, or no bytes where the error has none.
    package var parameters: [UInt8] {
        switch self {
        case .interfaceNotFound(let interface): Self.object("interface", interface)
        case .methodNotFound(let method), .methodNotImplemented(let method): Self.object("method", method)
        case .invalidParameter(let parameter): Self.object("parameter", parameter)
        case .permissionDenied, .expectedMore: []
        }
    }

    /// The error that a reply carries; nil for one of another interface, or one without its parameter.
    package init?(_ reply: IncomingReply) {
        switch reply.error {
        case "org.varlink.service.InterfaceNotFound":
            guard let interface = Self.text("interface", in: reply) else { return nil }
            self = .interfaceNotFound(interface: interface)
        case "org.varlink.service.MethodNotFound":
            guard let method = Self.text("method", in: reply) else { return nil }
            self = .methodNotFound(method: method)
        case "org.varlink.service.MethodNotImplemented":
            guard let method = Self.text("method", in: reply) else { return nil }
            self = .methodNotImplemented(method: method)
        case "org.varlink.service.InvalidParameter":
            guard let parameter = Self.text("parameter", in: reply) else { return nil }
            self = .invalidParameter(parameter: parameter)
        case "org.varlink.service.PermissionDenied": self = .permissionDenied
        case "org.varlink.service.ExpectedMore": self = .expectedMore
        default: return nil
        }
    }

    private static func object(_ name: String, _ text: String) -> [UInt8] {
        var bytes = [UInt8(ascii: "{")]
        bytes.appendJSONString(name)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendJSONString(text)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private static func text(_ name: String, in reply: IncomingReply) -> String? {
        do {
            return try JSONBytes.decode([String: String].self, from: reply.parameters)[name]
        } catch {
            return nil
        }
    }
}
