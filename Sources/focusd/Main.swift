import EventLoop
import FocusProtocol
import FocusService
import Glibc
import Settings

/// The daemon's program: reads its few options and runs the service on the event loop.
@main
struct Main {
    private static let help = """
        Usage: focusd [OPTION]...

        The accessibility focus service of this desktop: knows where the screen reader is, tells it to any program over
        a local socket, and moves it. One runs for each user; `focusctl` talks to it.

        Options:
          --config FILE         reads settings from this file, and not from the usual one
          --check-config        only says whether the file of settings is right
          --print-config        only shows every setting as it would hold
          --technologies=NAMES  programs that are screen readers, with commas (default: orca,odilia)
          --verbose             also logs what is only for developers
          --help                shows this
          --version             shows the version

        The socket is $XDG_RUNTIME_DIR/focusd/io.focusd.Focus. The accessibility bus is looked for all the time: focusd
        may be started before it, and survives its restart. Settings are read, where there are some, from
        $XDG_CONFIG_HOME/focusd/focusd.conf or ~/.config/focusd/focusd.conf.

        """

    static func main() {
        // A write to somebody who has gone is an error to handle, not an end.
        signal(SIGPIPE, SIG_IGN)
        let invocation = invocation()
        switch invocation.work {
        case .help: return print(help, terminator: "")
        case .version: return print("focusd \(focusdVersion)")
        case .serve: serve(settings(of: invocation), isVerbose: invocation.isVerbose)
        case .printConfiguration: print(settings(of: invocation).text, terminator: "")
        case .checkConfiguration:
            _ = settings(of: invocation)
            let file = ConfigurationFile(named: invocation.configuration)
            let path = file.path ?? "$XDG_CONFIG_HOME/focusd/focusd.conf"
            print(file.isThere ? "\(path) is right" : "\(path) is not there: everything is as usual")
        }
    }

    private static func invocation() -> Invocation {
        do throws(Invocation.Wrong) {
            return try Invocation(Array(CommandLine.arguments.dropFirst()))
        } catch {
            fail(error.message, 2)
        }
    }

    /// The settings of the file, with what the options say instead.
    private static func settings(of invocation: Invocation) -> Settings {
        do throws(ConfigurationFile.Wrong) {
            var settings = try ConfigurationFile(named: invocation.configuration).settings()
            if let technologies = invocation.technologies { settings.technologies = technologies }
            return settings
        } catch {
            fail(error.message, 2)
        }
    }

    private static func serve(_ settings: Settings, isVerbose: Bool) {
        var options = Daemon.Options()
        options.settings = settings
        if isVerbose { options.log = Log(threshold: .debug) }
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
        Log().error(message)
        exit(status)
    }
}
