import FocusProtocol
import Varlink

/// Why a call was not answered with what it asked for. What becomes of a move is never an error but its outcome.
public enum FocusClientError: Error, Hashable, Sendable {
    /// No focusd is there; the path is where its socket would be, nil where no runtime folder is known.
    case noService(path: String?)
    /// focusd's folder or socket could belong to somebody else, so that it is not used.
    case untrusted(path: String)
    /// focusd went away before it answered.
    case connectionLost
    /// No answer came in time.
    case timedOut
    /// The task that waited was cancelled.
    case cancelled
    /// The answer was none to this call: another version of focusd, or something else in its place.
    case unreadableReply
    /// No element is bound to the value.
    case nothingBound
    /// focusd refused the request.
    case refused(FocusRefusal)
}

/// What focusd says is wrong with a request.
public enum FocusRefusal: Hashable, Sendable {
    /// The position counts bytes of UTF-8 from 0. Of a Bind, the prototype is the place of the one that it is in.
    case invalidSelector(position: Int, expected: String, prototype: Int? = nil)
    case unknownTechnology(String)
    case unknownState(String)
    case unknownValue(String)
    /// A named state has other values, elements or technologies.
    case stateExists(String)
    case staleElement
    /// `noSuchApplication`, `stillLoading`, `applicationNotResponding` or `noMatch`.
    case elementNotFound(reason: String)
    case waitTimedOut
    case ambiguousSelector(count: Int)
    /// The stream was read too slowly.
    case tooSlow
    case limitExceeded(String)
    case invalidParameter(String)
    /// This focusd is older than the library and lacks the method.
    case unknownMethod(String)
    /// Another error, by its name on the wire.
    case other(String)
}

extension FocusRefusal {
    /// The refusal that a reply carries; nil where it carries none.
    init?(_ reply: IncomingReply) {
        guard let name = reply.error else { return nil }
        self = Self.known(name, reply) ?? .other(name)
    }

    private static func known(_ name: String, _ reply: IncomingReply) -> FocusRefusal? {
        switch name {
        case FocusError.InvalidSelector.name:
            read(FocusError.InvalidSelector.self, reply) {
                .invalidSelector(position: $0.position, expected: $0.expected, prototype: $0.prototype)
            }
        case FocusError.UnknownTechnology.name:
            read(FocusError.UnknownTechnology.self, reply) { .unknownTechnology($0.id) }
        case FocusError.UnknownState.name: read(FocusError.UnknownState.self, reply) { .unknownState($0.state) }
        case FocusError.UnknownValue.name: read(FocusError.UnknownValue.self, reply) { .unknownValue($0.value) }
        case FocusError.StateExists.name: read(FocusError.StateExists.self, reply) { .stateExists($0.state) }
        case FocusError.StaleElement.name: .staleElement
        case FocusError.ElementNotFound.name:
            read(FocusError.ElementNotFound.self, reply) { .elementNotFound(reason: $0.reason) }
        case FocusError.WaitTimedOut.name: .waitTimedOut
        case FocusError.AmbiguousSelector.name:
            read(FocusError.AmbiguousSelector.self, reply) { .ambiguousSelector(count: $0.count) }
        case FocusError.SubscriberTooSlow.name: .tooSlow
        case FocusError.LimitExceeded.name: read(FocusError.LimitExceeded.self, reply) { .limitExceeded($0.limit) }
        default: ofVarlink(reply)
        }
    }

    private static func ofVarlink(_ reply: IncomingReply) -> FocusRefusal? {
        switch VarlinkError(reply) {
        case .methodNotFound(let method), .methodNotImplemented(let method): .unknownMethod(method)
        case .interfaceNotFound(let interface): .unknownMethod(interface)
        case .invalidParameter(let parameter): .invalidParameter(parameter)
        case .permissionDenied, .expectedMore, nil: nil
        }
    }

    private static func read<Wire: InterfaceError>(
        _ type: Wire.Type, _ reply: IncomingReply, _ make: (Wire) -> FocusRefusal
    ) -> FocusRefusal? {
        // An error without what belongs to it is still told, by its name.
        do { return make(try JSONBytes.decode(type, from: reply.parameters)) } catch { return nil }
    }
}

extension FocusClientError {
    /// What the checks of the socket's place found.
    init(_ error: FocusSocketError) {
        switch error {
        case .noRuntimeDirectory(let path): self = .noService(path: path)
        case .unsafeDirectory(let path, _): self = .untrusted(path: path)
        case .noService(let path, _): self = .noService(path: path)
        case .connectionLost, .interrupted, .refused: self = .connectionLost
        case .timedOut: self = .timedOut
        case .unreadableReply: self = .unreadableReply
        }
    }
}

extension FocusRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidSelector(let position, let expected, _):
            "the selector is wrong at byte \(position): expected \(expected)"
        case .unknownTechnology(let id): "no technology \"\(id)\" is known"
        case .unknownState(let state): "there is no state \"\(state)\""
        case .unknownValue(let value): "the state has no value \"\(value)\""
        case .stateExists(let state): "there is a state \"\(state)\" with other values or elements"
        case .staleElement: "the element is no more"
        case .elementNotFound(let reason): "no element was found: \(reason)"
        case .waitTimedOut: "the element did not become as was waited for"
        case .ambiguousSelector(let count): "the selector matches \(count) elements"
        case .tooSlow: "the replies were read too slowly"
        case .limitExceeded(let limit): "the limit \(limit) is reached"
        case .invalidParameter(let parameter): "the parameter \"\(parameter)\" is wrong"
        case .unknownMethod(let method): "it does not know \(method); it may be older than this library"
        case .other(let name): name
        }
    }
}

extension FocusClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noService(let path): "focusd is not there\(path.map { " (\($0))" } ?? "")"
        case .untrusted(let path): "\(path) is not private to this user, and is not used"
        case .connectionLost: "focusd went away"
        case .timedOut: "focusd did not answer in time"
        case .cancelled: "the task was cancelled"
        case .unreadableReply: "the answer cannot be read"
        case .nothingBound: "no element is bound to this value"
        case .refused(let refusal): "focusd refused it: \(refusal)"
        }
    }
}
