import Glibc

@main
struct Main {
    static func main() {
        // A reader that goes away is an error of `write`, not the end by a signal.
        signal(SIGPIPE, SIG_IGN)
        keepStandardDescriptorsTaken()
        exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Fills closed standard descriptors, so that the socket is never one of them and written to by mistake.
    private static func keepStandardDescriptorsTaken() {
        // Open for reading only: writing to it fails as it would on the closed one.
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
