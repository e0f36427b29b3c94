import FocusProtocol

extension FocusClient {
    /// Where a technology is; without one, where the assistive technology is that moved last.
    public func focus(of technology: String? = nil) async throws(FocusClientError) -> Focus {
        try await call(GetFocus.self, GetFocus.Parameters(technology: technology)).focus
    }

    /// Where a technology is, and then every move of it; with updates also its changes on the same element.
    public func focusChanges(of technology: String? = nil, updates: Bool = false) -> FocusStream<Focus> {
        stream(GetFocus.self, GetFocus.Parameters(technology: technology, updates: updates ? true : nil)) { $0.focus }
    }

    /// The technologies that are known, `keyboard` among them.
    public func technologies() async throws(FocusClientError) -> [Technology] {
        try await call(ListTechnologies.self, NoParameters()).technologies
    }

    /// The technologies, again at every change.
    public func technologyChanges() -> FocusStream<[Technology]> {
        stream(ListTechnologies.self, NoParameters()) { $0.technologies }
    }

    /// The applications on the accessibility bus.
    public func applications() async throws(FocusClientError) -> [ApplicationSnapshot] {
        try await call(ListApplications.self, NoParameters()).applications
    }

    /// The applications, again at every change.
    public func applicationChanges() -> FocusStream<[ApplicationSnapshot]> {
        stream(ListApplications.self, NoParameters()) { $0.applications }
    }

    /// The elements that a selector matches now.
    ///
    /// - Parameters:
    ///   - selector: In focusd's language of selectors.
    ///   - limit: 1 to 10,000; 100 where nil.
    ///   - fields: What else is wanted of each: `attributes`, `extents`, `selector`.
    public func find(
        _ selector: String, limit: Int? = nil, fields: [String]? = nil
    ) async throws(FocusClientError) -> FoundElements {
        try await call(
            Find.self, Find.Parameters(selector: selector, limit: limit, fields: fields), timeout: .seconds(20))
    }

    /// Waits until an element is there, until a technology is on it, or until none is there; then it is nil.
    ///
    /// - Parameters:
    ///   - selector: In focusd's language of selectors.
    ///   - condition: What is waited for.
    ///   - technology: With `focused`, the one that must be on it; nil for the assistive one that moved last.
    ///   - timeout: 1 ms to an hour, and 10 s where nil; any other counts as the nearest of these.
    public func wait(
        for selector: String, until condition: WaitCondition = .present, technology: String? = nil,
        timeout: Duration? = nil
    ) async throws(FocusClientError) -> ElementSnapshot? {
        let patience = Patience.ofWait(timeout)
        let parameters = Wait.Parameters(
            selector: selector, condition: condition.rawValue, technology: technology,
            timeoutMilliseconds: patience.milliseconds)
        return try await call(Wait.self, parameters, timeout: patience.duration).element
    }

    /// The tree below the one element that a selector matches, or of all applications, in as many parts as it takes.
    public func tree(of selector: String? = nil, depth: Int? = nil) -> FocusStream<TreePart> {
        stream(GetTree.self, GetTree.Parameters(selector: selector, depth: depth)) { $0 }
    }

    /// Moves technologies to the element that a selector matches, now or until the time is over.
    ///
    /// - Parameter timeout: 1 ms to 60 s, and 2 s where nil; any other counts as the nearest of these.
    public func move(
        to selector: String, technologies: AccessibilityTechnologies = [], again: Bool = false,
        routes: [FocusRoute]? = nil, timeout: Duration? = nil
    ) async throws(FocusClientError) -> Outcome {
        try await move(selector, nil, technologies, again, routes, timeout)
    }

    /// Moves technologies to an element that focusd has told of.
    ///
    /// - Parameter timeout: 1 ms to 60 s, and 2 s where nil; any other counts as the nearest of these.
    public func move(
        to element: ElementSnapshot, technologies: AccessibilityTechnologies = [], again: Bool = false,
        routes: [FocusRoute]? = nil, timeout: Duration? = nil
    ) async throws(FocusClientError) -> Outcome {
        try await move(nil, element.busName + element.path, technologies, again, routes, timeout)
    }

    private func move(
        _ selector: String?, _ element: String?, _ technologies: AccessibilityTechnologies, _ again: Bool,
        _ routes: [FocusRoute]?, _ timeout: Duration?
    ) async throws(FocusClientError) -> Outcome {
        let patience = Patience.ofMove(timeout)
        let parameters = MoveFocus.Parameters(
            selector: selector, element: element, technologies: technologies.wire, again: again ? true : nil,
            routes: routes?.map(\.rawValue), timeoutMilliseconds: patience.milliseconds)
        return try await call(MoveFocus.self, parameters, timeout: patience.duration).outcome
    }

    /// Has the screen reader say something, without moving it. The answer says that it was sent, not that it was spoken.
    public func announce(_ text: String, urgent: Bool = false) async throws(FocusClientError) -> Announcement {
        try await call(Announce.self, Announce.Parameters(text: text, urgent: urgent ? true : nil))
    }

    /// What the service did, for those who measure it.
    public func statistics() async throws(FocusClientError) -> ServiceStatistics {
        try await call(GetStatistics.self, NoParameters()).statistics
    }

    /// What is wrong on this desktop and what to do about it.
    public func diagnose() async throws(FocusClientError) -> [Finding] {
        try await call(Diagnose.self, NoParameters(), timeout: .seconds(20)).findings
    }
}
