import FocusProtocol

/// A focus as one line.
enum FocusWords {
    /// The cells: technology, role, name, place, mode with region, remarks, age.
    static func row(_ focus: Focus, of asked: String?, now: Int64) -> [Cell] {
        guard let technology = focus.technology ?? asked else {
            return [Cell("no assistive technology is active", style: .faint)]
        }
        let name = Cell(technology, style: .technology)
        guard let element = focus.element else {
            return [name, Cell("nowhere", style: .faint), remarks(assumed: focus.assumed, cause: focus.cause)]
        }
        return [
            name,
            Cell(element.role),
            Cell([ElementWords.name(of: element)], style: .strong, isFlexible: true),
            Cell(ElementWords.place(of: element), style: .faint, isFlexible: true),
            Cell(mode(of: focus)),
            remarks(assumed: focus.assumed, cause: focus.cause),
            Cell(AgeText.text(since: focus.monotonicMicroseconds, now: now) ?? "", style: .faint),
        ]
    }

    /// The mode, and which part of the text, where it is not the whole element.
    private static func mode(of focus: Focus) -> String {
        let mode = focus.mode ?? ""
        guard let region = focus.region, region.start != 0 || region.end != 0 else { return mode }
        let place = region.start == region.end ? "at \(region.start)" : "\(region.start)–\(region.end)"
        return mode.isEmpty ? place : mode + " " + place
    }

    /// In brackets, that it is assumed and why it is so; empty where there is nothing to remark.
    static func remarks(assumed: Bool, cause: String) -> Cell {
        let words = (assumed ? ["assumed"] : []) + (self.cause(cause).map { [$0] } ?? [])
        guard !words.isEmpty else { return .empty }
        return Cell("(" + words.joined(separator: ", ") + ")", style: assumed ? .warning : .faint)
    }

    /// Why the focus is what it is, where that is more than that somebody moved it.
    private static func cause(_ cause: String) -> String? {
        switch cause {
        case "initial", "moved", "updated": nil
        case "set": "moved by focusd"
        case "restored": "taken up again"
        case "matchChanged": "matches anew"
        case "elementGone": "the element is gone"
        case "elementHidden": "the element was hidden"
        case "applicationGone": "the application is gone"
        case "windowDeactivated": "the window was left"
        case "technologyGone": "the technology is gone"
        case "unbound": "the state was ended"
        case "busGone": "the accessibility bus is gone"
        default: cause
        }
    }
}
