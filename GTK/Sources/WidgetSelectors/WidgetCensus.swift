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
        let alike = entries.indices.filter { other in
            other != index && entry.role.canBe(entries[other].role)
                && (entry.name.map { $0.takes(entries[other].name) } ?? true)
        }
        if let name = entry.name, alike.isEmpty { return "\(entry.role.step):self\(name.condition)" }
        return way(to: index, apartFrom: alike)
    }

    // MARK: -

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
            if level > 0, level == steps.count - 1, let name = entry.name { text += name.condition }
        }
        return text
    }

    /// By its title where no other window's begins alike, and else by its place.
    private func windowStep(_ index: Int, isPlaced: Bool) -> String {
        guard isPlaced else { return "window:self" }
        let window = entries[index]
        let others = entries.indices.filter { $0 != index && entries[$0].parent == nil }
        if let name = window.name, !others.contains(where: { name.takes(entries[$0].name) }) {
            return "window:self\(name.condition)"
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
