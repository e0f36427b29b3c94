import FocusProtocol
import Testing
import Varlink

/// The interface file is the contract: every type, method and error in it is held against the code's own shapes.
@Suite struct ContractTests {
    private let interface: InterfaceDescription

    init() throws {
        interface = try InterfaceDescription(parsing: FocusInterface.text)
    }

    /// A part of the contract: where its fields are in the interface file, and the Swift type that must agree.
    struct Part: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fields: @Sendable (InterfaceDescription) -> [InterfaceDescription.Field]?
        var shape: any (Codable & Sendable).Type

        static func type<Shape: Codable & Sendable>(_ shape: Shape.Type) -> Part {
            let name = String(describing: shape)
            return Part(
                testDescription: name,
                fields: { interface in
                    guard case .structure(let fields) = interface.type(named: name)?.type else { return nil }
                    return fields
                }, shape: shape)
        }

        static func method<Method: MethodCall>(_ method: Method.Type) -> [Part] {
            let name = String(describing: method)
            return [
                Part(
                    testDescription: "\(name).Parameters", fields: { $0.method(named: name)?.parameters },
                    shape: Method.Parameters.self),
                Part(
                    testDescription: "\(name).Reply", fields: { $0.method(named: name)?.reply },
                    shape: Method.Reply.self),
            ]
        }

        static func error<Failure: InterfaceError>(_ failure: Failure.Type) -> Part {
            let name = String(describing: failure)
            return Part(testDescription: name, fields: { $0.error(named: name)?.parameters }, shape: failure)
        }
    }

    static let types: [Part] = [
        .type(Element.self), .type(Extents.self), .type(Window.self), .type(Application.self),
        .type(Technology.self), .type(Region.self), .type(Focus.self), .type(Outcome.self),
        .type(RouteAttempt.self), .type(TechnologyResult.self), .type(Finding.self), .type(Statistics.self),
        .type(ApplicationStatistics.self), .type(ClientStatistics.self), .type(Node.self), .type(StaleApplication.self),
        .type(Prototype.self), .type(StateChange.self), .type(OwnerMove.self), .type(FocusState.self),
        .type(MemoryStatistics.self), .type(LatencyStatistics.self), .type(LimitUse.self),
        .type(ProcessStatistics.self),
    ]
    static let methods: [any MethodCall.Type] = [
        GetFocus.self, ListTechnologies.self, ListApplications.self, MoveFocus.self, GetStatistics.self,
        Diagnose.self, Find.self, Wait.self, GetTree.self, Bind.self, OpenSession.self, SetValue.self,
        DeclineMove.self, ListStates.self, Unbind.self, Announce.self,
    ]
    static let errors: [any InterfaceError.Type] = [
        FocusError.InvalidSelector.self, FocusError.UnknownTechnology.self, FocusError.StaleElement.self,
        FocusError.SubscriberTooSlow.self, FocusError.LimitExceeded.self, FocusError.ElementNotFound.self,
        FocusError.WaitTimedOut.self, FocusError.AmbiguousSelector.self, FocusError.UnknownState.self,
        FocusError.UnknownValue.self, FocusError.StateExists.self,
    ]
    static let parts = types + methods.flatMap { Part.method($0) } + errors.map { Part.error($0) }

    @Test func theInterfaceHasTheTypesMethodsAndErrorsOfTheCodeAndNoOthers() {
        #expect(interface.name == FocusInterface.name)
        #expect(Set(interface.types.map(\.name)) == Set(Self.types.map(\.testDescription)))
        #expect(
            Set(interface.methods.map { "\(interface.name).\($0.name)" }) == Set(Self.methods.map { $0.name }))
        #expect(Set(interface.errors.map { "\(interface.name).\($0.name)" }) == Set(Self.errors.map { $0.name }))
    }

    @Test func everythingInTheInterfaceIsDocumented() {
        #expect(!interface.documentation.isEmpty)
        for type in interface.types { #expect(!type.documentation.isEmpty, "\(type.name)") }
        for method in interface.methods { #expect(!method.documentation.isEmpty, "\(method.name)") }
        for error in interface.errors { #expect(!error.documentation.isEmpty, "\(error.name)") }
    }

    @Test(arguments: parts) func aShapeKeepsEveryFieldOfTheInterface(_ part: Part) throws {
        let fields = try #require(part.fields(interface))
        let full = JSONValue.object(Samples(interface: interface, withOptionals: true).object(fields))
        #expect(try roundTrip(full, part.shape) == full)
    }

    @Test(arguments: parts) func aShapeLeavesOutWhatIsAbsent(_ part: Part) throws {
        let fields = try #require(part.fields(interface))
        let least = JSONValue.object(Samples(interface: interface, withOptionals: false).object(fields))
        #expect(try roundTrip(least, part.shape) == least)
    }

    @Test(arguments: parts) func aShapeTakesNullForAbsent(_ part: Part) throws {
        let fields = try #require(part.fields(interface))
        let least = Samples(interface: interface, withOptionals: false).object(fields)
        var withNulls = least
        for field in fields where field.isOptional { withNulls[field.name] = .null }
        #expect(try roundTrip(.object(withNulls), part.shape) == .object(least))
    }

    @Test(arguments: parts) func aShapeNeedsWhatTheInterfaceSaysIsAlwaysThere(_ part: Part) throws {
        let fields = try #require(part.fields(interface))
        let least = Samples(interface: interface, withOptionals: false).object(fields)
        for field in fields where !field.isOptional {
            var without = least
            without[field.name] = nil
            #expect(throws: DecodingError.self, "\(field.name)") { try roundTrip(.object(without), part.shape) }
        }
    }

    @Test(arguments: parts) func aShapeHasTheFieldsOfTheInterfaceInItsOrderAndTypes(_ part: Part) throws {
        let fields = try #require(part.fields(interface))
        let full = JSONValue.object(Samples(interface: interface, withOptionals: true).object(fields))
        let value = try JSONBytes.decode(part.shape, from: JSONBytes.encode(full))
        try compare(value, fields, at: part.testDescription)
    }

    // MARK: -

    private func roundTrip(_ json: JSONValue, _ shape: any Codable.Type) throws -> JSONValue {
        let value = try JSONBytes.decode(shape, from: JSONBytes.encode(json))
        return try JSONBytes.decode(JSONValue.self, from: JSONBytes.encode(value))
    }

    private func compare(_ value: Any, _ fields: [InterfaceDescription.Field], at place: String) throws {
        let children = Array(Mirror(reflecting: value).children)
        #expect(children.map { $0.label ?? "" } == fields.map(\.name), "\(place)")
        for (child, field) in zip(children, fields) {
            try compare(child.value, field.type, at: "\(place).\(field.name)")
        }
    }

    private func compare(_ value: Any, _ type: InterfaceDescription.FieldType, at place: String) throws {
        switch type {
        case .bool: #expect(value is Bool, "\(place)")
        case .int: #expect(value is Int || value is Int64, "\(place)")
        case .float: #expect(value is Double, "\(place)")
        case .string: #expect(value is String, "\(place)")
        case .object, .enumeration: Issue.record("\(place): no shape has this kind of type yet")
        case .named(let name):
            #expect(String(describing: Swift.type(of: value)) == name, "\(place)")
            try compare(value, try #require(interface.type(named: name)).type, at: place)
        case .structure(let fields): try compare(value, fields, at: place)
        case .optional(let wrapped):
            let mirror = Mirror(reflecting: value)
            #expect(mirror.displayStyle == .optional, "\(place)")
            try compare(try #require(mirror.children.first).value, wrapped, at: place)
        case .array(let element):
            let mirror = Mirror(reflecting: value)
            #expect(mirror.displayStyle == .collection, "\(place)")
            try compare(try #require(mirror.children.first).value, element, at: place)
        case .dictionary(let element):
            let pair = try #require(value as? [String: Any], "\(place)")
            try compare(try #require(pair.first).value, element, at: place)
        }
    }
}

/// Makes JSON that an interface allows: with all that may be absent, or with nothing of it.
struct Samples {
    var interface: InterfaceDescription
    var withOptionals: Bool

    func object(_ fields: [InterfaceDescription.Field]) -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        for field in fields where withOptionals || !field.isOptional { object[field.name] = value(field.type) }
        return object
    }

    private func value(_ type: InterfaceDescription.FieldType) -> JSONValue {
        switch type {
        case .bool: .bool(true)
        case .int: .int(7)
        case .float: .double(0.5)
        case .string: .string("text")
        case .object: .object([:])
        case .named(let name): interface.type(named: name).map { value($0.type) } ?? .null
        case .optional(let wrapped): value(wrapped)
        case .array(let element): .array([value(element)])
        case .dictionary(let element): .object(["key": value(element)])
        case .structure(let fields): .object(object(fields))
        case .enumeration(let names): .string(names.first ?? "")
        }
    }
}
