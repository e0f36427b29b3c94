import AccessibilityTree

/// The names that people write for roles. What is matched is the number.
enum RoleNames {
    /// The role of a name: AT-SPI's of any version, with `-`, `_`, spaces or nothing between the words; `role-250` or a
    /// number for one without a name; and the words that the web has for the same.
    static func role(_ name: String) -> Role? {
        if let number = number(name) { return Role(rawValue: number) }
        return byName[key(name)]
    }

    /// Upper and lower case and what stands between words make no difference.
    static func key(_ name: String) -> String {
        String(name.lowercased().unicodeScalars.filter { $0 != "-" && $0 != " " && $0 != "_" })
    }

    private static func number(_ name: String) -> UInt32? {
        let digits = name.lowercased().hasPrefix("role-") ? name.dropFirst(5) : name[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return UInt32(digits)
    }

    private static let byName: [String: Role] = {
        var names: [String: Role] = [:]
        var role = Role(rawValue: 0)
        while !role.name.hasPrefix("role-") {
            names[key(role.name)] = role
            role = Role(rawValue: role.rawValue + 1)
        }
        for (name, of) in others {
            if let role = names[key(of)] { names[key(name)] = role }
        }
        return names
    }()

    /// What versions of at-spi2-core, ATK, the web and people call them beside their stable name.
    private static let others = [
        // at-spi2-core 2.53 renamed these.
        ("button", "push-button"), ("button-menu", "push-button-menu"), ("menu-button", "push-button-menu"),
        ("edit-bar", "editbar"), ("auto-complete", "autocomplete"), ("tear-off-menu-item", "tearoff-menu-item"),
        // ARIA's words.
        ("textbox", "entry"), ("text-box", "entry"), ("radio", "radio-button"), ("tab", "page-tab"),
        ("tab-list", "page-tab-list"), ("cell", "table-cell"), ("grid-cell", "table-cell"), ("row", "table-row"),
        ("img", "image"), ("group", "grouping"), ("option", "list-item"), ("status", "status-bar"),
        ("menu-item-checkbox", "check-menu-item"), ("menu-item-radio", "radio-menu-item"), ("tree-grid", "tree-table"),
        ("blockquote", "block-quote"), ("password", "password-text"),
    ]
}
