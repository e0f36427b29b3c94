/// Bus name and path of an accessible. An empty bus name stands for the application's own.
package struct FakeReference: Sendable, Hashable {
    package var bus: String
    package var path: String

    /// The accessible at this path of the connection of this name.
    package init(bus: String = "", path: String) {
        self.bus = bus
        self.path = path
    }

    /// What AT-SPI says where there is none.
    package static let null = FakeReference(path: "/org/a11y/atspi/null")
    /// The other way to say it.
    package static let nullRoot = FakeReference(path: "/")

    var isNull: Bool { self == .null || self == .nullRoot }
}

/// A role by its AT-SPI number; any number can be made.
package struct FakeRole: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32
    /// Any number, known or not.
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ rawValue: UInt32) { self.rawValue = rawValue }

    package static let checkBox = FakeRole(7)
    package static let comboBox = FakeRole(11)
    package static let dialog = FakeRole(16)
    package static let filler = FakeRole(20)
    package static let frame = FakeRole(23)
    package static let label = FakeRole(29)
    package static let list = FakeRole(31)
    package static let listItem = FakeRole(32)
    package static let menu = FakeRole(33)
    package static let menuBar = FakeRole(34)
    package static let menuItem = FakeRole(35)
    package static let pageTab = FakeRole(37)
    package static let pageTabList = FakeRole(38)
    package static let panel = FakeRole(39)
    package static let passwordText = FakeRole(40)
    package static let popupMenu = FakeRole(41)
    package static let pushButton = FakeRole(43)
    package static let radioButton = FakeRole(44)
    package static let scrollPane = FakeRole(49)
    package static let table = FakeRole(55)
    package static let tableCell = FakeRole(56)
    package static let terminal = FakeRole(60)
    package static let text = FakeRole(61)
    package static let toggleButton = FakeRole(62)
    package static let tree = FakeRole(65)
    package static let treeTable = FakeRole(66)
    package static let unknown = FakeRole(67)
    package static let viewport = FakeRole(68)
    package static let window = FakeRole(69)
    package static let paragraph = FakeRole(73)
    package static let application = FakeRole(75)
    package static let entry = FakeRole(79)
    package static let heading = FakeRole(83)
    package static let link = FakeRole(88)
    package static let documentWeb = FakeRole(95)
    package static let listBox = FakeRole(98)
    package static let notification = FakeRole(101)

    /// The name that at-spi2-core 2.46 gives it.
    package var name: String { Self.names[rawValue] ?? "unknown" }

    private static let names: [UInt32: String] = [
        7: "check box", 11: "combo box", 16: "dialog", 20: "filler", 23: "frame", 29: "label", 31: "list",
        32: "list item", 33: "menu", 34: "menu bar", 35: "menu item", 37: "page tab", 38: "page tab list", 39: "panel",
        40: "password text", 41: "popup menu", 43: "push button", 44: "radio button", 49: "scroll pane", 55: "table",
        56: "table cell", 60: "terminal", 61: "text", 62: "toggle button", 65: "tree", 66: "tree table",
        68: "viewport", 69: "window", 73: "paragraph", 75: "application", 79: "entry", 83: "heading", 88: "link",
        95: "document web", 98: "list box", 101: "notification",
    ]
}

/// A set of AT-SPI states by their numbers, 0 to 63.
package struct FakeStates: OptionSet, Sendable, Hashable {
    package var rawValue: UInt64
    /// From the bits: bit N is state number N.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The one state of a number from 0 to 63.
    package static func number(_ number: Int) -> FakeStates { FakeStates(rawValue: 1 << UInt64(number)) }

    package static let active = number(1)
    package static let busy = number(3)
    package static let checked = number(4)
    package static let collapsed = number(5)
    package static let defunct = number(6)
    package static let editable = number(7)
    package static let enabled = number(8)
    package static let expandable = number(9)
    package static let expanded = number(10)
    package static let focusable = number(11)
    package static let focused = number(12)
    package static let iconified = number(15)
    package static let modal = number(16)
    package static let multiLine = number(17)
    package static let resizable = number(21)
    package static let selectable = number(22)
    package static let selected = number(23)
    package static let sensitive = number(24)
    package static let showing = number(25)
    package static let singleLine = number(26)
    package static let transient = number(28)
    package static let visible = number(30)
    package static let managesDescendants = number(31)
    package static let indeterminate = number(32)
    package static let readOnly = number(43)

    /// What a widget of GTK3 on the screen has at least.
    package static let shown: FakeStates = [.enabled, .sensitive, .showing, .visible]

    /// The two words of `GetState`.
    package var words: DBusValue {
        .array(
            "u", [.uint32(UInt32(truncatingIfNeeded: rawValue)), .uint32(UInt32(truncatingIfNeeded: rawValue >> 32))])
    }
}

/// The toolkit whose ways an application has: signatures, events, errors and states differ.
package enum FakeToolkit: Sendable, Hashable, CaseIterable {
    case gtk3, gtk4
    /// Qt before 6.8: old signatures, and it crashes when asked for all properties.
    case qt

    /// What `ToolkitName` says.
    package var name: String {
        switch self {
        case .gtk3: "gtk"
        case .gtk4: "GTK"
        case .qt: "Qt"
        }
    }

    /// What `Version` says.
    package var version: String {
        switch self {
        case .gtk3: "3.24.38"
        case .gtk4: "4.8.3"
        case .qt: "5.15.8"
        }
    }
}

/// The bodies that AT-SPI events have.
package enum EventBody: Sendable, Hashable {
    /// `siiva{sv}`.
    case modern
    /// `siiv(so)`, of Qt before 6.8.
    case legacy
    /// `siiv`, which nothing should send.
    case bare
}
