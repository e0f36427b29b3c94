import EventLoop
import FocusProtocol
import FocusRegistry
import Selectors
import Varlink

/// What a focus state is bound to and by whom; its value is the registry's.
@Loop
final class BoundState {
    /// One `Bind`: the call whose stream it is, or the session's.
    struct Bind {
        let number: UInt64
        let client: ClientConnection
        let call: ServerConversation.CallID
        /// Nil where the call is the Bind's own stream.
        let session: String?
        /// The prototypes that this client moves to itself, by their place.
        let owned: Set<Int>
    }

    let id: FocusStateID
    /// Grows in the order in which states are made.
    let number: UInt64
    let isNamed: Bool
    let prototypes: [Prototype]
    let keys: [SelectorKey]
    let technologies: [String]?
    let modes: [String]?
    let view: FocusView
    /// The process that made it, for `:self`.
    let ownPID: Int
    /// What each bind of it costs.
    let cost: BindCost
    /// What each change of it begins with on the wire.
    let head: [UInt8]
    private(set) var binds: [Bind] = []
    /// A set of it moved the keyboard focus, which goes back with the focus then.
    var hasMovedKeyboard = false

    init(
        _ id: FocusStateID, number: UInt64, isNamed: Bool, _ wanted: WantedState, keys: [SelectorKey], ownPID: Int,
        cost: BindCost
    ) {
        self.id = id
        self.number = number
        self.isNamed = isNamed
        prototypes = wanted.prototypes.map { Prototype(value: $0.value, selector: $0.selector) }
        technologies = wanted.technologies
        modes = wanted.modes
        view = wanted.view
        self.keys = keys
        self.ownPID = ownPID
        self.cost = cost
        head = StateReply.head(of: id)
    }

    func has(_ value: String) -> Bool { prototypes.contains { $0.value == value } }

    /// Where the prototypes of a value stand.
    func prototypes(of value: String?) -> [Int] { prototypes.indices.filter { prototypes[$0].value == value } }

    /// Whether a process that wants this may join. Where a selector has `:self` only the one that made it means the same.
    func isSame(as wanted: WantedState, selectors: [Selector], of pid: Int) -> Bool {
        view == wanted.view && prototypes.count == wanted.prototypes.count
            && (pid == ownPID || !selectors.contains { SelectorBook.asksForOwn($0.description) })
            && zip(prototypes, wanted.prototypes).allSatisfy { $0.value == $1.value && $0.selector == $1.selector }
    }

    func add(_ bind: Bind) { binds.append(bind) }

    func remove(_ number: UInt64) -> Bind? {
        guard let index = binds.firstIndex(where: { $0.number == number }) else { return nil }
        return binds.remove(at: index)
    }

    /// The client that moves to a prototype's element itself: of several the one whose own element it is, else the first.
    func owner(of prototype: Int, in pid: Int? = nil) -> Bind? {
        let owners = binds.filter { $0.owned.contains(prototype) }
        return owners.first { Int($0.client.pid) == pid } ?? owners.first
    }

    /// Where its changes go: each stream once, however often it has the state.
    var streams: [(client: ClientConnection, call: ServerConversation.CallID)] {
        guard binds.count > 1 else { return binds.map { ($0.client, $0.call) } }
        var sessions: Set<String> = []
        return binds.compactMap { bind in
            if let session = bind.session, !sessions.insert(session).inserted { return nil }
            return (bind.client, bind.call)
        }
    }
}

/// What a `Bind` asks for, checked.
struct WantedState {
    var prototypes: [Prototype]
    /// Nil for every assistive technology's focus.
    var technologies: [String]?
    var modes: [String]?
    var view: FocusView
}
