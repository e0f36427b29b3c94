import CGTK4
import Glibc

/// A window with a notification that a screen reader is brought to: see NotificationWindow.swift for the interesting part.
@main @MainActor enum CustomNotificationApp {
    private static var window: NotificationWindow?

    static func main() {
        g_set_prgname("custom-notification")
        guard let application = gtk_application_new("io.focusd.CustomNotification", G_APPLICATION_NON_UNIQUE) else {
            fatalError("GTK made no application")
        }
        onSignal("activate", of: application) { window = NotificationWindow(in: application) }
        let status = g_application_run(application.cast(to: GApplication.self), 0, nil)
        g_object_unref(application)
        exit(status)
    }
}
