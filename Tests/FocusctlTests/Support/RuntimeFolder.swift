import Foundation
import Glibc

/// A session's runtime folder of its own for one test, with focusd's folder in it; removed at the end.
final class RuntimeFolder: Sendable {
    let path: String
    var focusdFolder: String { path + "/focusd" }
    var socket: String { focusdFolder + "/io.focusd.Focus" }

    init(withFocusdFolder: Bool = true) throws {
        var template = Array("/tmp/focusctl-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if withFocusdFolder, mkdir(focusdFolder, 0o700) != 0 { throw SystemFailure("mkdir") }
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(path): \(error)") }
    }
}

/// A system call that failed.
struct SystemFailure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}
