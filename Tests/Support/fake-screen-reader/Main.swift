import FakePeers
import Foundation

/// A screen reader for tests: takes the address of the bus, then a command a line, and answers each with a line.
@main struct Main {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        let address =
            words.first { !$0.hasPrefix("--") } ?? ProcessInfo.processInfo.environment["AT_SPI_BUS_ADDRESS"] ?? ""
        do {
            let reader = try FakeScreenReader(
                bus: address, behaviour: words.contains("--deaf") ? .deaf : .init(),
                registers: words.contains("--register"))
            say("READY \(reader.busName)")
            while let line = readLine(), line != "quit" { say(reader.carryOut(line)) }
            say("ok quit")
            reader.disconnect()
        } catch {
            say("error \(error)")
            exit(1)
        }
    }

    /// At once, also where the output is no terminal.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
