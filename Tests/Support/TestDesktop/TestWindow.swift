import Foundation

/// A real window whose parts have the same names in every toolkit.
public final class TestWindow: @unchecked Sendable {
    // SAFETY: nothing changes after `init`.
    public let process: ChildProcess
    /// The name by which its application is listed.
    public let application: String
    private let desktop: PrivateDesktop

    public enum Toolkit: String, CaseIterable, Sendable {
        case gtk3, gtk4, qt5, qt6, firefox

        /// Those in which every part can be hidden, focused and renamed alike.
        public static let gtk: [Toolkit] = [.gtk3, .gtk4]
    }

    /// Starts it and waits until it is the active window.
    ///
    /// Windows that change take the commands that change a tree; those with a scene have a menu and a dialog. One that
    /// is silent has no accessibility at all.
    public init(
        _ toolkit: Toolkit, title: String = "Window", changes: Bool = false, hasScene: Bool = false,
        isSilent: Bool = false, on desktop: PrivateDesktop
    ) throws {
        self.desktop = desktop
        let (program, arguments): (String, [String])
        switch toolkit {
        case .gtk3, .gtk4:
            (program, arguments) = (
                "\(toolkit.rawValue)-window", [title] + (changes ? ["tree"] : []) + (hasScene ? ["scene"] : [])
            )
            application = program
        case .qt5, .qt6:
            (program, arguments) = ("qt-window", [toolkit == .qt5 ? "5" : "6", title])
            application = "\(toolkit.rawValue)-window"
        case .firefox:
            (program, arguments) = ("firefox-window", [title])
            application = "Firefox"
        }
        var environment = desktop.environment
        if isSilent {
            environment["NO_AT_BRIDGE"] = "1"
            environment["GTK_A11Y"] = "none"
        }
        process = try ChildProcess(Places.window(program), arguments, environment: environment)
        try process.output.line("READY", within: toolkit == .firefox ? 120 : 40)
    }

    /// Gives a command, like `hide First`, and waits until it is done.
    public func tell(_ command: String) throws {
        try process.send(command)
        try process.output.line("ok \(command)")
    }

    public func reference(of name: String) throws -> String {
        try desktop.reference(of: name, in: application)
    }
}
