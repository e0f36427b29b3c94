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
            return [name, Cell("nowhere", style: .faint), remarks(focus)]
        }
        return [
            name,
            Cell(element.role),
            Cell([ElementWords.name(of: element)], style: .strong, isFlexible: true),
            Cell(ElementWords.place(of: element), style: .faint, isFlexible: true),
            Cell(mode(of: focus)),
            remarks(focus),
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

    private static func remarks(_ focus: Focus) -> Cell {
        let words = (focus.assumed ? ["assumed"] : []) + (cause(focus.cause).map { [$0] } ?? [])
        guard !words.isEmpty else { return .empty }
        return Cell("(" + words.joined(separator: ", ") + ")", style: focus.assumed ? .warning : .faint)
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
        case "busGone": "the accessibility bus is gone"
        default: cause
        }
    }
}
