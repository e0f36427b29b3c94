import Foundation
import TestDesktop

/// Programs of the packages that need GTK's headers, built when a test first needs them.
enum GTKPrograms {
    /// Where everything is required the tests run, and fail by themselves where the headers are missing.
    static let canBeBuilt =
        ProcessInfo.processInfo.environment["FOCUSD_REQUIRE_ALL"] == "1"
        || ["/usr/include/gtk-4.0/gtk/gtk.h", "/usr/include/gtk-3.0/gtk/gtk.h"]
            .allSatisfy(FileManager.default.fileExists(atPath:))

    /// The example with a notification.
    static func example() throws -> String { try builtExample.get() }

    /// A window of the tests of the package in `GTK/`.
    static func window(_ name: String) throws -> String {
        switch name {
        case "widget-window": try builtWindow.get()
        default: try builtWindow3.get()
        }
    }

    private static let builtExample = Result { try build("Examples/CustomNotification", "CustomNotification") }
    private static let builtWindow = Result { try build("GTK", "widget-window") }
    private static let builtWindow3 = Result { try build("GTK", "widget-window3") }

    /// Builds a product and answers where it is. A first build takes minutes, a later one seconds.
    private static func build(_ package: String, _ product: String) throws -> String {
        let tool = try ChildProcess(
            Places.script("build-with-gtk"), [package, product], environment: ProcessInfo.processInfo.environment)
        let status = try tool.wait(within: 1_800)
        let lines = try tool.output.untilEnd(within: 20)
        guard status == 0, let program = lines.last else {
            throw Missing(what: "\(product) was not built", seen: tool.errors.all)
        }
        return program
    }
}
