import Testing

/// Imports run downward only, and what may import what is written down.
struct ImportTests {
    @Test("every import is allowed by the table in ARCHITECTURE.md")
    func importsAreAllowed() throws {
        let table = ImportTable(markdown: try SourceTree.text("ARCHITECTURE.md"))
        for file in try SourceTree.swiftFiles() {
            let allowed = try #require(table[file.module], "\(file.module) is not in the table")
            for (index, line) in file.lines.enumerated() {
                guard let module = importedModule(line) else { continue }
                #expect(
                    allowed.contains(module),
                    "\(file.path):\(index + 1): \(file.module) may not import \(module); see ARCHITECTURE.md")
            }
        }
    }

    @Test("the table has exactly the modules that there are, each once")
    func tableIsComplete() throws {
        let table = ImportTable(markdown: try SourceTree.text("ARCHITECTURE.md"))
        #expect(table.rows.map(\.module).sorted() == Set(try SourceTree.swiftFiles().map(\.module)).sorted())
    }

    @Test("in the table no module reaches itself")
    func noCycles() throws {
        let table = ImportTable(markdown: try SourceTree.text("ARCHITECTURE.md"))
        func reaches(_ module: String, _ goal: String, _ seen: Set<String> = []) -> Bool {
            guard let next = table[module], !seen.contains(module) else { return false }
            return next.contains(goal) || next.contains { reaches($0, goal, seen.union([module])) }
        }
        for row in table.rows { #expect(!reaches(row.module, row.module), "\(row.module) reaches itself") }
    }

    @Test("the pure modules import no C, no Foundation and no loop")
    func pureModules() throws {
        let impure: Set = [
            "CGLib", "CDBus", "CATSPI", "CLinux", "Glibc", "Foundation", "EventLoop", "ATSPI", "Dispatch",
        ]
        for file in try SourceTree.swiftFiles()
        where ["AccessibilityTree", "Selectors", "Settings", "FocusRegistry", "Varlink", "FocusProtocol"].contains(
            file.module)
        {
            let modules = file.lines.compactMap(importedModule)
            #expect(impure.isDisjoint(with: modules), "\(file.path) imports \(modules)")
        }
    }

    @Test("full Foundation is imported nowhere")
    func noFoundation() throws {
        for file in try SourceTree.swiftFiles() {
            #expect(!file.lines.compactMap(importedModule).contains("Foundation"), "\(file.path)")
        }
    }

    @Test("only ATSPI sees the bus libraries, only the event loop sees GLib")
    func librariesHaveOneOwner() throws {
        let owners = ["CDBus": "ATSPI", "CATSPI": "nobody", "CGLib": "EventLoop"]
        for file in try SourceTree.swiftFiles() {
            for module in file.lines.compactMap(importedModule) {
                if let owner = owners[module] { #expect(file.module == owner, "\(file.path) imports \(module)") }
            }
        }
    }

    // MARK: - The readers themselves

    @Test(
        "an import is seen whatever stands around it",
        arguments: [
            ("import Glibc", "Glibc"), ("  import  Glibc", "Glibc"), ("\timport Glibc", "Glibc"),
            ("@testable import Varlink", "Varlink"), ("@preconcurrency private import CDBus", "CDBus"),
            ("@_exported import FocusProtocol", "FocusProtocol"), ("@_spi(Testing) public import Varlink", "Varlink"),
            ("import struct Foundation.Date", "Foundation"), ("import func Glibc.close", "Glibc"),
            ("package import Foundation.NSDate", "Foundation"), ("import Glibc;", "Glibc"),
            ("import Glibc // for close", "Glibc"),
        ])
    func importLines(line: String, module: String) {
        #expect(importedModule(line) == module)
    }

    @Test(
        "other lines import nothing",
        arguments: [
            "", "// import Glibc", "/// import Glibc", "let important = 1", "importGlibc", "import",
            "private let a = 1",
        ])
    func otherLines(line: String) {
        #expect(importedModule(line) == nil)
    }

    @Test("only the table below its heading is read")
    func tableReader() {
        let table = ImportTable(
            markdown: """
                | `Before` | `A` |

                ## What may import what

                Words.

                | module | may import |
                |---|---|
                | `Low` | nothing |
                | `High` | `Low`, `Glibc` |

                ## Next

                | `After` | `A` |
                """)
        #expect(
            table.rows == [
                .init(module: "Low", mayImport: []), .init(module: "High", mayImport: ["Low", "Glibc"]),
            ])
    }
}
