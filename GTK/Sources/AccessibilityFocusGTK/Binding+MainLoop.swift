public import AccessibilityFocus
import GTKMainLoop

extension AccessibilityFocusState.Binding {
    /// Calls a closure in GTK's main loop at every change, until that is cancelled or the state is released.
    ///
    /// - Parameter initial: Whether the closure is also called with the value as it is.
    @discardableResult
    public func onGTKChange(
        initial: Bool = false, perform action: @escaping @MainActor (AccessibilityFocusChange<Value>) -> Void
    ) -> AccessibilityFocusObservation {
        onChange(initial: initial, on: { MainLoop.perform($0) }) { change in
            MainActor.assumeIsolated { action(change) }
        }
    }
}

/// What a GTK program may want of the main loop, apart from elements.
public enum GTKMainLoop {
    /// Lets tasks of the main actor run in GTK's main loop. An element of a widget does this by itself.
    @MainActor public static func runMainActor() { MainActorSource.install() }
}
