import CGTK4

/// Tells assistive technologies of widgets that came into a window which is shown already.
///
/// GTK 4.8 tells only of those that somebody asked for before, so that new ones are found by chance, after seconds. It is
/// done for bound widgets, for what they are in, and for what is beside those, since it counts for their places.
@MainActor struct WidgetNews {
    /// Of one parent's children; with more, focusd finds the others by itself.
    private static let maximumChildren = 200

    private var examined: Set<UnsafeMutablePointer<GtkWidget>> = []

    mutating func tell(of widget: UnsafeMutablePointer<GtkWidget>) {
        var outermost: UnsafeMutablePointer<GtkWidget>?
        var next = widget
        while let parent = gtk_widget_get_parent(next) {
            guard focusd_gtk_can_be_told(next) != 0 else { return }
            if WidgetNews.isOnBus(next) {
                // Those who know the parent may not know all of its children.
                if examined.insert(parent).inserted { WidgetNews.tell(ofChildrenOf: parent) }
            } else {
                outermost = next
            }
            next = parent
        }
        // Whoever hears of it looks into it. Where the window itself is not known, nobody asked for anything yet.
        if let outermost, WidgetNews.isOnBus(next) { focusd_gtk_announce(outermost) }
    }

    private static func tell(ofChildrenOf parent: UnsafeMutablePointer<GtkWidget>) {
        var child = gtk_widget_get_first_child(parent)
        for _ in 0..<maximumChildren {
            guard let one = child else { return }
            if focusd_gtk_can_be_told(one) != 0, !isOnBus(one) { focusd_gtk_announce(one) }
            child = gtk_widget_get_next_sibling(one)
        }
    }

    private static func isOnBus(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        focusd_gtk_accessible(widget).map { focusd_gtk_is_on_bus($0) != 0 } ?? false
    }
}
