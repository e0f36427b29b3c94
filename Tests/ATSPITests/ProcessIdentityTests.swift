import ATSPI
import Testing

/// What a process says of itself in its command line.
struct ProcessIdentityTests {
    @Test func `a script is told from its interpreter, and by its own name`() {
        let orca = ProcessIdentity(commandLine: ["/usr/bin/python3", "-I", "/usr/local/bin/orca", "--replace"])
        #expect(orca?.name == "orca" && orca?.path == "/usr/local/bin/orca")
        #expect(ProcessIdentity(commandLine: ["/usr/bin/python3"])?.name == "python3")
        #expect(ProcessIdentity(commandLine: [""]) == nil)
    }

    @Test func `an Orca that took its path out of its command line has the version that is installed`() throws {
        let started = try #require(ProcessIdentity(commandLine: ["/usr/bin/python3", "/usr/bin/orca"])?.version)
        #expect(started.contains("."))
        #expect(ProcessIdentity(commandLine: ["orca"])?.version == started)
        #expect(ProcessIdentity(commandLine: ["/somewhere/else/orca"])?.version == nil)
        #expect(ProcessIdentity(commandLine: ["python3"])?.version == nil)
    }
}
