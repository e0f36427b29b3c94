/// What an interface file says: its types, methods and errors, each with the comment above it.
package struct InterfaceDescription: Hashable, Sendable {
    package var name: String
    package var documentation: String
    package var types: [NamedType] = []
    package var methods: [Method] = []
    package var errors: [Failure] = []

    /// A type of a field. Names refer to the interface's own types.
    package indirect enum FieldType: Hashable, Sendable {
        case bool, int, float, string, object
        case named(String)
        case optional(FieldType)
        case array(FieldType)
        case dictionary(FieldType)
        case structure([Field])
        case enumeration([String])
    }

    /// One member of a structure.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var type: FieldType
        package var documentation: String

        package init(name: String, type: FieldType, documentation: String = "") {
            self.name = name
            self.type = type
            self.documentation = documentation
        }

        /// Whether it may be absent.
        package var isOptional: Bool {
            if case .optional = type { true } else { false }
        }
    }

    /// A type with a name: a structure or an enumeration.
    package struct NamedType: Hashable, Sendable {
        package var name: String
        package var type: FieldType
        package var documentation: String
    }

    /// A method with what goes in and out.
    package struct Method: Hashable, Sendable {
        package var name: String
        package var parameters: [Field]
        package var reply: [Field]
        package var documentation: String
    }

    /// An error with what it carries.
    package struct Failure: Hashable, Sendable {
        package var name: String
        package var parameters: [Field]
        package var documentation: String
    }

    /// Reads the text of an interface file. Any text is safe to read; what is no interface throws, with its place.
    package init(parsing text: String) throws(InterfaceSyntaxError) {
        var parser = InterfaceParser(text)
        self = try parser.interface()
    }

    init(name: String, documentation: String) {
        self.name = name
        self.documentation = documentation
    }

    package func type(named name: String) -> NamedType? { types.first { $0.name == name } }

    package func method(named name: String) -> Method? { methods.first { $0.name == name } }

    package func error(named name: String) -> Failure? { errors.first { $0.name == name } }
}

/// Where a text stops being an interface, and what was expected there.
package struct InterfaceSyntaxError: Error, Hashable, Sendable {
    /// The offset in bytes of UTF-8.
    package var position: Int
    /// Counted from 1.
    package var line: Int
    /// In bytes of UTF-8, counted from 1.
    package var column: Int
    package var expected: String
}
