/// `org.varlink.service`, which every Varlink service has: its text and the shapes of its two methods.
package enum ServiceInterface {
    package static let name = "org.varlink.service"

    /// Who the service is and which interfaces it has.
    package enum GetInfo {
        package static let name = "org.varlink.service.GetInfo"

        package struct Reply: Codable, Hashable, Sendable {
            package var vendor: String
            package var product: String
            package var version: String
            package var url: String
            package var interfaces: [String]

            package init(vendor: String, product: String, version: String, url: String, interfaces: [String]) {
                self.vendor = vendor
                self.product = product
                self.version = version
                self.url = url
                self.interfaces = interfaces
            }
        }
    }

    /// The text of one of the interfaces.
    package enum GetInterfaceDescription {
        package static let name = "org.varlink.service.GetInterfaceDescription"

        package struct Parameters: Codable, Hashable, Sendable {
            package var interface: String

            package init(interface: String) {
                self.interface = interface
            }
        }

        package struct Reply: Codable, Hashable, Sendable {
            package var description: String

            package init(description: String) {
                self.description = description
            }
        }
    }

    /// The interface as its specification has it.
    package static let text = """
        # The Varlink Service Interface is provided by every varlink service. It
        # describes the service and the interfaces it implements.
        interface org.varlink.service

        # Get a list of all the interfaces a service provides and information
        # about the implementation.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Get the description of an interface that is implemented by this service.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The requested interface was not found.
        error InterfaceNotFound (interface: string)

        # The requested method was not found
        error MethodNotFound (method: string)

        # The interface defines the requested method, but the service does not
        # implement it.
        error MethodNotImplemented (method: string)

        # One of the passed parameters is invalid.
        error InvalidParameter (parameter: string)

        # Client is denied access
        error PermissionDenied ()

        # Method is expected to be called with 'more' set to true, but wasn't
        error ExpectedMore ()

        """
}
