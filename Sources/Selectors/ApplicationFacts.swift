import AccessibilityTree

/// What is known of an application before its tree is read.
package struct ApplicationFacts: Hashable, Sendable {
    /// Nil where it is not known, or where its roots have different names.
    package var name: String?
    /// Nil where it is not known.
    package var pid: Int?
    package var toolkit: String?

    /// A `pid` of 0 and an empty `toolkit` mean that they are not known.
    package init(name: String?, pid: Int, toolkit: String) {
        self.name = name
        self.pid = pid > 0 ? pid : nil
        self.toolkit = toolkit.isEmpty ? nil : toolkit
    }
}

extension Selector {
    /// Whether an application can have elements that match; nil where that depends on what is not known yet.
    ///
    /// Without `ownPID`, `:self` is not known.
    package func admits(_ application: ApplicationFacts, ownPID: Int? = nil) -> Bool? {
        ApplicationFilter(application: application, ownPID: ownPID).either(alternatives)
    }
}

/// Says of selectors what can be said knowing the application alone. True is said only of what every element is.
private struct ApplicationFilter {
    let application: ApplicationFacts
    let ownPID: Int?

    func either(_ list: [ComplexSelector]) -> Bool? {
        var isNever = true
        for complex in list {
            // All steps are in one application.
            let answers = complex.compounds.map { all($0) }
            if answers.contains(false) { continue }
            isNever = false
            if complex.rest.isEmpty, answers[0] == true { return true }
        }
        return isNever ? false : nil
    }

    private func all(_ compound: CompoundSelector) -> Bool? {
        var answer: Bool? = compound.type == .any ? true : nil
        for condition in compound.conditions {
            let one = holds(condition, compound.type)
            if one == false { return false }
            if one == nil { answer = nil }
        }
        return answer
    }

    private func holds(_ condition: Condition, _ type: TypeTest) -> Bool? {
        switch condition {
        case .attribute(let test): holds(test, type)
        case .ownApplication: ownPID.flatMap { own in application.pid.map { $0 == own } }
        case .not(let list): either(list).map { !$0 }
        case .either(let list): either(list)
        case .has(let list): either(list.map(\.selector)) == false ? false : nil
        case .state, .hidden, .accessibilityFocused, .position, .lastChild: nil
        }
    }

    private func holds(_ test: AttributeTest, _ type: TypeTest) -> Bool? {
        switch test.subject {
        case .application: application.name.map { TextComparison(test).holds($0) }
        case .name where type == .role(.application): application.name.map { TextComparison(test).holds($0) }
        case .pid: application.pid.map { TextComparison(test, normalises: false).holds(String($0)) }
        case .toolkit: application.toolkit.map { TextComparison(test).holds($0) }
        default: nil
        }
    }
}
