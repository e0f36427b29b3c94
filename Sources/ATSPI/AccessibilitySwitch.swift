import EventLoop

/// Reads `org.a11y.Status` on the session bus. It is never written: that would switch things for the whole desktop.
@Loop
package final class AccessibilitySwitch {
    package init() {}

    /// Whether toolkits are told to show themselves; nil where nobody says.
    package func readIsEnabled(_ completion: @escaping @Loop (Bool?) -> Void) {
        SessionBus.shared.join { session in
            guard let session else { return completion(nil) }
            session.call(
                "org.a11y.Bus", "/org/a11y/bus", BusNames.properties, "Get",
                {
                    $0.string("org.a11y.Status")
                    $0.string("IsEnabled")
                }
            ) { reply in
                var isEnabled: Bool?
                do {
                    var reader = try reply.get()
                    isEnabled = try reader.variant { (value) throws(MalformedMessage) in try value.boolean() }
                } catch {
                    // Whoever is asked may say nothing of it, or nonsense.
                    isEnabled = nil
                }
                SessionBus.shared.leave(session)
                completion(isEnabled)
            }
        }
    }
}
