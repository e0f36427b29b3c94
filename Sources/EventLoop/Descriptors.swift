import Glibc

/// The descriptors that this process may have.
package enum Descriptors {
    /// Whether one more can be opened now, with so many left after it.
    package static func isOneFree(besides reserve: Int = 0) -> Bool {
        let one = fcntl(0, F_DUPFD_CLOEXEC, 0)
        // Without standard input there is nothing to try with; whoever needs one will see.
        guard one >= 0 else { return errno == EBADF }
        close(one)
        guard reserve > 0 else { return true }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        // The kernel gives the lowest number that is free.
        return rlim_t(one) + rlim_t(reserve) < limit.rlim_cur
    }
}
