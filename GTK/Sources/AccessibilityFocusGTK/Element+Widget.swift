public import AccessibilityFocus
public import CGTK4
import GTKMainLoop

extension Element {
    /// An element that is a widget, for as long as the widget lives.
    ///
    ///     let element = Element(label)
    ///     element.accessibilityFocused($isNotificationFocused)
    ///
    /// It may be made before the widget is in a window or shown, and stays the same when the widget's text or place
    /// changes. What is bound to it ends when the widget is destroyed. A widget that can have the keyboard focus gives
    /// it to itself when it is asked to; to any other one, focusd moves the screen reader alone.
    @MainActor public init(_ widget: UnsafeMutablePointer<GtkWidget>) {
        MainActorSource.install()
        let source = WidgetSource.of(widget)
        self.init(source: source) { await source.takeFocus() }
    }

    /// The same for a pointer of any type, where GTK's functions come from another module than `CGTK4`.
    @MainActor public init(widgetAt pointer: UnsafeMutableRawPointer) {
        self.init(pointer.assumingMemoryBound(to: GtkWidget.self))
    }
}
