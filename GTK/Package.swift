// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package of its own, so that nothing of focusd but this needs GTK's headers.
let package = Package(
    name: "AccessibilityFocusGTK",
    products: [
        .library(name: "AccessibilityFocusGTK", targets: ["AccessibilityFocusGTK"]),
        .library(name: "AccessibilityFocusGTK3", targets: ["AccessibilityFocusGTK3"]),
    ],
    dependencies: [.package(name: "focusd", path: "..")],
    targets: [
        .systemLibrary(name: "CGTK4", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .systemLibrary(name: "CGTK3", pkgConfig: "gtk+-3.0", providers: [.apt(["libgtk-3-dev"])]),
        .systemLibrary(name: "CMainLoop", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),

        .target(name: "GTKMainLoop", dependencies: ["CMainLoop"], swiftSettings: strict),
        .target(name: "WidgetSelectors", swiftSettings: strict),
        .target(
            name: "AccessibilityFocusGTK",
            dependencies: [
                "CGTK4", "GTKMainLoop", "WidgetSelectors", .product(name: "AccessibilityFocus", package: "focusd"),
            ],
            swiftSettings: strict),
        .target(
            name: "AccessibilityFocusGTK3",
            dependencies: ["CGTK3", "GTKMainLoop", .product(name: "AccessibilityFocus", package: "focusd")],
            swiftSettings: strict),

        // Windows that the tests of the root package look at from outside.
        .executableTarget(
            name: "widget-window",
            dependencies: [
                "CGTK4", "AccessibilityFocusGTK", .product(name: "AccessibilityFocus", package: "focusd"),
            ],
            path: "Tests/WidgetWindow", swiftSettings: strict),
        .executableTarget(
            name: "widget-window3",
            dependencies: [
                "CGTK3", "AccessibilityFocusGTK3", .product(name: "AccessibilityFocus", package: "focusd"),
            ],
            path: "Tests/WidgetWindow3", swiftSettings: strict),
        .testTarget(name: "WidgetSelectorsTests", dependencies: ["WidgetSelectors"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
