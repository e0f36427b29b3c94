import AccessibilityFocus
import CGTK4
import GTKMainLoop
import WidgetSelectors

/// Which element a widget is, told anew whenever that changes. There is one for each widget that was made an element.
@MainActor final class WidgetSource: ElementSource {
    private static var sources: [UnsafeMutablePointer<GtkWidget>: WidgetSource] = [:]
    private static let watch = WindowWatch { lookAgain() }

    /// nil once the widget is gone.
    private var widget: UnsafeMutablePointer<GtkWidget>?
    private var followers: [(id: UInt64, tell: @Sendable (String?) -> Bool)] = []
    private var selector: String?
    private var propertyHandler: gulong = 0

    /// The source of a widget.
    static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> WidgetSource {
        if let known = sources[widget] { return known }
        let source = WidgetSource(widget)
        sources[widget] = source
        return source
    }

    private init(_ widget: UnsafeMutablePointer<GtkWidget>) {
        self.widget = widget
        // What is weakly referenced keeps nothing: the table of sources does, until the widget is gone.
        g_object_weak_ref(
            GObject.of(widget),
            { data, _ in
                let address = UInt(bitPattern: data)
                MainActor.assumeIsolated {
                    guard let data = UnsafeMutableRawPointer(bitPattern: address) else { return }
                    Unmanaged<WidgetSource>.fromOpaque(data).takeUnretainedValue().widgetIsGone()
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    // MARK: - Following

    nonisolated func follow(_ tell: @escaping @Sendable (String?) -> Bool) -> @Sendable () -> Void {
        let id = UInt64.random(in: .min ... .max)
        MainLoop.performOnMainThread { self.add(id, tell) }
        return { MainLoop.performOnMainThread { self.remove(id) } }
    }

    /// In the midst of GTK's own work nothing has told yet what it changed.
    nonisolated func update() { MainLoop.performIfOnMainThread { WidgetSource.lookAgain() } }

    nonisolated func updateAnywhere() async {
        // ORDER: not as a task of the main actor, which would come before what is followed from another thread.
        await MainLoop.performed { WidgetSource.lookAgain() }
    }

    private func add(_ id: UInt64, _ tell: @escaping @Sendable (String?) -> Bool) {
        guard let widget else {
            _ = tell(nil)
            return
        }
        followers.append((id, tell))
        if followers.count == 1 { begin(widget) }
        if !tell(selector) { remove(id) }
    }

    private func remove(_ id: UInt64) {
        guard let index = followers.firstIndex(where: { $0.id == id }) else { return }
        followers.remove(at: index)
        if followers.isEmpty { end() }
    }

    private func begin(_ widget: UnsafeMutablePointer<GtkWidget>) {
        WidgetSource.watch.begin()
        propertyHandler = WidgetSource.watch.follow(propertiesOf: widget)
        var news = WidgetNews()
        news.tell(of: widget)
        selector = WindowCensus().selector(of: widget)
    }

    private func end() {
        WidgetSource.watch.end()
        if let widget, propertyHandler != 0 { g_signal_handler_disconnect(widget, propertyHandler) }
        propertyHandler = 0
        selector = nil
    }

    private func widgetIsGone() {
        if let widget { WidgetSource.sources[widget] = nil }
        // Its handlers went with it.
        propertyHandler = 0
        widget = nil
        let told = followers
        if !followers.isEmpty {
            followers = []
            end()
        }
        for follower in told { _ = follower.tell(nil) }
    }

    /// Finds out anew which elements those widgets are that somebody follows.
    private static func lookAgain() {
        let followed = sources.values.filter { !$0.followers.isEmpty }
        guard !followed.isEmpty else { return }
        var news = WidgetNews()
        for source in followed {
            if let widget = source.widget { news.tell(of: widget) }
        }
        let census = WindowCensus()
        for source in followed {
            guard let widget = source.widget else { continue }
            let selector = census.selector(of: widget)
            guard selector != source.selector else { continue }
            source.selector = selector
            for follower in source.followers where !follower.tell(selector) { source.remove(follower.id) }
        }
    }

    // MARK: - Moving

    /// Gives the keyboard focus to the widget, where it can have it and a screen reader would follow.
    func takeFocus() -> MoveAnswer {
        guard let widget else { return .declined(reason: "the widget is gone") }
        guard focusd_gtk_takes_focus(widget) != 0 else { return .declined(reason: "the widget is not focusable") }
        guard gtk_widget_get_mapped(widget) != 0, let window = focusd_gtk_window(widget) else {
            return .declined(reason: "the widget is not shown")
        }
        guard gtk_widget_is_sensitive(widget) != 0 else { return .declined(reason: "the widget is disabled") }
        guard gtk_window_is_active(window) != 0 else { return .declined(reason: "the window is not active") }
        guard focusd_gtk_has_focus(widget, window) == 0 else {
            return .declined(reason: "the widget has the keyboard focus already")
        }
        guard gtk_widget_grab_focus(widget) != 0, focusd_gtk_has_focus(widget, window) != 0 else {
            return .declined(reason: "the widget did not take the focus")
        }
        return .moved
    }
}

extension GObject {
    static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
    }
}
