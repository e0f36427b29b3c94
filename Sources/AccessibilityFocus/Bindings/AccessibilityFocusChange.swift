/// One change of a bound value, or, first in a sequence, the value as it is.
public struct AccessibilityFocusChange<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value now.
    public var value: Value
    /// The value before; in the first one the same as the value.
    public var previous: Value
    /// Whether the service concluded this and the technology has not said it.
    public var assumed: Bool
    /// Why it changed: one of the service's causes, like `moved` or `elementGone`, or `serviceGone` where focusd went away.
    public var cause: String
    /// Grows with every change; what one move of the focus changed has the same.
    public var revision: Int64
    /// The element that the value is bound to and that the focus is on or inside of.
    public var element: ElementSnapshot?

    public init(
        value: Value, previous: Value, assumed: Bool, cause: String, revision: Int64, element: ElementSnapshot? = nil
    ) {
        self.value = value
        self.previous = previous
        self.assumed = assumed
        self.cause = cause
        self.revision = revision
        self.element = element
    }
}
