import EventLoop
import FocusProtocol
import Varlink

/// The methods of `org.varlink.service`, which every Varlink service has.
extension FocusServer {
    static func getInfo(_ call: ServedCall) throws {
        _ = try call.incoming.decodeParameters(
            as: NoParameters.self, knownNames: call.server.knownParameters(of: ServiceInterface.GetInfo.name))
        call.reply(
            ServiceInterface.GetInfo.Reply(
                vendor: "The focusd authors", product: "focusd", version: focusdVersion, url: "https://focusd.io",
                interfaces: interfaces.keys.sorted()))
    }

    static func getInterfaceDescription(_ call: ServedCall) throws {
        let parameters = try call.incoming.decodeParameters(
            as: ServiceInterface.GetInterfaceDescription.Parameters.self,
            knownNames: call.server.knownParameters(of: ServiceInterface.GetInterfaceDescription.name))
        guard let text = interfaces[parameters.interface] else {
            throw VarlinkError.interfaceNotFound(interface: parameters.interface)
        }
        call.reply(ServiceInterface.GetInterfaceDescription.Reply(description: text))
    }
}
