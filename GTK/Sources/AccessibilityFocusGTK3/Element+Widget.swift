public import AccessibilityFocus
public import CGTK3
import GTKMainLoop

extension Element {
    /// An element that is a GTK 3 widget, for as long as the widget lives.
    ///
    ///     let element = Element(label)
    ///     element.accessibilityFocused($isNotificationFocused)
    ///
    /// It is known by its accessible id, which it is given here where it has none. So it stays the same whatever its
    /// text and place, and it may be made before the widget is in a window. What is bound to it ends when the widget is
    /// destroyed. A widget that can have the keyboard focus gives it to itself when it is asked to; to any other one,
    /// focusd moves the screen reader alone.
    @MainActor public init(_ widget: UnsafeMutablePointer<GtkWidget>) {
        MainActorSource.install()
        let source = WidgetSource.of(widget)
        self.init(source: source) { await source.takeFocus() }
    }

    /// The same for a pointer of any type, where GTK's functions come from another module than `CGTK3`.
    @MainActor public init(widgetAt pointer: UnsafeMutableRawPointer) {
        self.init(pointer.assumingMemoryBound(to: GtkWidget.self))
    }
}
