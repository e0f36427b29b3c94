import CGTK4
import GTKMainLoop

/// Notices that widgets of this process come, go or change, and has them looked at again.
@MainActor final class WindowWatch {
    /// How long widgets may come and go before they are looked at: a list that scrolls changes all the time.
    private static let settlingMilliseconds: UInt32 = 100

    private let work: IdleWork
    private var users = 0
    private var hooks: [(signal: guint, hook: gulong)] = []

    init(lookAgain: @escaping @MainActor () -> Void) { work = IdleWork(lookAgain) }

    /// Begins, for one more user.
    func begin() {
        users += 1
        guard users == 1 else { return }
        for name in ["map", "unmap"] {
            let signal = g_signal_lookup(name, gtk_widget_get_type())
            let hook = g_signal_add_emission_hook(
                signal, 0,
                { _, _, _, data in
                    WindowWatch.ask(data, .later(milliseconds: WindowWatch.settlingMilliseconds))
                    return gboolean(1)
                }, Unmanaged.passUnretained(self).toOpaque(), nil)
            hooks.append((signal, hook))
        }
    }

    /// Ends for one user, and altogether with the last.
    func end() {
        users -= 1
        guard users == 0 else { return }
        for (signal, hook) in hooks { g_signal_remove_emission_hook(signal, hook) }
        hooks = []
        work.cancel()
    }

    /// Follows all properties of a widget: its text, whether it is visible, what it is in. Answers the handler.
    func follow(propertiesOf widget: UnsafeMutablePointer<GtkWidget>) -> gulong {
        let changed: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WindowWatch.ask(data, .soon)
        }
        return g_signal_connect_data(
            widget, "notify", unsafeBitCast(changed, to: GCallback.self),  // SAFETY: the signal calls it with these.
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    /// In a callback on GTK's thread. The watch is never released.
    private nonisolated static func ask(_ data: gpointer?, _ moment: IdleWork.Moment) {
        let address = UInt(bitPattern: data)
        MainActor.assumeIsolated {
            guard let data = UnsafeMutableRawPointer(bitPattern: address) else { return }
            Unmanaged<WindowWatch>.fromOpaque(data).takeUnretainedValue().work.ask(moment)
        }
    }
}
