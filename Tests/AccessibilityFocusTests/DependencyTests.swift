import Foundation
import Testing

/// An app depends on the library by its URL, on a machine without any header of GLib, D-Bus or AT-SPI.
@Suite(.serialized)
struct DependencyTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("an app that depends on the package by its URL builds without any C library", .timeLimit(.minutes(10)))
    func dependsByURL() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "dependency-\(UUID().uuidString)")
        defer { remove(folder) }
        let package = folder.appending(path: "focusd")
        try copyWorkingTree(to: package)
        for arguments in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "All"], ["tag", "1.0.0"]] {
            try git(arguments, in: package)
        }
        let app = folder.appending(path: "app")
        try write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "app",
                dependencies: [.package(url: "\(package.absoluteString)", exact: "1.0.0")],
                targets: [
                    .executableTarget(name: "app", dependencies: [.product(name: "AccessibilityFocus", package: "focusd")])
                ])
            """, to: app.appending(path: "Package.swift"))
        try write(
            """
            import AccessibilityFocus

            @main @MainActor struct App {
                @AccessibilityFocusState var isFocused: Bool
                static func main() {
                    let app = App()
                    Element("#a").accessibilityFocused(app.$isFocused)
                    print(app.isFocused)
                }
            }
            """, to: app.appending(path: "Sources/app/App.swift"))
        let empty = folder.appending(path: "empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        let environment = [
            "PKG_CONFIG_LIBDIR": empty.path(), "PKG_CONFIG_PATH": empty.path(), "XDG_RUNTIME_DIR": empty.path(),
        ]
        let built = try run(
            "swift", ["build", "--disable-sandbox", "--cache-path", folder.appending(path: "cache").path()], in: app,
            environment: environment)
        try #require(built.status == 0, "\(built.output)")
        let ran = try run("\(app.path())/.build/debug/app", [], environment: environment)
        #expect(ran.output == "false\n")
        let needed = try run("ldd", ["\(app.path())/.build/debug/app"]).output
        for library in ["glib", "dbus", "atspi", "libFoundation.so"] { #expect(!needed.contains(library), "\(needed)") }
    }

    // MARK: -

    /// The files as they are now, committed or not: what a reader of the commit would get.
    private func copyWorkingTree(to copy: URL) throws {
        let listed = try run(
            "git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], in: DependencyTests.root)
        try #require(listed.status == 0, "\(listed.output)")
        for path in listed.output.split(separator: "\0").map(String.init) {
            let source = DependencyTests.root.appending(path: path)
            guard FileManager.default.fileExists(atPath: source.path()) else { continue }
            let target = copy.appending(path: path)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: source, to: target)
        }
    }

    private func git(_ arguments: [String], in folder: URL) throws {
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
        let result = try run("git", identity + arguments, in: folder)
        try #require(result.status == 0, "\(result.output)")
    }

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
