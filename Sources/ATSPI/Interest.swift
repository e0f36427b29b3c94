/// What somebody needs to hear from the accessibility bus. Everything is off at first.
package struct Interest: Hashable, Sendable {
    /// The keyboard focus and windows, of all applications.
    package var followsFocus = false
    /// Connections of which states, names and removed children are heard: those that focus is in.
    package var focusApplications: Set<String> = []
    /// Of those, every state and not only what decides about focus.
    package var followsStates = false
    /// Of those, descriptions too.
    package var followsDescriptions = false
    /// Of those, that they have another accessible id.
    package var followsIDs = false
    /// Connections of which everything is heard that changes a tree.
    package var mirroredApplications: Set<String> = []
    /// As if all applications were mirrored.
    package var mirrorsAll = false
    /// Applications that come to the registry's list and leave it.
    package var followsApplicationList = false

    package init() {}

    /// The same with rules that hear all applications, where there are any of single ones.
    var shared: Interest {
        var shared = self
        if !mirroredApplications.isEmpty { shared.mirrorsAll = true }
        return shared
    }

    /// Applications that are mirrored by rules of their own; with more of them one set of rules hears all applications.
    package static let maximumMirrorsApart = 32
}

/// The match rules and registry events that an interest needs: exactly these.
struct Listening: Equatable {
    var rules: Set<String> = []
    var events: Set<String> = []

    init() {}

    init(_ interest: Interest) {
        if interest.followsFocus {
            rules.formUnion(Listening.focusRules)
            events.formUnion(Listening.focusEvents)
        }
        if interest.followsStates, interest.followsFocus { events.insert("object:state-changed") }
        if interest.followsDescriptions, interest.followsFocus { events.formUnion(Listening.descriptionEvents) }
        if interest.followsIDs, interest.followsFocus { events.formUnion(Listening.idEvents) }
        if interest.followsApplicationList { rules.insert(Listening.applicationListRule) }
        let mirrored = interest.mirroredApplications
        let hearsAll = interest.mirrorsAll || mirrored.count > Interest.maximumMirrorsApart
        if hearsAll || !mirrored.isEmpty { events.formUnion(Listening.mirrorEvents) }
        if hearsAll {
            // What is heard of everybody needs no rule for somebody.
            rules.formUnion(Listening.mirrorRules.map { "type='signal'," + $0 })
            return
        }
        for name in mirrored {
            rules.formUnion(Listening.mirrorRules.map { "type='signal',sender='\(name)'," + $0 })
        }
        let focusRules =
            Listening.focusApplicationRules + (interest.followsDescriptions ? Listening.descriptionRules : [])
            + (interest.followsIDs ? Listening.idRules : [])
        for name in interest.focusApplications.subtracting(mirrored) {
            rules.formUnion(focusRules.map { "type='signal',sender='\(name)'," + $0 })
        }
    }

    /// Events that must be registered once more after these were deregistered, in a fixed order.
    ///
    /// The registry takes away, with an event, all whose names begin with its name: with `object:state-changed` also
    /// `object:state-changed:focused`.
    func lostBy(deregistering gone: Set<String>) -> [String] {
        events.filter { kept in gone.contains { Listening.isPart(kept, of: $0) } }.sorted()
    }

    /// Whether an event is of the kind that another one names, as the registry sees it.
    static func isPart(_ event: String, of kind: String) -> Bool {
        let parts = event.split(separator: ":")
        let kinds = kind.split(separator: ":")
        return kinds.count <= parts.count && zip(kinds, parts).allSatisfy { $0 == $1 }
    }

    // MARK: - Focus

    static let focusRules = [
        "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged',arg0='focused'",
        "type='signal',interface='org.a11y.atspi.Event.Object',member='ActiveDescendantChanged'",
        "type='signal',interface='org.a11y.atspi.Event.Focus'",
        "type='signal',interface='org.a11y.atspi.Event.Window',member='Activate'",
        "type='signal',interface='org.a11y.atspi.Event.Window',member='Deactivate'",
        "type='signal',interface='org.a11y.atspi.Event.Window',member='activate'",
        "type='signal',interface='org.a11y.atspi.Event.Window',member='deactivate'",
    ]

    static let focusEvents = [
        "object:state-changed:focused", "object:active-descendant-changed", "focus:", "window:activate",
        "window:deactivate", "object:state-changed:defunct", "object:state-changed:showing",
        "object:state-changed:visible", "object:children-changed:remove", "object:property-change:accessible-name",
        "object:property-change:accessible-role",
    ]

    /// Of children only those that are removed: what is added is read when it gets focus.
    private static let focusApplicationRules = [
        "interface='org.a11y.atspi.Event.Object',member='StateChanged'",
        "interface='org.a11y.atspi.Event.Object',member='ChildrenChanged',arg0='remove'",
        "interface='org.a11y.atspi.Event.Object',member='ChildrenChanged',arg0='remove/system'",
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-name'",
        // A text field that is told to hide what is typed becomes a password field.
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-role'",
        "interface='org.a11y.atspi.Event.Window',member='Destroy'",
    ]

    private static let descriptionRules = [
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-description'"
    ]

    private static let descriptionEvents = ["object:property-change:accessible-description"]

    private static let idRules = [
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-id'"
    ]

    private static let idEvents = ["object:property-change:accessible-id"]

    // MARK: - The tree

    /// Neither text nor bounds nor carets. GTK 4.8 writes the members of windows in lower case.
    static let mirrorRules = [
        "interface='org.a11y.atspi.Event.Object',member='StateChanged'",
        "interface='org.a11y.atspi.Event.Object',member='ChildrenChanged'",
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-name'",
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-description'",
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-role'",
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-parent'",
        "interface='org.a11y.atspi.Event.Object',member='PropertyChange',arg0='accessible-id'",
        "interface='org.a11y.atspi.Event.Object',member='AttributesChanged'",
        "interface='org.a11y.atspi.Cache',member='AddAccessible'",
        "interface='org.a11y.atspi.Cache',member='RemoveAccessible'",
        "interface='org.a11y.atspi.Event.Window',member='Create'",
        "interface='org.a11y.atspi.Event.Window',member='create'",
        "interface='org.a11y.atspi.Event.Window',member='Destroy'",
        "interface='org.a11y.atspi.Event.Window',member='destroy'",
    ]

    static let mirrorEvents = [
        "object:state-changed", "object:children-changed", "object:property-change:accessible-name",
        "object:property-change:accessible-description", "object:property-change:accessible-role",
        "object:property-change:accessible-parent", "object:property-change:accessible-id",
        "object:attributes-changed", "window:create", "window:destroy",
    ]

    private static let applicationListRule =
        "type='signal',sender='\(BusNames.registry)',interface='org.a11y.atspi.Event.Object',"
        + "member='ChildrenChanged',path='\(BusNames.registryRoot)'"
}
