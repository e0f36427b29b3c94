import CGTK4
import WidgetSelectors

/// All widgets of this process's windows at one moment, as GTK shows them to assistive technologies.
@MainActor struct WindowCensus {
    private var census = WidgetCensus()
    private var indices: [OpaquePointer: Int] = [:]

    init() {
        guard let windows = gtk_window_get_toplevels() else { return }
        var place = 0
        for position in 0..<g_list_model_get_n_items(windows) {
            guard let item = g_list_model_get_item(windows, position) else { continue }
            let window = OpaquePointer(item)
            // The list of windows keeps it.
            g_object_unref(item)
            guard focusd_gtk_is_presented(window) != 0 else { continue }
            place += 1
            add(window, parent: nil, place: place, isLoose: false)
        }
    }

    /// A selector for a widget.
    ///
    /// One that is not to be seen yet has one for its name if that is set, and else one that matches nothing.
    func selector(of widget: UnsafeMutablePointer<GtkWidget>) -> String {
        guard let accessible = focusd_gtk_accessible(widget) else { return WidgetCensus.nothing }
        if let id = WindowCensus.id(of: accessible) { return id }
        if let index = indices[accessible] { return census.selector(of: index) }
        return census.selector(ofAbsent: WindowCensus.role(of: accessible), name: WindowCensus.name(of: accessible))
            ?? WidgetCensus.nothing
    }

    // MARK: -

    private mutating func add(_ accessible: OpaquePointer, parent: Int?, place: Int, isLoose: Bool) {
        // ORDER: a parent is added before its children. Not recursive: a tree of widgets may be deep.
        var waiting = [(accessible: accessible, parent: parent, place: place, isLoose: isLoose)]
        while let next = waiting.popLast() {
            guard indices[next.accessible] == nil else { continue }
            let index = census.add(
                WindowCensus.role(of: next.accessible), name: WindowCensus.name(of: next.accessible),
                parent: next.parent, place: next.place, isLoose: next.isLoose)
            indices[next.accessible] = index
            let isLoose = focusd_gtk_hides_levels(next.accessible) != 0
            var childPlace = 0
            var child = focusd_gtk_first_child(next.accessible)
            while let one = child {
                if focusd_gtk_is_presented(one) != 0 {
                    childPlace += 1
                    waiting.append((one, index, childPlace, isLoose))
                }
                child = focusd_gtk_next_sibling(one)
            }
        }
    }

    private static func id(of accessible: OpaquePointer) -> String? {
        guard let text = focusd_gtk_id(accessible) else { return nil }
        defer { g_free(text) }
        let id = String(cString: text)
        // GtkBuilder makes such names itself, the same ones for each file.
        guard !id.isEmpty, !id.hasPrefix("___") else { return nil }
        return WidgetCensus.selector(role(of: accessible), id: id)
    }

    private static func name(of accessible: OpaquePointer) -> WidgetName? {
        if let text = focusd_gtk_label(accessible) {
            defer { g_free(text) }
            if let name = WidgetName(String(cString: text)) { return name }
        }
        // What has no label of its own is called by those that stand before it.
        guard let widget = focusd_gtk_widget(accessible), let list = gtk_widget_list_mnemonic_labels(widget) else {
            return nil
        }
        defer { g_list_free(list) }
        guard let first = list.pointee.data, let text = focusd_gtk_label(OpaquePointer(first)) else { return nil }
        defer { g_free(text) }
        return WidgetName(String(cString: text))
    }

    /// Only roles that all versions of GTK 4 show alike, or in few ways.
    private static func role(of accessible: OpaquePointer) -> WidgetRole {
        switch gtk_accessible_get_accessible_role(accessible) {
        case GTK_ACCESSIBLE_ROLE_LABEL: WidgetRole("label")
        case GTK_ACCESSIBLE_ROLE_BUTTON: WidgetRole("push-button", "toggle-button")
        case GTK_ACCESSIBLE_ROLE_CHECKBOX: WidgetRole("check-box")
        case GTK_ACCESSIBLE_ROLE_RADIO: WidgetRole("radio-button")
        case GTK_ACCESSIBLE_ROLE_SWITCH: WidgetRole("check-box", "toggle-button", "switch")
        case GTK_ACCESSIBLE_ROLE_LINK: WidgetRole("link")
        case GTK_ACCESSIBLE_ROLE_HEADING: WidgetRole("heading")
        case GTK_ACCESSIBLE_ROLE_TEXT_BOX, GTK_ACCESSIBLE_ROLE_SEARCH_BOX:
            WidgetRole("text", "entry", "password-text")
        case GTK_ACCESSIBLE_ROLE_SPIN_BUTTON: WidgetRole("spin-button")
        case GTK_ACCESSIBLE_ROLE_SLIDER: WidgetRole("slider")
        case GTK_ACCESSIBLE_ROLE_PROGRESS_BAR: WidgetRole("progress-bar")
        case GTK_ACCESSIBLE_ROLE_COMBO_BOX: WidgetRole("combo-box")
        case GTK_ACCESSIBLE_ROLE_IMG: WidgetRole("image")
        default: .unknown
        }
    }
}
