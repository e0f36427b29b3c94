import FocusProtocol
import Varlink

/// Makes io.focusd.Focus(7) from the text of the interface and its comments.
enum InterfaceManual {
    static func text() throws(InterfaceSyntaxError) -> String {
        let interface = try InterfaceDescription(parsing: FocusInterface.text)
        var page = ManualPage(
            interface.name, section: 7, what: "the Varlink interface of focusd", version: focusdVersion)
        page.section("DESCRIPTION")
        page.paragraphs(paragraphs(interface.documentation))
        page.macro(".Pp")
        page.prose(
            "The socket speaks Varlink: each message is a JSON object that a NUL byte ends. What is below is the text of "
                + "the interface, which org.varlink.service.GetInterfaceDescription answers too.")
        page.section("METHODS")
        for method in interface.methods {
            page.subsection(method.name)
            page.literal(signature(of: method))
            page.macro(".Pp")
            page.paragraphs(paragraphs(method.documentation))
        }
        page.section("TYPES")
        for type in interface.types {
            page.subsection(type.name)
            page.paragraphs(paragraphs(type.documentation))
            if case .structure(let fields) = type.type {
                page.list(fields.map { ("Va \($0.name) : No \(words($0.type))", joined($0.documentation)) })
            } else {
                page.literal([words(type.type)])
            }
        }
        page.section("ERROR REPLIES")
        page.list(
            interface.errors.map { error in
                ("Er \(error.name) No \(ManualPage.escaped(words(error.parameters)))", joined(error.documentation))
            })
        page.section("FILES")
        page.list([
            ("Pa $XDG_RUNTIME_DIR/focusd/io.focusd.Focus", "The socket. Only the user's own programs may use it."),
            (
                "Pa share/varlink/interfaces/io.focusd.Focus.varlink",
                "This interface, below the prefix of the installation."
            ),
        ])
        page.section("EXAMPLES")
        page.prose("Where the screen reader is, with the tool of systemd 255 and later:")
        page.literal(["varlinkctl call --more $XDG_RUNTIME_DIR/focusd/io.focusd.Focus io.focusd.Focus.GetFocus '{}'"])
        page.seeAlso([("focusctl", 1), ("focusd", 1), ("varlinkctl", 1)])
        return page.text
    }

    private static func signature(of method: InterfaceDescription.Method) -> [String] {
        let line = "method \(method.name)\(words(method.parameters)) -> \(words(method.reply))"
        guard line.count > 64 else { return [line] }
        let parameters =
            method.parameters.isEmpty
            ? ["method \(method.name)() -> ("] : block("method \(method.name)(", method.parameters, ") -> (")
        return parameters + block(nil, method.reply, ")")
    }

    /// Fields with one to a line, between a line before them and one behind them.
    private static func block(_ first: String?, _ fields: [InterfaceDescription.Field], _ last: String) -> [String] {
        let lines = fields.enumerated().map { index, field in
            "  \(field.name): \(words(field.type))" + (index < fields.count - 1 ? "," : "")
        }
        return [first].compactMap { $0 } + lines + [last]
    }

    private static func words(_ fields: [InterfaceDescription.Field]) -> String {
        "(" + fields.map { "\($0.name): \(words($0.type))" }.joined(separator: ", ") + ")"
    }

    /// A type as the interface's language writes it.
    private static func words(_ type: InterfaceDescription.FieldType) -> String {
        switch type {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .named(let name): name
        case .optional(let inner): "?" + words(inner)
        case .array(let inner): "[]" + words(inner)
        case .dictionary(let inner): "[string]" + words(inner)
        case .structure(let fields): words(fields)
        case .enumeration(let names): "(" + names.joined(separator: ", ") + ")"
        }
    }

    /// A comment's paragraphs, each on one line.
    private static func paragraphs(_ documentation: String) -> [String] {
        var paragraphs = [[Substring]()]
        for line in documentation.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { paragraphs.append([]) } else { paragraphs[paragraphs.count - 1].append(line) }
        }
        return paragraphs.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
    }

    private static func joined(_ documentation: String) -> String {
        paragraphs(documentation).joined(separator: " ")
    }
}
