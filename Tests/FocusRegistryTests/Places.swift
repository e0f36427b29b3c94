import AccessibilityTree
import FocusRegistry

/// Short words for elements in tests: numbers, of one of a few applications.
enum Places {
    static let editor = ":1.10"
    static let browser = ":1.20"

    static func reference(_ number: Int, on busName: String = editor) -> ObjectReference {
        ObjectReference(busName: busName, path: "/org/a11y/atspi/accessible/\(number)")
    }

    /// An element with its ancestors, the innermost first; the window stands last, and above it the application, 0.
    static func at(
        _ number: Int, inside ancestors: [Int] = [], window: Int? = 100, on busName: String = editor,
        isInMenu: Bool = false, isInWebDocument: Bool = false
    ) -> Placement {
        let lineage = [number] + ancestors + (window.map { [$0] } ?? []) + [0]
        return Placement(
            lineage: lineage.map { reference($0, on: busName) }, window: window.map { reference($0, on: busName) },
            isInMenu: isInMenu, isInWebDocument: isInWebDocument)
    }
}

extension TechnologyID {
    static let orca = TechnologyID("orca")
    static let odilia = TechnologyID("odilia")
}

extension Mode {
    static let sayAll = Mode(rawValue: "say-all")
}

/// The same numbers for the same seed, on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[Int(next() % UInt64(choices.count))] }

    mutating func chance(_ percent: UInt64) -> Bool { next() % 100 < percent }
}
