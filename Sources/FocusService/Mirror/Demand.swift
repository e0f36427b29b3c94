import EventLoop
import Selectors

/// Somebody needs the mirrors of the applications that can match a selector, or of all. It ends with ``end()``.
@Loop
final class Demand {
    /// Nil where all applications are meant.
    let selector: Selector?
    private weak var desktop: Desktop?
    private(set) var hasEnded = false

    /// The process that asks, for `:self`.
    private let ownPID: Int?

    init(_ selector: Selector?, ownPID: Int?, desktop: Desktop) {
        self.selector = selector
        self.ownPID = ownPID
        self.desktop = desktop
    }

    /// Whether it is about an application. Where that cannot be told it is.
    func admits(_ application: DesktopApplication) -> Bool {
        selector?.admits(application.facts, ownPID: ownPID) ?? true
    }

    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        desktop?.demandEnded(self)
    }
}
