import AccessibilityFocus
import FocusProtocol

/// Focus states and their changes in words.
enum StateWords {
    /// What stands where there is no value, or no element.
    static let none = "-"
    /// How many names a complaint lists at most.
    private static let namesInComplaint = 12

    // MARK: - Changes

    /// A change as a line for scripts: value, cause, certainty and element, with tabs between.
    static func line(_ change: StateChange) -> String {
        [
            change.value.map(SafeText.escaped) ?? none, SafeText.escaped(change.cause),
            change.assumed ? "assumed" : "said", change.element.map(ElementWords.phrase) ?? none,
        ].joined(separator: "\t")
    }

    /// A change as cells: value, role, name, place, remarks.
    static func row(_ change: StateChange) -> [Cell] {
        let remarks = FocusWords.remarks(assumed: change.assumed, cause: change.cause)
        guard let element = change.element else { return [value(change.value), .empty, .empty, .empty, remarks] }
        return [
            value(change.value),
            Cell(element.role),
            Cell([ElementWords.name(of: element)], style: .strong, isFlexible: true),
            Cell(ElementWords.place(of: element), style: .faint, isFlexible: true),
            remarks,
        ]
    }

    private static func value(_ value: String?) -> Cell {
        value.map { Cell($0, style: .good) } ?? Cell(none, style: .faint)
    }

    // MARK: - States

    /// A state as cells: name, value, remark, technologies, modes, who binds it, sets under way.
    static func row(_ state: FocusState) -> [Cell] {
        [
            Cell(state.state, style: .technology),
            value(state.value),
            state.assumed ? Cell("(assumed)", style: .warning) : .empty,
            Cell(state.technologies.map { $0.joined(separator: ",") } ?? ""),
            Cell(state.modes.map { $0.joined(separator: ",") } ?? ""),
            Cell(binders(state), style: .faint),
            Cell(state.pendingSets > 0 ? "\(state.pendingSets) under way" : "", style: .warning),
        ]
    }

    /// A value with its selector, as 'bind' takes it.
    static func piece(_ prototype: Prototype) -> Cell.Piece { .text("\(prototype.value)=\(prototype.selector)") }

    private static func binders(_ state: FocusState) -> String {
        let processes = state.pids.isEmpty ? "" : "pid " + state.pids.map(String.init).joined(separator: ",")
        // Twice by one process, or kept alive by none.
        guard state.binds != state.pids.count else { return processes }
        let binds = state.binds == 1 ? "1 bind" : "\(state.binds) binds"
        return processes.isEmpty ? binds : "\(processes) (\(binds))"
    }

    // MARK: - What is not there

    /// The failure, and where focusd knows no such state or value, what there is instead.
    static func explained(
        _ failure: CommandFailure, state: String, value: String?, _ connection: Connection
    ) -> CommandFailure {
        let name = failure.answer?.name
        guard name == FocusError.UnknownState.name || name == FocusError.UnknownValue.name else { return failure }
        let states: [FocusState]
        do { states = try connection.call(ListStates.self, NoParameters()).states } catch { return failure }
        if name == FocusError.UnknownState.name { return unknownState(state, among: states.map(\.state)) }
        guard let value, let known = states.first(where: { $0.state == state }) else { return failure }
        return unknownValue(value, of: state, among: known.prototypes.map(\.value))
    }

    private static func unknownState(_ state: String, among known: [String]) -> CommandFailure {
        let (nearest, list) = choice(for: state, among: known)
        return .notThere(
            what: "there is no state '\(SafeText.escaped(state))'\(nearest)",
            whatToDo: known.isEmpty
                ? "No state is bound at all; 'focusctl bind' binds one."
                : "What is bound: \(list). 'focusctl states' shows more.")
    }

    private static func unknownValue(_ value: String, of state: String, among known: [String]) -> CommandFailure {
        let (nearest, list) = choice(for: value, among: known)
        return .notThere(
            what: "the state '\(SafeText.escaped(state))' has no value '\(SafeText.escaped(value))'\(nearest)",
            whatToDo: "Its values: \(list). --none leaves all of them.")
    }

    private static func choice(for written: String, among known: [String]) -> (nearest: String, list: String) {
        var unique: [String] = []
        for name in known where !unique.contains(name) { unique.append(name) }
        let nearest = NearestName.find(written, among: unique).map { "; did you mean '\(SafeText.escaped($0))'?" }
        let shown = unique.prefix(namesInComplaint).map(SafeText.escaped).joined(separator: ", ")
        let further = unique.count - namesInComplaint
        return (nearest ?? "", further > 0 ? "\(shown) and \(further) more" : shown)
    }
}
