import FocusProtocol
import FoundationEssentials
import Testing

@Suite struct InterfaceTextTests {
    @Test func theTextInTheCodeIsTheInterfaceFileByteForByte() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let file = tests.appending(path: "../../Sources/FocusProtocol/io.focusd.Focus.varlink").standardized
        #expect(try Data(contentsOf: file) == Data(FocusInterface.text.utf8))
    }
}
