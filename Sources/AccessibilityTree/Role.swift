/// What kind of thing an accessible is, by AT-SPI's number. Numbers that no table knows are kept.
package struct Role: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The stable English name with `-`, whatever the library version calls it; `role-250` for an unknown number.
    package var name: String {
        Int(rawValue) < Role.names.count ? Role.names[Int(rawValue)] : "role-\(rawValue)"
    }

    package static let alert = Role(rawValue: 2)
    package static let application = Role(rawValue: 75)
    package static let checkMenuItem = Role(rawValue: 8)
    package static let colorChooser = Role(rawValue: 9)
    package static let desktopFrame = Role(rawValue: 14)
    package static let dialog = Role(rawValue: 16)
    package static let documentEmail = Role(rawValue: 96)
    package static let documentFrame = Role(rawValue: 82)
    package static let documentPresentation = Role(rawValue: 93)
    package static let documentSpreadsheet = Role(rawValue: 92)
    package static let documentText = Role(rawValue: 94)
    package static let documentWeb = Role(rawValue: 95)
    package static let entry = Role(rawValue: 79)
    package static let fileChooser = Role(rawValue: 19)
    package static let fontChooser = Role(rawValue: 22)
    package static let frame = Role(rawValue: 23)
    package static let inputMethodWindow = Role(rawValue: 89)
    package static let invalid = Role(rawValue: 0)
    package static let label = Role(rawValue: 29)
    package static let list = Role(rawValue: 31)
    package static let listBox = Role(rawValue: 98)
    package static let menu = Role(rawValue: 33)
    package static let menuItem = Role(rawValue: 35)
    package static let notification = Role(rawValue: 101)
    package static let panel = Role(rawValue: 39)
    package static let passwordText = Role(rawValue: 40)
    package static let popupMenu = Role(rawValue: 41)
    package static let pushButton = Role(rawValue: 43)
    package static let radioMenuItem = Role(rawValue: 45)
    package static let scrollPane = Role(rawValue: 49)
    package static let table = Role(rawValue: 55)
    package static let tearoffMenuItem = Role(rawValue: 59)
    package static let terminal = Role(rawValue: 60)
    package static let text = Role(rawValue: 61)
    package static let tree = Role(rawValue: 65)
    package static let treeTable = Role(rawValue: 66)
    package static let unknown = Role(rawValue: 67)
    package static let viewport = Role(rawValue: 68)
    package static let window = Role(rawValue: 69)

    /// Whether it is a window: what the window manager knows, directly below the application.
    package var isWindow: Bool {
        switch self {
        case .frame, .window, .dialog, .alert, .fileChooser, .colorChooser, .fontChooser, .inputMethodWindow: true
        default: false
        }
    }

    /// Whether it belongs to a menu that is open over its window.
    package var isMenu: Bool {
        switch self {
        case .menu, .menuItem, .popupMenu, .checkMenuItem, .radioMenuItem, .tearoffMenuItem: true
        default: false
        }
    }

    /// Whether what it holds may be scrolled out of sight and still be there for a screen reader.
    package var scrollsItsContent: Bool {
        switch self {
        case .scrollPane, .viewport, .list, .listBox, .tree, .treeTable, .table, .documentFrame, .documentWeb,
            .documentText, .documentEmail, .documentSpreadsheet, .documentPresentation:
            true
        default: false
        }
    }

    /// Whether what is typed into it is nobody else's business.
    package var isSecret: Bool { self == .passwordText || self == .terminal }

    /// Names by number, from `AtspiRole` in at-spi2-core.
    private static let names = [
        "invalid", "accelerator-label", "alert", "animation", "arrow", "calendar", "canvas", "check-box",
        "check-menu-item", "color-chooser", "column-header", "combo-box", "date-editor", "desktop-icon",
        "desktop-frame", "dial", "dialog", "directory-pane", "drawing-area", "file-chooser", "filler",
        "focus-traversable", "font-chooser", "frame", "glass-pane", "html-container", "icon", "image",
        "internal-frame", "label", "layered-pane", "list", "list-item", "menu", "menu-bar", "menu-item",
        "option-pane", "page-tab", "page-tab-list", "panel", "password-text", "popup-menu", "progress-bar",
        "push-button", "radio-button", "radio-menu-item", "root-pane", "row-header", "scroll-bar", "scroll-pane",
        "separator", "slider", "spin-button", "split-pane", "status-bar", "table", "table-cell",
        "table-column-header", "table-row-header", "tearoff-menu-item", "terminal", "text", "toggle-button",
        "tool-bar", "tool-tip", "tree", "tree-table", "unknown", "viewport", "window", "extended", "header",
        "footer", "paragraph", "ruler", "application", "autocomplete", "editbar", "embedded", "entry", "chart",
        "caption", "document-frame", "heading", "page", "section", "redundant-object", "form", "link",
        "input-method-window", "table-row", "tree-item", "document-spreadsheet", "document-presentation",
        "document-text", "document-web", "document-email", "comment", "list-box", "grouping", "image-map",
        "notification", "info-bar", "level-bar", "title-bar", "block-quote", "audio", "video", "definition",
        "article", "landmark", "log", "marquee", "math", "rating", "timer", "static", "math-fraction", "math-root",
        "subscript", "superscript", "description-list", "description-term", "description-value", "footnote",
        "content-deletion", "content-insertion", "mark", "suggestion", "push-button-menu", "switch",
    ]
}
