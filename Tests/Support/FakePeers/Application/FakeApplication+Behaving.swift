/// What a user or the program does, with all the events that the toolkit then sends.
extension FakeApplication {
    /// The keyboard focus goes to a node: states change, and the events come as the toolkit sends them.
    package func moveFocus(to key: String) throws {
        for node in nodes where node.states.contains(.focused) && node.key != key {
            node.states.remove(.focused)
            try emitFocused(node.key, 0)
        }
        node(key).states.insert(.focused)
        try emitFocused(key, 1)
        switch toolkit {
        case .gtk3: try emitFocused(key, 1)
        case .gtk4, .qt: try emit(.legacyFocus, from: key)
        }
    }

    /// The keyboard focus leaves the node that has it, for nowhere.
    package func dropFocus() throws {
        for node in nodes where node.states.contains(.focused) {
            node.states.remove(.focused)
            try emitFocused(node.key, 0)
        }
    }

    /// A window becomes the active one; another active one of this application is deactivated first.
    package func activate(_ key: String) throws {
        for window in nodes where window.states.contains(.active) && window.key != key { try deactivate(window.key) }
        let title = node(key).name
        node(key).states.insert(.active)
        try emit(.window(toolkit == .gtk4 ? "activate" : "Activate", title: title), from: key)
        try emit(.stateChanged("active", 1), from: key)
    }

    /// A window is no longer the active one.
    package func deactivate(_ key: String) throws {
        let title = node(key).name
        node(key).states.remove(.active)
        try emit(.window(toolkit == .gtk4 ? "deactivate" : "Deactivate", title: title), from: key)
        try emit(.stateChanged("active", 0), from: key)
    }

    /// A window closes, as each toolkit says it.
    package func closeWindow(_ key: String) throws {
        let title = node(key).name
        let wasActive = node(key).states.contains(.active)
        guard toolkit != .gtk4 else {
            // GTK4 4.8 says no more than this.
            node(key).states.insert(.defunct)
            try emit(.stateChanged("defunct", 1), from: key)
            let window = node(key).reference
            root.children.removeAll { $0 == window }
            return try remove(key, announced: false)
        }
        if wasActive { try deactivate(key) }
        try emit(.window("Destroy", title: title), from: key)
        try remove(key)
    }

    /// A widget is hidden: GTK3 takes SHOWING and VISIBLE, GTK4 only takes it from its parent's children.
    package func hide(_ key: String) throws {
        let hidden = node(key)
        guard toolkit != .gtk4 else {
            guard let parent = find(hidden.parent.path), let place = parent.children.firstIndex(of: hidden.reference)
            else { return }
            parent.children.remove(at: place)
            let child = DBusValue.reference(busName, hidden.path)
            return try emit(.childrenChanged("remove", index: Int32(place), child: child), from: parent.path)
        }
        try setState(.visible, named: "visible", false, on: key)
        for node in subtree(hidden) where node.states.contains(.showing) {
            try setState(.showing, named: "showing", false, on: node.key)
        }
    }

    /// A hidden widget is shown again, in GTK4 as the last child of its parent.
    package func show(_ key: String) throws {
        let shown = node(key)
        guard toolkit != .gtk4 else {
            guard let parent = find(shown.parent.path), !parent.children.contains(shown.reference) else { return }
            parent.children.append(shown.reference)
            let place = Int32(parent.children.count - 1)
            let child = DBusValue.reference(busName, shown.path)
            return try emit(.childrenChanged("add", index: place, child: child), from: parent.path)
        }
        try setState(.visible, named: "visible", true, on: key)
        for node in subtree(shown) where node.states.contains(.visible) {
            try setState(.showing, named: "showing", true, on: node.key)
        }
    }

    /// The frame, window or dialog above a node, or the node itself if it is one.
    package func window(of node: FakeNode) -> FakeNode? {
        var current: FakeNode? = node
        // A tree that lies may go round in circles.
        for _ in 0..<100 {
            guard let here = current else { return nil }
            if [.frame, .window, .dialog].contains(here.role) { return here }
            current = find(here.parent.path)
        }
        return nil
    }

    /// A small window, active, with the keyboard focus on `ok`.
    ///
    /// Keys: `frame` › `panel` › `ok`, `cancel`, `help` (buttons), `entry`, `label` (not focusable), `password`,
    /// `hidden` (a hidden button).
    package static func sample(
        bus address: String, name: String = "calc", toolkit: FakeToolkit = .gtk3,
        registration: Registration = .ifPresent
    ) throws -> FakeApplication {
        // GTK4 4.8 sets neither SHOWING nor ENABLED on widgets.
        let shown: FakeStates = toolkit == .gtk4 ? [.sensitive, .visible] : .shown
        let control = shown.union(.focusable)
        let hiddenStates: FakeStates = toolkit == .gtk4 ? control : [.enabled, .sensitive, .focusable]
        let label = FakeNode("label", .label, name: "Total", states: shown)
        let entry = FakeNode("entry", .entry, name: "Amount", states: control.union([.editable, .singleLine]))
        let password = FakeNode(
            "password", .passwordText, name: "Secret", states: control.union([.editable, .singleLine]))
        let hidden = FakeNode("hidden", .pushButton, name: "Hidden", states: hiddenStates)
        let panel = FakeNode(
            "panel", .panel, states: shown,
            children: [
                FakeNode("ok", .pushButton, name: "OK", states: control.union(.focused)),
                FakeNode("cancel", .pushButton, name: "Cancel", states: control),
                FakeNode("help", .pushButton, name: "Help", states: control), entry, label, password, hidden,
            ])
        let frame = FakeNode(
            "frame", .frame, name: "\(name) window", states: .shown.union([.active, .resizable]), children: [panel])
        label.text = "Total"
        entry.text = "12.50"
        password.text = "hunter2"
        let application = try FakeApplication(
            bus: address, name: name, toolkit: toolkit, registration: .never, windows: [frame])
        if toolkit == .gtk4 { panel.children.removeAll { $0 == hidden.reference } }
        try application.register(registration)
        return application
    }
}
