import EventLoop
import FocusProtocol
import Varlink

/// The methods of `org.varlink.service`, which every Varlink service has.
extension FocusServer {
    static func getInfo(_ call: ServedCall) throws {
        _ = try call.parameters(as: NoParameters.self, of: ServiceInterface.GetInfo.name)
        call.reply(
            ServiceInterface.GetInfo.Reply(
                vendor: "The focusd authors", product: "focusd", version: focusdVersion, url: "https://focusd.io",
                interfaces: interfaces.keys.sorted()))
    }

    static func getInterfaceDescription(_ call: ServedCall) throws {
        let parameters = try call.parameters(
            as: ServiceInterface.GetInterfaceDescription.Parameters.self,
            of: ServiceInterface.GetInterfaceDescription.name)
        guard let text = interfaces[parameters.interface] else {
            throw VarlinkError.interfaceNotFound(interface: parameters.interface)
        }
        call.reply(ServiceInterface.GetInterfaceDescription.Reply(description: text))
    }
}
