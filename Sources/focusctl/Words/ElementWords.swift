import FocusProtocol

/// An element in words.
enum ElementWords {
    /// The name in quotes, or that there is none.
    static func name(of element: Element) -> Cell.Piece {
        element.name.isEmpty ? .text("(no name)") : .name(element.name)
    }

    /// Where it is: its window's title, where it is not the window itself, and its application.
    static func place(of element: Element) -> [Cell.Piece] {
        var pieces: [Cell.Piece] = []
        if let window = element.window, (window.busName, window.path) != (element.busName, element.path) {
            pieces += window.name.isEmpty ? [.text("in a window ")] : [.text("in "), .name(window.name), .text(" ")]
        }
        return pieces + [.text("of ")] + [applicationName(element.application)]
    }

    /// The cells of a line in a list: role, name, place, reference.
    static func row(_ element: Element) -> [Cell] {
        [
            Cell(element.role),
            Cell([name(of: element)], style: .strong, isFlexible: true),
            Cell(place(of: element), style: .faint, isFlexible: true),
            Cell(reference(of: element), style: .faint, isWhole: true),
        ]
    }

    /// What names it as long as its application runs.
    static func reference(of element: Element) -> String { element.busName + element.path }

    /// What is only there where it was asked for, each of it in words: extents, attributes, selector.
    static func further(_ element: Element) -> [String] {
        var texts: [String] = []
        if let extents = element.extents {
            texts.append("\(extents.width)×\(extents.height) at \(extents.x),\(extents.y)")
        }
        if let attributes = element.attributes, !attributes.isEmpty {
            texts.append(
                attributes.sorted { $0.key < $1.key }
                    .map { "\($0.key)=\(Cell([.name($0.value)]).whole)" }.joined(separator: " "))
        }
        return texts + (element.selector.map { [$0] } ?? [])
    }

    /// Role, name and place in one phrase.
    static func phrase(_ element: Element) -> String {
        Cell([.text(element.role + " "), name(of: element), .text(" ")] + place(of: element)).whole
    }

    /// The application's name, in quotes only where it is more than one plain word; its bus name where it has none.
    static func applicationName(_ application: Application) -> Cell.Piece {
        if application.name.isEmpty { return .text(application.busName) }
        let isWord = application.name.utf8.allSatisfy { byte in
            switch UnicodeScalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
            default: false
            }
        }
        return isWord ? .text(application.name) : .name(application.name)
    }
}
