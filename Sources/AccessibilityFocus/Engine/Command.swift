import FocusProtocol
import Varlink

/// What others ask of the engine's thread, in the order in which they asked.
enum Command: Sendable {
    /// A state that elements will be bound to; without technologies it follows any. Its changes are delivered on the thread.
    case register(FocusStateID, technologies: [String]?, deliver: @Sendable (WireChange) -> Void)
    case attach(FocusStateID, AttachedElement)
    case detach(FocusStateID, AttachmentID)
    case set(FocusStateID, SetRequest)
    /// Nobody has the state any more.
    case release(FocusStateID)
    /// The app was asked to move to its own element, and did so or declined for this reason.
    case moveAnswered(token: String, declined: String?)
    case call(CallRequest)
    case cancel(CallRequestID)
    case perform(@Sendable () -> Void)
    case stop
}

/// An element that is bound to a value, by the value's name on the wire.
struct AttachedElement: Sendable {
    let id: AttachmentID
    let value: String
    let element: Element
}

/// A state's value as focusd tells it.
struct WireChange: Sendable {
    var value: String?
    var assumed: Bool
    var cause: String
    /// Nil where no move of the focus caused it.
    var revision: Int64?
    var element: ElementSnapshot?
}

/// A value that is to be set; nil gives the focus back.
struct SetRequest: Sendable {
    var value: String?
    var again = false
    var routes: [String]?
    var patience: Patience
    /// Who waits for the outcome; nil of an assignment.
    var completion: Completion<Outcome>?
    /// Its place among the sets of its state: a later one has a greater number.
    var number = 0
    /// Whether it was sent once to a state that was no more.
    var isSecondAttempt = false

    init(
        value: String?, again: Bool = false, routes: [String]? = nil, timeout: Duration? = nil,
        completion: Completion<Outcome>? = nil
    ) {
        self.value = value
        self.again = again
        self.routes = routes
        patience = .ofMove(timeout)
        self.completion = completion
    }
}

/// One call that is made on a connection of its own, or in order with others on the same lane.
struct CallRequest: Sendable {
    let id = CallRequestID()
    /// Set when nobody waits any more: a call that is not begun by then never is.
    let isOver = Flag()
    let method: String
    let parameters: [UInt8]
    var wantsMore = false
    /// Calls with the same lane are sent one after the other on one connection; nil is a connection of its own.
    var lane: UInt64?
    /// How long the answer may take; nil for ever. Of a stream, its first reply.
    var deadline: Duration?
    /// Called on the engine's thread for each reply; a failure is the last.
    let receive: @Sendable (Result<IncomingReply, FocusClientError>) -> Void
}
