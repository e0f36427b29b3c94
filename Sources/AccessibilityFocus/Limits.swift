/// What the client library accepts at most.
package enum Limits {
    /// Bytes of one message; the largest reply known is a tree, and a megabyte name escaped is six.
    package static let maximumMessageBytes = 16 * 1024 * 1024
    /// Bytes taken from the socket at once.
    package static let readBytes = 64 * 1024
}
