/// The identity of an accessible: its application's connection and its object path, always both.
///
/// Valid: `:1.5` with `/org/a11y/atspi/accessible/17`. Not valid: an empty or well-known bus name, `/org/a11y/atspi/null`.
/// Paths are opaque: GTK 4 writes `/org/gtk/application/…/a11y/…`, and two applications may use the same ones.
package struct ObjectReference: Hashable, Sendable, CustomStringConvertible {
    package let busName: String
    package let path: String

    /// Takes both parts from a place that already checked them, as libdbus does.
    package init(busName: String, path: String) {
        self.busName = busName
        self.path = path
    }

    /// Parses a reference as people write it: the bus name directly followed by the path.
    ///
    /// Nil for anything that is not a unique bus name (`:` and digits, letters, `_`, `-` with dots) and a D-Bus path.
    package init?(_ text: String) {
        guard text.utf8.count <= 4096, let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let name = text[..<slash]
        let path = text[slash...]
        guard ObjectReference.isUniqueName(name.utf8), ObjectReference.isPath(path.utf8) else { return nil }
        busName = String(name)
        self.path = String(path)
        if isNull { return nil }
    }

    /// AT-SPI's way to say "nothing": no bus name, or the null path, whatever the bus name beside it.
    package var isNull: Bool {
        busName.isEmpty || path == "/org/a11y/atspi/null" || path == "/" || path.isEmpty
    }

    package var description: String { busName + path }

    private static func isUniqueName(_ name: Substring.UTF8View) -> Bool {
        guard name.first == UInt8(ascii: ":"), name.count >= 2, name.count <= 255 else { return false }
        var previous = UInt8(ascii: ".")
        for byte in name.dropFirst() {
            guard isWordByte(byte) || byte == UInt8(ascii: "-") || (byte == UInt8(ascii: ".") && previous != byte)
            else { return false }
            previous = byte
        }
        return previous != UInt8(ascii: ".")
    }

    private static func isPath(_ path: Substring.UTF8View) -> Bool {
        guard path.first == UInt8(ascii: "/"), path.count >= 2 else { return false }
        var previous: UInt8 = 0
        for byte in path {
            guard isWordByte(byte) || (byte == UInt8(ascii: "/") && previous != byte) else { return false }
            previous = byte
        }
        return previous != UInt8(ascii: "/")
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
