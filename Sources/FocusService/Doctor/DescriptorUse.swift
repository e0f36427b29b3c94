import FocusProtocol
import Glibc

/// How many file descriptors focusd has open, and how many it may have.
struct DescriptorUse {
    let count: Int
    let limit: Int

    /// Read from the system now. Where not even that can be opened, none is free.
    static var now: DescriptorUse {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else {
            return DescriptorUse(count: 0, limit: .max)
        }
        let limit = Int(clamping: limits.rlim_cur)
        guard let folder = opendir("/proc/self/fd") else {
            return DescriptorUse(count: errno == EMFILE || errno == ENFILE ? limit : 0, limit: limit)
        }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // The folder itself and its parent are listed, and the descriptor that it is read with.
        return DescriptorUse(count: max(0, count - 3), limit: limit)
    }

    var findings: [Finding] {
        guard count >= limit / 10 * 9 else { return [] }
        return [
            Finding(
                .limitDescriptors,
                "focusd has \(count) files and sockets open, of \(limit) that it may have: soon nobody else can connect.",
                whatToDo:
                    "`focusctl stats` lists the clients: end those that are not needed, or raise `LimitNOFILE` of "
                    + "focusd.service.")
        ]
    }
}
