import AccessibilityFocus
import AccessibilityFocusGTK
import CGTK4
import Glibc

struct CustomNotification {
    var text: String
    var isPriority: Bool
}

/// The example of SwiftUI's `AccessibilityFocusState`, in GTK: a notification comes, and if it is urgent the screen
/// reader goes there and reads it. When it is left or goes away, the property is false again.
@MainActor final class NotificationWindow {
    @AccessibilityFocusState private var isNotificationFocused: Bool

    private var notification: CustomNotification? { didSet { notificationChanged() } }
    private var notificationLabel: UnsafeMutablePointer<GtkWidget>?
    private var numberOfNotifications = 0

    private let window: UnsafeMutablePointer<GtkWidget>
    private let notificationArea = box(GTK_ORIENTATION_VERTICAL, spacing: 6)
    private let raiseButton = button("_Raise a priority notification")
    private let dismissButton = button("_Dismiss it")
    private let statusLine = label("")

    init(in application: UnsafeMutablePointer<GtkApplication>) {
        guard let window = gtk_application_window_new(application) else { fatalError("GTK made no window") }
        self.window = window
        build()

        onSignal("clicked", of: raiseButton) { [unowned self] in raise() }
        onSignal("clicked", of: dismissButton) { [unowned self] in dismiss() }
        onKey("Escape", in: window) { [unowned self] in dismiss() }

        // Changes come in GTK's main loop, so that widgets can be changed here.
        $isNotificationFocused.onGTKChange(initial: true) { [weak self] change in
            self?.show(change)
        }
        gtk_window_present(window.cast(to: GtkWindow.self))
    }

    // MARK: - The notification

    private func raise() {
        numberOfNotifications += 1
        notification = CustomNotification(
            text: "Priority notification \(numberOfNotifications): the meeting begins in five minutes", isPriority: true
        )
    }

    private func dismiss() { notification = nil }

    /// As in SwiftUI, the label is there as long as the notification is.
    private func notificationChanged() {
        if let old = notificationLabel {
            gtk_box_remove(notificationArea.cast(to: GtkBox.self), old)
            notificationLabel = nil
        }
        if let notification {
            let new = label(notification.text)
            gtk_widget_add_css_class(new, "title-3")
            gtk_box_append(notificationArea.cast(to: GtkBox.self), new)
            notificationLabel = new
            Element(new).accessibilityFocused($isNotificationFocused)
        }
        gtk_widget_set_sensitive(dismissButton, notification == nil ? 0 : 1)
        if notification?.isPriority == true { isNotificationFocused = true }
    }

    private func show(_ change: AccessibilityFocusChange<Bool>) {
        let text = "isNotificationFocused: \(change.value)"
        gtk_label_set_text(statusLine.opaque, text)
        print("\(text) (\(change.cause))")
        // In a pipe too, it is of interest when it happens.
        fflush(nil)
    }

    // MARK: - The window

    private func build() {
        let heading = label("Today")
        gtk_widget_add_css_class(heading, "title-1")
        let mainText = label(
            """
            This is the main text. A screen reader reads it when it comes here. When a priority notification comes, the \
            screen reader goes there and reads it; the keyboard stays where it is. As soon as you move on, by Tab for \
            instance, the property below is false again.
            """)

        let buttons = box(GTK_ORIENTATION_HORIZONTAL, spacing: 12)
        for button in [raiseButton, dismissButton] { gtk_box_append(buttons.cast(to: GtkBox.self), button) }
        gtk_widget_set_sensitive(dismissButton, 0)

        gtk_widget_add_css_class(statusLine, "monospace")
        gtk_widget_set_vexpand(statusLine, 1)
        gtk_widget_set_valign(statusLine, GTK_ALIGN_END)

        let content = box(GTK_ORIENTATION_VERTICAL, spacing: 18)
        for setMargin in [
            gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
            gtk_widget_set_margin_end,
        ] {
            setMargin(content, 24)
        }
        for part in [heading, notificationArea, mainText, buttons, statusLine] {
            gtk_box_append(content.cast(to: GtkBox.self), part)
        }

        let window = window.cast(to: GtkWindow.self)
        gtk_window_set_title(window, "Custom notification")
        gtk_window_set_default_size(window, 560, 400)
        gtk_window_set_child(window, content)
        gtk_window_set_focus(window, raiseButton)
    }
}
