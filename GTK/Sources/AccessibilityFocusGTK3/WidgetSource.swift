import AccessibilityFocus
import CGTK3
import GTKMainLoop

/// Which element a widget is, until it is destroyed. There is one for each widget that was made an element.
@MainActor final class WidgetSource: ElementSource {
    private static var sources: [UnsafeMutablePointer<GtkWidget>: WidgetSource] = [:]
    private static var lastNumber = 0

    /// nil once the widget is gone.
    private var widget: UnsafeMutablePointer<GtkWidget>?
    private var followers: [(id: UInt64, tell: @Sendable (String?) -> Bool)] = []
    private let selector: String?
    private let hasMadeID: Bool

    /// The source of a widget.
    static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> WidgetSource {
        if let known = sources[widget] { return known }
        let source = WidgetSource(widget)
        sources[widget] = source
        // ORDER: whoever hears of it may make the same widget an element.
        if source.hasMadeID, let accessible = gtk_widget_get_accessible(widget) { focusd_gtk3_tell_id(accessible) }
        return source
    }

    private init(_ widget: UnsafeMutablePointer<GtkWidget>) {
        self.widget = widget
        let before = WidgetSource.lastNumber
        selector = WidgetSource.id(of: widget).map { "*:self[id=\"\($0)\"]" }
        hasMadeID = WidgetSource.lastNumber > before
        // What is weakly referenced keeps nothing: the table of sources does, until the widget is gone.
        g_object_weak_ref(
            UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self),
            { data, _ in
                let address = UInt(bitPattern: data)
                MainActor.assumeIsolated {
                    guard let data = UnsafeMutableRawPointer(bitPattern: address) else { return }
                    Unmanaged<WidgetSource>.fromOpaque(data).takeUnretainedValue().widgetIsGone()
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The accessible id of a widget, which is made one where it has none; nil where GTK shows it to nobody.
    private static func id(of widget: UnsafeMutablePointer<GtkWidget>) -> String? {
        guard let accessible = gtk_widget_get_accessible(widget) else { return nil }
        if let known = atk_object_get_accessible_id(accessible), known.pointee != 0 {
            return escaped(String(cString: known))
        }
        lastNumber += 1
        let id = "AccessibilityFocus-\(lastNumber)"
        atk_object_set_accessible_id(accessible, id)
        return id
    }

    private static func escaped(_ id: String) -> String {
        var text = ""
        for scalar in id.unicodeScalars {
            let isPlain = scalar.value >= 0x20 && scalar.value != 0x7F && scalar != "\"" && scalar != "\\"
            text += isPlain ? String(scalar) : "\\" + String(scalar.value, radix: 16) + " "
        }
        return text
    }

    // MARK: - Following

    nonisolated func follow(_ tell: @escaping @Sendable (String?) -> Bool) -> @Sendable () -> Void {
        let id = UInt64.random(in: .min ... .max)
        MainLoop.performOnMainThread { self.add(id, tell) }
        return { MainLoop.performOnMainThread { self.followers.removeAll { $0.id == id } } }
    }

    /// An id never changes.
    nonisolated func update() {}

    nonisolated func updateAnywhere() async {
        // ORDER: what is followed from another thread is told by then.
        await MainLoop.performed {}
    }

    private func add(_ id: UInt64, _ tell: @escaping @Sendable (String?) -> Bool) {
        guard tell(widget == nil ? nil : selector), widget != nil else { return }
        followers.append((id, tell))
    }

    private func widgetIsGone() {
        if let widget { WidgetSource.sources[widget] = nil }
        widget = nil
        let told = followers
        followers = []
        for follower in told { _ = follower.tell(nil) }
    }

    // MARK: - Moving

    /// Gives the keyboard focus to the widget, where it can have it and a screen reader would follow.
    func takeFocus() -> MoveAnswer {
        guard let widget else { return .declined(reason: "the widget is gone") }
        guard gtk_widget_get_can_focus(widget) != 0 else { return .declined(reason: "the widget is not focusable") }
        guard gtk_widget_get_mapped(widget) != 0, let window = focusd_gtk3_window(widget) else {
            return .declined(reason: "the widget is not shown")
        }
        guard gtk_widget_is_sensitive(widget) != 0 else { return .declined(reason: "the widget is disabled") }
        guard gtk_window_is_active(window) != 0 else { return .declined(reason: "the window is not active") }
        guard gtk_widget_has_focus(widget) == 0 else {
            return .declined(reason: "the widget has the keyboard focus already")
        }
        gtk_widget_grab_focus(widget)
        guard gtk_widget_has_focus(widget) != 0 else {
            return .declined(reason: "the widget did not take the focus")
        }
        return .moved
    }
}
