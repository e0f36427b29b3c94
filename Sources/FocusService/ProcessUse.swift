import Glibc

/// What this process takes of the system now; read only when somebody asks.
struct ProcessUse {
    /// Memory that is this process's alone, and of that what was written to; in bytes.
    private(set) var privateBytes = 0
    private(set) var residentBytes = 0
    /// Descriptors that are open.
    private(set) var descriptors = 0

    /// Numbers that the system does not tell are 0.
    init() {
        for line in ProcessUse.lines(of: "/proc/self/smaps_rollup") {
            let words = line.split(separator: " ")
            guard words.count >= 2, let kibibytes = Int(words[1]) else { continue }
            switch words[0] {
            case "Private_Clean:", "Private_Dirty:": privateBytes += kibibytes << 10
            case "Rss:": residentBytes = kibibytes << 10
            default: break
            }
        }
        descriptors = DescriptorUse.now.count
    }

    private static func lines(of path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                bytes.append(contentsOf: buffer[..<count])
            }
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0 }
    }
}
