import FocusProtocol

/// What became of a move, in one sentence.
enum OutcomeWords {
    /// The sentence, on one line whatever the names in it are.
    static func sentence(_ outcome: Outcome) -> String {
        outcome.result == "confirmed" ? confirmed(outcome) : notConfirmed(outcome)
    }

    /// The sentence about a focus that was to leave the elements of a state.
    static func leavingSentence(_ outcome: Outcome) -> String {
        guard outcome.result == "confirmed", outcome.element == nil else { return sentence(outcome) }
        return "the focus is on none of its elements, and nothing had to move (\(outcome.elapsedMilliseconds) ms)"
    }

    /// The exit code that tells a script the same.
    static func exitCode(_ outcome: Outcome) -> ExitCode {
        switch outcome.result {
        case "confirmed": .done
        case "timedOut": .timedOut
        default: .notFoundOrRefused
        }
    }

    private static func confirmed(_ outcome: Outcome) -> String {
        let there = outcome.technologies.filter { $0.result == "confirmed" }.map(\.id)
        let names = there.isEmpty ? "the technology" : there.map(SafeText.escaped).joined(separator: " and ")
        let verb = there.count > 1 ? "are" : "is"
        let target = outcome.element.map(ElementWords.phrase) ?? "the element"
        let others = outcome.technologies.filter { $0.result != "confirmed" }
            .map { "; \(SafeText.escaped($0.id)): \(SafeText.escaped($0.result))" }.joined()
        let keyboard = keyboard(outcome.keyboardFocus).map { "; " + $0 } ?? ""
        return
            "\(names) \(verb) on \(target) (\(route(outcome)), \(outcome.elapsedMilliseconds) ms)\(others)\(keyboard)"
    }

    private static func notConfirmed(_ outcome: Outcome) -> String {
        let code = [outcome.result, outcome.reason].compactMap { $0 }.map(SafeText.escaped).joined(separator: ": ")
        let words = ambiguous(outcome) ?? reason(outcome.reason) ?? result(outcome.result)
        let tried = outcome.routesTried.map { SafeText.escaped("\($0.route): \($0.reason)") }.joined(separator: ", ")
        let moved = outcome.keyboardFocus == "moved" ? "; the keyboard focus moved there" : ""
        return code + (words.map { " – " + $0 } ?? "") + moved
            + " (\(tried.isEmpty ? "" : "tried \(tried); ")\(outcome.elapsedMilliseconds) ms)"
    }

    private static func ambiguous(_ outcome: Outcome) -> String? {
        guard outcome.result == "ambiguous", let matches = outcome.matches else { return nil }
        return "\(matches) elements match, and not just one of them is in the active window; say more in the selector, "
            + "see 'focusctl find'"
    }

    private static func route(_ outcome: Outcome) -> String {
        switch outcome.route {
        case nil: "no route named"
        case "none": "was there already"
        case .some(let route): "route " + SafeText.escaped(route)
        }
    }

    private static func keyboard(_ code: String) -> String? {
        switch code {
        case "moved": "the keyboard focus moved there too"
        case "alreadyThere": "the keyboard focus was there already"
        case "elsewhere": "the keyboard focus stayed elsewhere"
        case "unknown": "where the keyboard focus is, is not known"
        default: nil
        }
    }

    private static func result(_ code: String) -> String? {
        switch code {
        case "timedOut":
            "the element was found, but no technology confirmed in time that it is there; try a longer --timeout"
        case "refused": "focusd did not try it"
        case "superseded": "a newer move took its place"
        case "notFound": "there is no such element"
        case "ambiguous": "more than one element is meant; name one by its reference"
        default: nil
        }
    }

    /// A reason and what to do about it.
    private static func reason(_ code: String?) -> String? {
        switch code {
        case "technologyNotActive":
            "it is not running; start it, or see 'focusctl technologies'"
        case "userMovedAway":
            "the user went to another application meanwhile; nothing was moved"
        case "nowhereToGo":
            "there is no place left to go back to; nothing was moved"
        case "declined":
            "the application that bound the element was asked to go there itself, and said that it cannot"
        case "unbound":
            "the state was ended meanwhile; 'focusctl states' lists those that there are"
        case "applicationNotResponding":
            "the element's application does not respond; wait until it does, nothing was moved"
        case "keyboardFocusCannotMove":
            "keys would go elsewhere than the screen reader says; name --route activeDescendant to move it all the same"
        case "elementHidden":
            "the element is hidden, so nothing was moved; make it visible first"
        case "elementGone", "elementDefunct":
            "the element is gone; ask for its reference again"
        case "elementDisabled":
            "the element is disabled, so it cannot have the keyboard focus"
        case "movedElsewhere":
            "the user moved meanwhile, and the user wins"
        case "noSuchApplication":
            "there is no such application; 'focusctl apps' lists those that there are"
        case "stillLoading":
            "the application is still loading; try again"
        case "noMatch":
            "no element matches"
        case "newerRequest":
            "a newer move took its place"
        case "notFocusable":
            "the element cannot have the keyboard focus; name --route activeDescendant to move only the screen reader"
        case "notSupported":
            "the application cannot be asked to move the keyboard focus; name --route activeDescendant instead"
        case "alreadyFocused":
            "it has the keyboard focus already, so asking for it would be met with silence"
        case "answeredFalse":
            "the application said that it cannot move the keyboard focus there"
        case "windowNotActive":
            "its window is not the active one; go to the window first"
        case "noConfirmation":
            "nothing confirmed in time that it is there; try a longer --timeout"
        case "busGone":
            "the accessibility bus went away; try again when 'focusctl doctor' is content"
        default: nil
        }
    }
}
