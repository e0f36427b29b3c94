import AccessibilityTree

extension Move {
    package struct Limits: Sendable {
        package var applicationPatience: Microseconds = 300_000
        package var grabFocusPatience: Microseconds = 300_000
        package var activeDescendantPatience: Microseconds = 1_000_000
        /// After how long without an answer an application may be said not to respond.
        package var answerPatience: Microseconds = 250_000
        /// How long reading the keyboard focus may hold back an outcome that is known.
        package var keyboardReadPatience: Microseconds = 500_000
        package init() {}
    }

    /// How far a move has come.
    enum Phase: Sendable, Equatable {
        case created, checking
        case askingOwner(until: Microseconds)
        case grabbing(until: Microseconds)
        case rechecking(isAfterBlank: Bool)
        case presentingBlank(until: Microseconds, awaited: Set<TechnologyID>)
        case presenting(until: Microseconds)
        /// The result is known; the keyboard is read still.
        case closing(until: Microseconds)
        case finished

        /// When what was done last is given up; nil where only the request's deadline counts.
        var patienceEnds: Microseconds? {
            switch self {
            case .askingOwner(let until), .grabbing(let until), .presentingBlank(let until, _), .presenting(let until),
                .closing(let until):
                until
            case .created, .checking, .rechecking, .finished: nil
            }
        }

        /// Whether what technologies and the user do still decides what becomes of it.
        var isUnderWay: Bool {
            switch self {
            case .created, .closing, .finished: false
            case .checking, .askingOwner, .grabbing, .rechecking, .presentingBlank, .presenting: true
            }
        }
    }
}
