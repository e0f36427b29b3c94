import Foundation
import Testing

/// What must compile in an app, and what must not.
@Suite(.serialized)
struct CompileTests {
    /// What the compiler says of an app's source; empty where it compiles.
    static func diagnostics(_ source: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "compile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { remove(folder) }
        let file = folder.appending(path: "App.swift")
        try Data(("import AccessibilityFocus\n" + source).utf8).write(to: file)
        let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
        try #require(
            FileManager.default.fileExists(atPath: modules.appending(path: "AccessibilityFocus.swiftmodule").path()),
            "the module as it was built is not beside the tests")
        let result = try run(
            "swiftc",
            [
                "-typecheck", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors",
                "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature", "ExistentialAny",
                "-I", modules.path(), file.path(),
            ])
        #expect((result.status == 0) == result.output.isEmpty, "\(result.output)")
        return result.output
    }

    @Test("a state of an Int does not compile, and the message says what it may be")
    func noInt() throws {
        let said = try CompileTests.diagnostics("struct App { @AccessibilityFocusState var x: Int }")
        #expect(said.contains("error:"))
        #expect(said.contains("'Int' and 'Bool'"), "\(said)")
    }

    @Test(
        "a state that is neither a Boolean nor an Optional does not compile",
        arguments: ["Int", "String", "[Int]", "Field"])
    func noOthers(type: String) throws {
        let said = try CompileTests.diagnostics(
            """
            enum Field: Hashable { case name }
            struct App { @AccessibilityFocusState var x: \(type) }
            """)
        #expect(said.contains("error:"))
    }

    @Test("what the documentation shows compiles: all four initialisers, in all places, with all that can be done")
    func compiles() throws {
        let said = try CompileTests.diagnostics(
            """
            enum Field: Hashable { case name, mail }

            @MainActor final class View {
                @AccessibilityFocusState var isFocused: Bool
                @AccessibilityFocusState(for: .orca) var isRead: Bool
                @AccessibilityFocusState var field: Field?
                @AccessibilityFocusState(for: [.orca, .keyboard, AccessibilityTechnologies("odilia")]) var number: Int?

                init(label: Element) {
                    label.accessibilityFocused($isFocused)
                    Element("#mail").accessibilityFocused($field, equals: .mail)
                    let attachment = Element("#name") { .declined(reason: "no") }.accessibilityFocused($field, equals: .name)
                    attachment.cancel()
                    isFocused = true
                    field = nil
                }

                func follow() async throws(FocusClientError) {
                    let outcome = try await $field.set(.mail, again: true, routes: [.grabFocus], timeout: .seconds(1))
                    if outcome.isConfirmed, outcome.element?.role == "label" { print(outcome.result) }
                    for await change in $field.changes where change.value == .mail { print(change.cause, change.revision) }
                    $isFocused.onChange(on: { work in Task { @MainActor in work() } }) { print($0.value, $0.previous) }
                }
            }

            struct Row: Sendable {
                @AccessibilityFocusState var isFocused: Bool
                func raise() { isFocused = true }
            }

            @MainActor enum Shared { @AccessibilityFocusState static var isFocused: Bool }
            let shared = AccessibilityFocusState<Bool>()
            func raise() { shared.wrappedValue = true }

            func local() async {
                @AccessibilityFocusState var isFocused: Bool
                isFocused = true
                let binding = $isFocused
                await Task.detached { binding.wrappedValue = false }.value
            }

            struct Child {
                @AccessibilityFocusState<Field?>.Binding var field: Field?
            }

            func calls(_ client: FocusClient) async throws(FocusClientError) {
                let focus = try await client.focus()
                print(focus.element?.name ?? "", focus.element?.window?.name ?? "", focus.assumed)
                for try await focus in client.focusChanges(updates: true) { print(focus.cause) }
                for element in try await client.find("label").elements { print(element.application.name) }
                let states = try await client.states()
                print(states.map(\\.state))
            }

            struct Application {}
            struct Window {}
            let app = Application()
            let window = Window()
            """)
        #expect(said == "")
    }

    @Test("an outcome that is not looked at is a warning")
    func unusedOutcome() throws {
        let said = try CompileTests.diagnostics(
            """
            func set(_ binding: AccessibilityFocusState<Bool>.Binding) async throws { try await binding.set(true) }
            """)
        #expect(said.contains("unused"), "\(said)")
    }
}
