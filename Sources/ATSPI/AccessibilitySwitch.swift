import EventLoop

/// Reads `org.a11y.Status` on the session bus. It is never written: that would switch things for the whole desktop.
@Loop
package final class AccessibilitySwitch {
    private var session: BusConnection?

    package init() {}

    /// Whether toolkits are told to show themselves; nil where nobody says.
    package func readIsEnabled(_ completion: @escaping @Loop (Bool?) -> Void) {
        guard let address = BusFinder.sessionAddress, let session = BusConnection(address: address) else {
            return completion(nil)
        }
        self.session = session
        session.hello { failure in
            guard failure == nil else { return self.finish(nil, completion) }
            session.call(
                "org.a11y.Bus", "/org/a11y/bus", BusNames.properties, "Get",
                {
                    $0.string("org.a11y.Status")
                    $0.string("IsEnabled")
                }
            ) { reply in
                do {
                    var reader = try reply.get()
                    let isEnabled = try reader.variant { (value) throws(MalformedMessage) in try value.boolean() }
                    self.finish(isEnabled, completion)
                } catch {
                    self.finish(nil, completion)
                }
            }
        }
    }

    private func finish(_ isEnabled: Bool?, _ completion: @Loop (Bool?) -> Void) {
        session?.close()
        session = nil
        completion(isEnabled)
    }
}
