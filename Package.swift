// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of the house; what each may import is the table in ARCHITECTURE.md, checked by ArchitectureTests.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []
) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "focusd",
    products: [
        .executable(name: "focusd", targets: ["focusd"]),
        .executable(name: "focusctl", targets: ["focusctl"]),
        .library(name: "AccessibilityFocus", targets: ["AccessibilityFocus"]),
    ],
    targets: [
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CATSPI", pkgConfig: "atspi-2", providers: [.apt(["libatspi2.0-dev"])]),
        .target(name: "CLinux"),

        module("AccessibilityTree"),
        module("Selectors", ["AccessibilityTree"]),
        module("Settings"),
        module("FocusRegistry", ["AccessibilityTree"]),
        module("Varlink"),
        module("FocusProtocol", exclude: ["io.focusd.Focus.varlink"]),
        module("EventLoop", ["CGLib", "CLinux"]),
        module("ATSPI", ["AccessibilityTree", "EventLoop", "CDBus", "CGLib", "CLinux"]),
        module(
            "FocusService",
            [
                "AccessibilityTree", "Selectors", "FocusRegistry", "Varlink", "FocusProtocol", "EventLoop", "ATSPI",
                "Settings",
            ]),
        module("AccessibilityFocus", ["FocusProtocol", "Varlink"]),
        .executableTarget(
            name: "focusd", dependencies: ["FocusService", "EventLoop", "Settings"], swiftSettings: strict),
        .executableTarget(
            name: "focusctl", dependencies: ["AccessibilityFocus", "FocusProtocol", "Varlink", "CLinux"],
            swiftSettings: strict),

        // Optimized in every build: a fake application must be faster than what is tested with it.
        .target(
            name: "FakePeers", dependencies: ["CDBus"], path: "Tests/Support/FakePeers",
            swiftSettings: strict + [.unsafeFlags(["-O"])]),
        .target(
            name: "TestDesktop", dependencies: ["CLinux", "AccessibilityFocus", "FocusProtocol"],
            path: "Tests/Support/TestDesktop", swiftSettings: strict),
        .executableTarget(
            name: "fake-screen-reader", dependencies: ["FakePeers"], path: "Tests/Support/fake-screen-reader",
            swiftSettings: strict),

        tests("AccessibilityTreeTests", ["AccessibilityTree"]),
        tests("SelectorsTests", ["Selectors", "AccessibilityTree"]),
        tests("SettingsTests", ["Settings"]),
        tests("FocusRegistryTests", ["FocusRegistry", "AccessibilityTree"]),
        tests("VarlinkTests", ["Varlink"]),
        tests("FocusProtocolTests", ["FocusProtocol", "Varlink"], exclude: ["wire"]),
        tests("EventLoopTests", ["EventLoop", "CLinux"]),
        tests(
            "ATSPITests", ["ATSPI", "EventLoop", "AccessibilityTree", "FakePeers", "CDBus", "CATSPI"]),
        tests("FakePeersTests", ["FakePeers"]),
        tests("AccessibilityFocusTests", ["AccessibilityFocus", "FocusProtocol", "Varlink"]),
        tests(
            "FocusServiceTests",
            [
                "FakePeers", "TestDesktop", "FocusProtocol", "AccessibilityFocus", "Varlink", "FocusService",
                "FocusRegistry", "AccessibilityTree", "EventLoop",
            ]),
        tests("LimitsTests", ["FocusService", "FocusProtocol", "EventLoop", "Varlink"]),
        tests("FocusctlTests", ["FocusProtocol", "TestDesktop"]),
        tests(
            "SocketTests", ["TestDesktop", "FakePeers", "FocusProtocol", "AccessibilityFocus", "Varlink"],
            exclude: ["foreign_client.py", "greedy_client.py"]),
        tests("ArchitectureTests", []),
        tests("PackagingTests", ["TestDesktop"], path: "Tests/Packaging", exclude: ["roots", "offered-by-zsh"]),
        tests("DocumentationTests", ["TestDesktop", "Selectors"]),
        tests(
            "EndToEndTests", ["TestDesktop", "FocusProtocol", "AccessibilityFocus", "FakePeers"], path: "Tests/EndToEnd"
        ),
    ],
    swiftLanguageModes: [.v6]
)
