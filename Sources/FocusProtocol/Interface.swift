/// The interface `io.focusd.Focus`: the contract between focusd and its clients.
public enum FocusInterface {
    /// The interface's name, and the name of the socket.
    public static let name = "io.focusd.Focus"

    /// The text of the interface file, as `GetInterfaceDescription` serves it; byte for byte `io.focusd.Focus.varlink`.
    public static let text = typesText + methodsText
}
