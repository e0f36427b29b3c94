import Synchronization

private let lastNumber = Atomic<UInt64>(0)

/// A number that nothing else in this process has.
func uniqueNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

/// One bound state of this process; what focusd calls it changes with every connection.
struct FocusStateID: Hashable, Sendable {
    private let number = uniqueNumber()
}

/// One element that is bound to one value.
struct AttachmentID: Hashable, Sendable {
    private let number = uniqueNumber()
}

/// One explicit call of a client.
struct CallRequestID: Hashable, Sendable {
    private let number = uniqueNumber()
}

/// A Boolean that becomes true once, on any thread.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
