import FocusProtocol
import FocusRegistry
import Selectors

/// What one bind makes focusd hold.
struct BindCost {
    /// Bytes of its selectors, values, name and modes.
    let bytes: Int
    /// What it takes of memory, roughly: measured with plain selectors.
    var bytesInMemory: Int { 2_048 + 512 * (amounts.first { $0.resource == .prototypes }?.amount ?? 0) + 2 * bytes }
    private let view: FocusView
    private let amounts: [(resource: SharedResource, amount: Int)]

    init(_ wanted: WantedState, _ selectors: [Selector], name: String?) {
        var bytes = wanted.prototypes.reduce(name?.utf8.count ?? 0) {
            $0 + $1.selector.utf8.count + $1.value.utf8.count
        }
        bytes += (wanted.modes ?? []).reduce(0) { $0 + $1.utf8.count }
        self.bytes = bytes
        view = wanted.view
        amounts = [
            (.states, 1), (.prototypes, selectors.count), (.selectorBytes, bytes),
            (.selectorParts, selectors.reduce(0) { $0 + $1.partCount }),
            // What a path does not decide: the trees of applications are kept for them.
            (.treeSelectors, selectors.count { !$0.isDecidedByPath }),
        ]
    }

    /// Takes all of it or, throwing, nothing.
    func take(from account: ClientAccount) throws(FocusError.LimitExceeded) {
        try account.take(view)
        for (index, (resource, amount)) in amounts.enumerated() {
            do {
                try account.take(resource, amount)
            } catch {
                for (taken, amount) in amounts[..<index] { account.give(taken, amount) }
                account.give(view)
                throw error
            }
        }
    }

    func give(to account: ClientAccount) {
        for (resource, amount) in amounts { account.give(resource, amount) }
        account.give(view)
    }
}
