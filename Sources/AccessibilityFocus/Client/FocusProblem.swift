/// Something that keeps bindings from doing what was asked; each is told once, here and in the log.
public enum FocusProblem: Hashable, Sendable {
    /// A value was set and no focusd is there. It may be told again after focusd came and went.
    case noService(path: String?)
    /// focusd's folder or socket could belong to somebody else, so that it is not used.
    case untrusted(path: String)
    /// An element's selector cannot be read; the position counts bytes of UTF-8 from 0.
    case invalidSelector(selector: String, position: Int, expected: String)
    /// A value was set that no element is bound to.
    case nothingBound(value: String)
    /// focusd refused something: with the name of its method.
    case refused(method: String, FocusRefusal)
    /// What answers on the socket does not speak as focusd does, or no longer answers.
    case brokenService
    /// A sequence of changes was read too slowly, and its oldest changes were left out.
    case changesLeftOut
}

extension FocusProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noService(let path):
            "focusd is not there\(path.map { " (\($0))" } ?? ""): values stay false or nil until it comes"
        case .untrusted(let path): "\(path) is not private to this user, and is not used"
        case .invalidSelector(let selector, let position, let expected):
            "the selector \"\(selector)\" is wrong at byte \(position): expected \(expected)"
        case .nothingBound(let value): "no element is bound to the value \"\(value)\" that was set"
        case .refused(let method, let refusal): "focusd refused \(method): \(refusal)"
        case .brokenService: "what answers on focusd's socket does not answer as focusd does"
        case .changesLeftOut: "changes are read too slowly, and some were left out"
        }
    }
}
