// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "CustomNotification",
    dependencies: [
        .package(name: "focusd", path: "../.."),
        .package(name: "AccessibilityFocusGTK", path: "../../GTK"),
    ],
    targets: [
        .executableTarget(
            name: "CustomNotification",
            dependencies: [
                .product(name: "AccessibilityFocus", package: "focusd"),
                .product(name: "AccessibilityFocusGTK", package: "AccessibilityFocusGTK"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
