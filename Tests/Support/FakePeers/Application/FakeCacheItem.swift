/// A line of `Cache.GetItems`, as the tree has it or as a test would have it.
package struct FakeCacheItem: Sendable, Hashable {
    package var reference: FakeReference
    package var application: FakeReference
    package var parent: FakeReference
    package var indexInParent: Int32
    package var childCount: Int32
    /// Old signature only.
    package var children: [FakeReference]
    /// Full names.
    package var interfaces: [String]
    package var name: String
    package var role: UInt32
    /// New signature only; the old one ends with it too, but without index and count.
    package var description: String
    package var states: FakeStates
}

/// What `Cache.GetItems` answers.
package enum CacheStyle: Sendable, Hashable {
    /// `a((so)(so)(so)iiassusau)` with every node that is listed.
    case modern
    /// The new signature without items.
    case modernEmpty
    /// `a((so)(so)(so)a(so)assusau)` with every node that is listed.
    case legacy
    /// The old signature without items, as Qt answers.
    case legacyEmpty
    /// The error UnknownMethod.
    case missing
    /// Anything else: nonsense, or a signature that nobody knows.
    case values([DBusValue])
}
