/// The elements of a process's windows as assistive technologies see them, to find out what tells one from all others.
package struct WidgetCensus: Sendable {
    /// One element.
    package struct Entry: Sendable {
        package let role: WidgetRole
        package let name: WidgetName?
        /// The index of what it is in; nil for a window.
        package let parent: Int?
        /// Its place among its parent's children, from 1; of a window, among the windows.
        package let place: Int
        /// Whether something can stand between it and its parent.
        package let isLoose: Bool
        /// How many levels below its window it is.
        package let depth: Int
    }

    package private(set) var entries: [Entry] = []

    package init() {}

    /// Adds a window, or a child of what was added before, and answers its index.
    @discardableResult
    package mutating func add(
        _ role: WidgetRole, name: WidgetName?, parent: Int?, place: Int, isLoose: Bool = false
    ) -> Int {
        let depth = parent.map { entries[$0].depth + 1 } ?? 0
        entries.append(
            Entry(role: role, name: name, parent: parent, place: place, isLoose: isLoose, depth: depth))
        return entries.count - 1
    }

    /// A selector that takes this element and, of all that are here, no other one.
    ///
    /// Role and name where that is enough. Else the way from its window, with places where ways go apart: such a
    /// selector is another one when something is put in before it.
    package func selector(of index: Int) -> String {
        let entry = entries[index]
        let alike = entries.indices.filter { $0 != index && isAlike($0, entry.role, entry.name) }
        if let name = entry.name, alike.isEmpty { return WidgetCensus.selector(entry.role, name) }
        return way(to: index, apartFrom: alike)
    }

    /// A selector for an element that is in no window yet; nil where its role and name do not tell it from the others.
    package func selector(ofAbsent role: WidgetRole, name: WidgetName?) -> String? {
        guard let name, !entries.indices.contains(where: { isAlike($0, role, name) }) else { return nil }
        return WidgetCensus.selector(role, name)
    }

    /// A selector for an element that has an accessible id.
    package static func selector(_ role: WidgetRole, id: String) -> String {
        "\(role.step):self[id=\(quoted(id))]"
    }

    /// A selector for an element that cannot be there.
    package static let nothing = "*:self:not(*)"

    // MARK: -

    private static func selector(_ role: WidgetRole, _ name: WidgetName) -> String {
        "\(role.step):self\(condition(name))"
    }

    /// In quotes, with escapes for what would end them or cannot be seen.
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            default:
                let isPlain = scalar.value >= 0x20 && scalar.value != 0x7F
                quoted += isPlain ? String(scalar) : "\\" + String(scalar.value, radix: 16) + " "
            }
        }
        return "\"\(quoted)\""
    }

    private static func condition(_ name: WidgetName) -> String { "[name^=\(quoted(name.text))]" }

    private func isAlike(_ index: Int, _ role: WidgetRole, _ name: WidgetName?) -> Bool {
        role.canBe(entries[index].role) && (name.map { $0.takes(entries[index].name) } ?? true)
    }

    private func way(to index: Int, apartFrom alike: [Int]) -> String {
        let steps = way(to: index)
        var placed: Set<Int> = []
        for other in alike where entries[other].depth == entries[index].depth {
            let otherSteps = way(to: other)
            if let level = steps.indices.first(where: { steps[$0] != otherSteps[$0] }) { placed.insert(level) }
        }
        var text = ""
        for (level, step) in steps.enumerated() {
            let entry = entries[step]
            if level > 0 { text += entry.isLoose ? " " : " > " }
            if level == 0 {
                text += windowStep(step, isPlaced: placed.contains(0))
            } else {
                text += level == steps.count - 1 ? entry.role.step : "*"
                if placed.contains(level) { text += ":nth-child(\(entry.place))" }
            }
            if level > 0, level == steps.count - 1, let name = entry.name { text += WidgetCensus.condition(name) }
        }
        return text
    }

    /// By its title where no other window's begins alike, and else by its place.
    private func windowStep(_ index: Int, isPlaced: Bool) -> String {
        guard isPlaced else { return "window:self" }
        let window = entries[index]
        let others = entries.indices.filter { $0 != index && entries[$0].parent == nil }
        if let name = window.name, !others.contains(where: { name.takes(entries[$0].name) }) {
            return "window:self\(WidgetCensus.condition(name))"
        }
        return "window:self:nth-child(\(window.place))"
    }

    /// The indices from the window down to an element.
    private func way(to index: Int) -> [Int] {
        var steps = [index]
        while let parent = entries[steps[steps.count - 1]].parent { steps.append(parent) }
        return steps.reversed()
    }
}
