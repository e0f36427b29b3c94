/// Why a message is not one that Varlink knows, and where.
package enum MessageFault: Error, Hashable, Sendable {
    /// The text ends inside a value.
    case endsEarly
    /// A byte that JSON, or a message's outermost object, does not allow there.
    case unexpectedByte(at: Int)
    /// Bytes that are not UTF-8.
    case invalidUTF8(at: Int)
    /// Objects and arrays stand deeper in each other than allowed.
    case tooDeep(at: Int)
    /// A member that must be there is not.
    case missing(Member)
    /// A member is of another type than it must be.
    case wrongType(of: Member)
    /// A member is there twice.
    case repeated(Member)

    /// The members that Varlink defines for a call and for a reply.
    package enum Member: String, Hashable, Sendable, CaseIterable {
        case method, parameters, more, oneway, upgrade, error, continues
    }
}
