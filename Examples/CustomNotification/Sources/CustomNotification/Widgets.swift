import CGTK4

// GTK's C functions, with what Swift needs around them.

extension UnsafeMutablePointer {
    /// The same object as one of another class of GTK's.
    func cast<Object>(to type: Object.Type) -> UnsafeMutablePointer<Object> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }

    /// The same object for functions about classes whose contents are hidden.
    var opaque: OpaquePointer { OpaquePointer(self) }
}

/// A label that wraps and is read from its beginning.
@MainActor func label(_ text: String) -> UnsafeMutablePointer<GtkWidget> {
    let label = made(gtk_label_new(text))
    gtk_label_set_wrap(label.opaque, 1)
    gtk_label_set_xalign(label.opaque, 0)
    return label
}

/// A button with a key of its own; its accessible name is its text without the `_`.
@MainActor func button(_ text: String) -> UnsafeMutablePointer<GtkWidget> {
    let button = made(gtk_button_new())
    // GTK 4.8 would put the `_` into the name of a button that it makes the label of.
    let label = made(gtk_label_new_with_mnemonic(text))
    gtk_label_set_mnemonic_widget(label.opaque, button)
    gtk_button_set_child(button.cast(to: GtkButton.self), label)
    return button
}

@MainActor func box(_ orientation: GtkOrientation, spacing: Int32) -> UnsafeMutablePointer<GtkWidget> {
    made(gtk_box_new(orientation, spacing))
}

/// GTK's constructors answer nil only where memory has run out.
private func made(_ widget: UnsafeMutablePointer<GtkWidget>?) -> UnsafeMutablePointer<GtkWidget> {
    guard let widget else { fatalError("GTK made no widget") }
    return widget
}

// MARK: - Signals

/// A Swift closure for C to keep.
private final class Handler {
    let action: @MainActor () -> Void

    init(_ action: @escaping @MainActor () -> Void) { self.action = action }
}

/// Calls a closure at a signal of an object, as long as the object lives.
@MainActor func onSignal<Object>(
    _ name: String, of object: UnsafeMutablePointer<Object>, _ action: @escaping @MainActor () -> Void
) {
    // Swapped: the closure comes first, whatever else the signal brings.
    let call: @convention(c) (gpointer) -> Void = { data in perform(data) }
    g_signal_connect_data(
        object, name, unsafeBitCast(call, to: GCallback.self),  // SAFETY: what is called gets more than it takes.
        Unmanaged.passRetained(Handler(action)).toOpaque(), { data, _ in release(data) }, G_CONNECT_SWAPPED)
}

/// Calls a closure when a key is pressed anywhere in a window.
@MainActor func onKey(
    _ key: String, in window: UnsafeMutablePointer<GtkWidget>, _ action: @escaping @MainActor () -> Void
) {
    let shortcut = gtk_shortcut_new(
        gtk_shortcut_trigger_parse_string(key),
        gtk_callback_action_new(
            { _, _, data in
                if let data { perform(data) }
                return gboolean(1)
            }, Unmanaged.passRetained(Handler(action)).toOpaque(), { data in release(data) }))
    let controller = gtk_shortcut_controller_new()
    gtk_shortcut_controller_add_shortcut(controller, shortcut)
    gtk_widget_add_controller(window, controller)
}

private func perform(_ data: gpointer) {
    let address = UInt(bitPattern: data)
    MainActor.assumeIsolated {
        guard let data = gpointer(bitPattern: address) else { return }
        Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().action()
    }
}

private func release(_ data: gpointer?) {
    if let data { Unmanaged<Handler>.fromOpaque(data).release() }
}
