import AccessibilityTree

/// Where the focus of one view was lately, for states that want to give it back to a place outside their elements.
///
/// It remembers the last few places, and beyond them those that somebody holds.
struct FocusTrail: Sendable {
    /// Names a place for as long as it is held.
    struct Mark: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Place: Sendable {
        let mark: Mark
        var position: Position
        var holders = 0
    }

    /// Enough to find what is left after a few places vanished at once.
    static let length = 8

    /// The oldest first; each element once.
    private var recent: [Place] = []
    /// What is older and still held.
    private var kept: [Mark: Place] = [:]
    private var lastNumber = 0

    /// The focus is there now.
    mutating func append(_ position: Position) {
        if let last = recent.indices.last, recent[last].position.element == position.element {
            recent[last].position = position
            return
        }
        var place: Place
        if let index = recent.firstIndex(where: { $0.position.element == position.element }) {
            place = recent.remove(at: index)
            place.position = position
        } else {
            lastNumber += 1
            place = Place(mark: Mark(number: lastNumber), position: position)
            // A menu is walked through and closes: it must not push out what was before it.
            if position.placement.isInMenu, let last = recent.last, last.holders == 0,
                last.position.placement.isInMenu
            {
                recent.removeLast()
            }
        }
        recent.append(place)
        guard recent.count > FocusTrail.length else { return }
        let oldest = recent.removeFirst()
        if oldest.holders > 0 { kept[oldest.mark] = oldest }
    }

    /// The last of the few that fits.
    func last(where fits: (Placement) -> Bool) -> (mark: Mark, position: Position)? {
        recent.last { fits($0.position.placement) }.map { ($0.mark, $0.position) }
    }

    /// A place that is held; nil where it was forgotten.
    func position(at mark: Mark) -> Position? {
        recent.first { $0.mark == mark }?.position ?? kept[mark]?.position
    }

    mutating func hold(_ mark: Mark) {
        if let index = recent.firstIndex(where: { $0.mark == mark }) {
            recent[index].holders += 1
        } else {
            kept[mark]?.holders += 1
        }
    }

    /// Ends one ``hold(_:)``.
    mutating func release(_ mark: Mark) {
        if let index = recent.firstIndex(where: { $0.mark == mark }) {
            recent[index].holders -= 1
        } else if let place = kept[mark] {
            kept[mark] =
                place.holders > 1 ? Place(mark: mark, position: place.position, holders: place.holders - 1) : nil
        }
    }

    /// Forgets places; which of them were held.
    mutating func forget(where isGone: (Placement) -> Bool) -> Set<Mark> {
        var held: Set<Mark> = []
        recent.removeAll { place in
            guard isGone(place.position.placement) else { return false }
            if place.holders > 0 { held.insert(place.mark) }
            return true
        }
        for (mark, place) in kept where isGone(place.position.placement) {
            kept[mark] = nil
            held.insert(mark)
        }
        return held
    }

    /// Takes what matches now; which of the places with other matches than before are held.
    mutating func rematch(_ matches: (Placement) -> SelectorMatches?) -> Set<Mark> {
        var held: Set<Mark> = []
        for index in recent.indices where recent[index].position.placement.rematch(matches) {
            if recent[index].holders > 0 { held.insert(recent[index].mark) }
        }
        for mark in Array(kept.keys) where kept[mark]?.position.placement.rematch(matches) == true {
            held.insert(mark)
        }
        return held
    }
}
