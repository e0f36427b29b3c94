import Foundation

/// A session's runtime folder of its own, removed with everything in it when it is released.
final class RuntimeFolder: Sendable {
    let path: String

    /// Made in the shortest place there is: a socket's path has 107 bytes.
    init() throws {
        let url = URL(filePath: "/tmp").appending(path: "aft-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        path = url.path()
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("\(path) was not removed: \(error)") }
    }

    var serviceFolder: String { path + "/focusd" }
    var socket: String { serviceFolder + "/io.focusd.Focus" }

    /// Makes the folder that focusd makes for its socket.
    func makeServiceFolder() throws {
        guard !FileManager.default.fileExists(atPath: serviceFolder) else { return }
        try FileManager.default.createDirectory(
            atPath: serviceFolder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
}
