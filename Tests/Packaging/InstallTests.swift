import Foundation
import TestDesktop
import Testing

/// `make install` and `make uninstall`, into a folder of the test's own.
@Suite(.enabled(if: Tools.areHere, "needs help2man and lowdown: run `scripts/install-packages test`"))
struct InstallTests {
    private static let usual = [
        "usr/bin/focusctl", "usr/bin/focusd", "usr/lib/systemd/user/focusd.service",
        "usr/lib/systemd/user/focusd.socket", "usr/share/bash-completion/completions/focusctl",
        "usr/share/doc/focusd/CHANGELOG.md", "usr/share/doc/focusd/LICENSE", "usr/share/doc/focusd/README.md",
        "usr/share/doc/focusd/SECURITY.md", "usr/share/doc/focusd/docs/protocol.md",
        "usr/share/doc/focusd/docs/decisions/0006-mirror.md", "usr/share/fish/vendor_completions.d/focusctl.fish",
        "usr/share/man/man1/focusctl.1", "usr/share/man/man1/focusd.1", "usr/share/man/man5/focusd.conf.5",
        "usr/share/man/man7/io.focusd.Focus.7", "usr/share/varlink/interfaces/io.focusd.Focus.varlink",
        "usr/share/zsh/site-functions/_focusctl",
    ]

    @Test("install puts every file where its readers look, and uninstall removes exactly that")
    func installAndUninstall() throws {
        let root = try Folder()
        // What is there before, also in the same folders, is nobody's to remove.
        let others = ["usr/share/man/man7", "usr/lib/systemd/user/focusd.service.d", "usr/share/varlink/interfaces"]
        for folder in others {
            try FileManager.default.createDirectory(
                atPath: "\(root.path)/\(folder)", withIntermediateDirectories: true)
        }
        let strangers = [
            "usr/share/man/man7/other.7", "usr/lib/systemd/user/focusd.service.d/mine.conf",
            "usr/share/varlink/interfaces/org.example.varlink",
        ]
        for file in strangers { #expect(FileManager.default.createFile(atPath: "\(root.path)/\(file)", contents: nil)) }
        let before = try files(in: root)

        let install = try make("install", root, ["prefix": "/usr", "BACK_OFF": "yes"])
        #expect(install.status == 0, "\(install.errors)")
        let installed = Set(try files(in: root))
        #expect(installed.isSuperset(of: Self.usual), "\(Set(Self.usual).subtracting(installed))")
        #expect(installed.contains("usr/lib/systemd/user/focusd.service.d/back-off.conf"))
        #expect(!installed.contains { $0.contains("docc") })

        let uninstall = try make("uninstall", root, ["prefix": "/usr"])
        #expect(uninstall.status == 0, "\(uninstall.errors)")
        #expect(try files(in: root) == before)
        #expect(!FileManager.default.fileExists(atPath: root.path + "/usr/share/doc/focusd"))
    }

    @Test("modes are right, and the unit names the program where it is")
    func modes() throws {
        let root = try Folder()
        let install = try make("install", root, ["prefix": "/opt/focus"])
        #expect(install.status == 0, "\(install.errors)")
        for (file, mode) in [("bin/focusd", 0o755), ("bin/focusctl", 0o755), ("lib/systemd/user/focusd.socket", 0o644)]
        {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(root.path)/opt/focus/\(file)")
            #expect(attributes[.posixPermissions] as? Int == mode, "\(file)")
        }
        let unit = try String(
            contentsOfFile: root.path + "/opt/focus/lib/systemd/user/focusd.service", encoding: .utf8)
        #expect(unit.contains("\nExecStart=/opt/focus/bin/focusd\n"))
    }

    @Test("what only newer versions of systemd understand is installed only where they are")
    func backOff() throws {
        let folder = try Folder()
        for (version, isThere) in [("252", false), ("254", true), ("257.13", true)] {
            let systemctl = folder.path + "/systemctl"
            try "#!/bin/sh\necho 'systemd \(version) (\(version)-1)'\n".write(
                toFile: systemctl, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: systemctl)
            let root = try Folder()
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            #expect(try make("install", root, ["prefix": "/usr", "PATH": "\(folder.path):\(path)"]).status == 0)
            let file = root.path + "/usr/lib/systemd/user/focusd.service.d/back-off.conf"
            #expect(FileManager.default.fileExists(atPath: file) == isThere, "\(version)")
        }
    }

    @Test("without a build nothing is installed, and it says what to do")
    func nothingBuilt() throws {
        let root = try Folder()
        let run = try make("install", root, ["BUILD": root.path + "/nowhere"])
        #expect(run.status != 0)
        #expect(run.errors.contains("run 'make build' first"))
        #expect(try root.contents() == [])
    }

    @Test("the package has the version of the programs")
    func version() throws {
        // What the script takes out of Version.swift is what the programs say.
        let script = try String(contentsOfFile: Places.package + "/scripts/build-deb", encoding: .utf8)
        let line = try #require(script.split(separator: "\n").first { $0.hasPrefix("version=") })
        let run = try Run("bash", ["-c", "\(line); echo \"focusd $version\""])
        #expect(run.output == (try Run(Places.products + "/focusd", ["--version"]).output))
    }

    // MARK: -

    private func make(_ target: String, _ root: Folder, _ variables: [String: String]) throws -> Run {
        var environment = [
            "DESTDIR": root.path, "BUILD": try Places.products, "MANUAL": try Manual.folder(),
        ]
        environment.merge(variables) { $1 }
        return try Run("make", ["--no-print-directory", target], environment: environment)
    }

    private func files(in root: Folder) throws -> [String] {
        try root.contents().filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root.path)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}
