import AccessibilityTree
import Testing

struct RoleTests {
    /// Numbers from `AtspiRole` in atspi-constants.h of at-spi2-core.
    @Test(
        "roles have AT-SPI's numbers, and one stable name each",
        arguments: [
            (0, "invalid"), (1, "accelerator-label"), (2, "alert"), (7, "check-box"), (8, "check-menu-item"),
            (11, "combo-box"), (14, "desktop-frame"), (16, "dialog"), (20, "filler"), (23, "frame"), (26, "icon"),
            (29, "label"), (31, "list"), (32, "list-item"), (33, "menu"), (34, "menu-bar"), (35, "menu-item"),
            (37, "page-tab"), (39, "panel"), (40, "password-text"), (41, "popup-menu"), (42, "progress-bar"),
            (43, "push-button"), (44, "radio-button"), (48, "scroll-bar"), (49, "scroll-pane"), (51, "slider"),
            (55, "table"), (56, "table-cell"), (60, "terminal"), (61, "text"), (62, "toggle-button"), (65, "tree"),
            (66, "tree-table"), (67, "unknown"), (68, "viewport"), (69, "window"), (70, "extended"), (73, "paragraph"),
            (75, "application"), (79, "entry"), (82, "document-frame"), (83, "heading"), (85, "section"),
            (87, "form"), (88, "link"), (89, "input-method-window"), (90, "table-row"), (91, "tree-item"),
            (95, "document-web"), (96, "document-email"), (98, "list-box"), (99, "grouping"), (101, "notification"),
            (105, "block-quote"), (109, "article"), (110, "landmark"), (116, "static"), (123, "description-value"),
            (124, "footnote"), (128, "suggestion"), (129, "push-button-menu"), (130, "switch"),
        ])
    func names(number: UInt32, name: String) {
        #expect(Role(rawValue: number).name == name)
    }

    @Test("a role that no table knows is kept with its number", arguments: [131, 250, UInt32.max])
    func unknownNumbers(number: UInt32) {
        #expect(Role(rawValue: number).rawValue == number)
        #expect(Role(rawValue: number).name == "role-\(number)")
    }

    @Test("no two roles share a name, and none has a space")
    func namesAreUnique() {
        let names = (UInt32(0)...130).map { Role(rawValue: $0).name }
        #expect(Set(names).count == names.count)
        #expect(
            names.allSatisfy { name in
                !name.isEmpty && name.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) }
            })
    }

    @Test("named constants are the roles they are called")
    func constants() {
        let constants: [(Role, String)] = [
            (.alert, "alert"), (.application, "application"), (.checkMenuItem, "check-menu-item"),
            (.colorChooser, "color-chooser"), (.desktopFrame, "desktop-frame"), (.dialog, "dialog"),
            (.documentEmail, "document-email"), (.documentFrame, "document-frame"),
            (.documentPresentation, "document-presentation"), (.documentSpreadsheet, "document-spreadsheet"),
            (.documentText, "document-text"), (.documentWeb, "document-web"), (.entry, "entry"),
            (.fileChooser, "file-chooser"), (.fontChooser, "font-chooser"), (.frame, "frame"),
            (.inputMethodWindow, "input-method-window"), (.invalid, "invalid"), (.label, "label"), (.list, "list"),
            (.listBox, "list-box"), (.menu, "menu"), (.menuItem, "menu-item"), (.notification, "notification"),
            (.panel, "panel"), (.passwordText, "password-text"), (.popupMenu, "popup-menu"),
            (.pushButton, "push-button"), (.radioMenuItem, "radio-menu-item"), (.scrollPane, "scroll-pane"),
            (.table, "table"), (.tearoffMenuItem, "tearoff-menu-item"), (.terminal, "terminal"), (.text, "text"),
            (.tree, "tree"), (.treeTable, "tree-table"), (.unknown, "unknown"), (.viewport, "viewport"),
            (.window, "window"),
        ]
        for (role, name) in constants { #expect(role.name == name) }
    }

    @Test("windows, menus, scrollers and secrets are exactly these")
    func families() {
        let all = (UInt32(0)...140).map(Role.init(rawValue:))
        #expect(
            Set(all.filter(\.isWindow).map(\.name)) == [
                "frame", "window", "dialog", "alert", "file-chooser", "color-chooser", "font-chooser",
                "input-method-window",
            ])
        #expect(
            Set(all.filter(\.isMenu).map(\.name)) == [
                "menu", "menu-item", "popup-menu", "check-menu-item", "radio-menu-item", "tearoff-menu-item",
            ])
        #expect(
            Set(all.filter(\.scrollsItsContent).map(\.name)) == [
                "scroll-pane", "viewport", "list", "list-box", "tree", "tree-table", "table", "document-frame",
                "document-web", "document-text", "document-email", "document-spreadsheet", "document-presentation",
            ])
        #expect(Set(all.filter(\.isSecret).map(\.name)) == ["password-text", "terminal"])
    }
}
