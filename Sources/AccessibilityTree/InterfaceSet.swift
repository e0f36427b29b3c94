/// The AT-SPI interfaces that an accessible has. Names that no version of AT-SPI knows are not kept.
package struct InterfaceSet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The interface of a short name like `Component`; empty for one that is unknown.
    package init(name: some StringProtocol) {
        let number = InterfaceSet.allNames.firstIndex { $0 == name }
        rawValue = number.map { 1 << UInt32($0) } ?? 0
    }

    package static let component = InterfaceSet(name: "Component")
    package static let text = InterfaceSet(name: "Text")

    /// The short names, in alphabetical order.
    package var names: [String] {
        InterfaceSet.allNames.indices.filter { rawValue & (1 << UInt32($0)) != 0 }.map { InterfaceSet.allNames[$0] }
    }

    private static let allNames = [
        "Accessible", "Action", "Application", "Cache", "Collection", "Component", "Document", "EditableText",
        "Hyperlink", "Hypertext", "Image", "Selection", "Socket", "StreamableContent", "Table", "TableCell", "Text",
        "Value",
    ]
}
