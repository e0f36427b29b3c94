import EventLoop
import FocusProtocol
import FocusService
import Glibc

/// The daemon's program: reads its few options and runs the service on the event loop.
@main
struct Main {
    private static let help = """
        Usage: focusd [OPTION]...

        The accessibility focus service of this desktop: knows where the screen reader is, tells it to any program over
        a local socket, and moves it. One runs for each user; `focusctl` talks to it.

        Options:
          --technologies=NAMES  programs that are screen readers, with commas (default: orca,odilia)
          --verbose             also logs what is only for developers
          --help                shows this
          --version             shows the version

        The socket is $XDG_RUNTIME_DIR/focusd/io.focusd.Focus. The accessibility bus is looked for all the time: focusd
        may be started before it, and survives its restart.

        """

    static func main() {
        // A write to somebody who has gone is an error to handle, not an end.
        signal(SIGPIPE, SIG_IGN)
        var options = Daemon.Options()
        for argument in CommandLine.arguments.dropFirst() {
            if argument == "--help" {
                print(help, terminator: "")
                return
            } else if argument == "--version" {
                print("focusd \(focusdVersion)")
                return
            } else if argument == "--verbose" {
                options.log = Log(threshold: .debug)
            } else if argument.hasPrefix("--technologies=") {
                let names = argument.dropFirst("--technologies=".count).split(separator: ",").map(String.init)
                guard !names.isEmpty else {
                    fail("--technologies needs at least one name, like --technologies=orca", 2)
                }
                options.technologies = Set(names)
            } else {
                fail("\(argument) is not an option; `focusd --help` shows what there is", 2)
            }
        }
        let finalOptions = options
        nonisolated(unsafe) var daemon: Daemon?  // SAFETY: only touched on the loop's thread, which is this one.
        Loop.run {
            do throws(SocketFolder.Refusal) {
                let started = try Daemon(finalOptions)
                daemon = started
                started.start()
            } catch {
                fail(error.description, 1)
            }
        }
        _ = daemon
    }

    private static func fail(_ message: String, _ status: Int32) -> Never {
        var line = "focusd: \(message)\n"
        line.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
        exit(status)
    }
}
