/// What can go wrong between a test and its fake peers.
package enum FakePeerError: Error, Hashable {
    /// Nothing of the kind happened before the deadline.
    case timedOut(String)
    /// The connection is closed, by this side or by the bus.
    case disconnected
    /// The other side answered with a D-Bus error.
    case replied(name: String, message: String)
    /// D-Bus cannot carry this; sent all the same it would end the process.
    case notSendable(String)
    /// A blocking call was made on the connection's own thread, where it could never end.
    case wouldBlockItself
    /// The bus address leads nowhere.
    case cannotConnect(String)
    /// A program that the tests need is not there or does not start.
    case cannotRun(String)
    /// A program answered with something else than was agreed.
    case unexpectedAnswer(String)
}
