import FocusProtocol

/// An accessible as the service saw it at one moment. What a value is bound to is an ``Element``.
public typealias ElementSnapshot = FocusProtocol.Element
/// The window that an element was in.
public typealias WindowSnapshot = FocusProtocol.Window
/// An application on the accessibility bus, as it was at one moment.
public typealias ApplicationSnapshot = FocusProtocol.Application
/// An accessible and its place in its tree.
public typealias NodeSnapshot = FocusProtocol.Node
/// What the service counted since it started.
public typealias ServiceStatistics = FocusProtocol.Statistics
/// What a state's own stream says: first its name and value, then changes and moves.
public typealias BindReply = FocusProtocol.Bind.Reply
/// What a session's stream says: first the session's name, then changes and moves of its states.
public typealias SessionReply = FocusProtocol.OpenSession.Reply
/// What a search found, and whether that is all.
public typealias FoundElements = FocusProtocol.Find.Reply
/// What ``FocusClient/wait(for:until:technology:timeout:)`` waits for.
public typealias WaitCondition = FocusProtocol.Wait.Condition
/// A part of a tree, or the whole where it is small.
public typealias TreePart = FocusProtocol.GetTree.Reply
/// How something was announced.
public typealias Announcement = FocusProtocol.Announce.Reply

extension Outcome {
    /// Whether the technology itself said that it is there.
    public var isConfirmed: Bool { result == "confirmed" }
}
