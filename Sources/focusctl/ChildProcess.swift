import Glibc

/// Programs that focusctl starts.
enum ChildProcess {
    /// Why one could not be started: an `errno`.
    struct StartFailure: Error {
        let code: Int32
    }

    /// Starts a program that reads this descriptor as its standard input; it is found as a shell would find it.
    ///
    /// Where others are given, they are its standard output and standard error; else those are ours. Its signals are blocked as the mask says, which is as ours where there is none. In a group of its own it can be ended
    /// with all that it started.
    static func start(
        _ words: [String], input: Int32, output: Int32? = nil, errors: Int32? = nil, mask: sigset_t? = nil,
        ownGroup: Bool = false
    ) -> Result<pid_t, StartFailure> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        if input != STDIN_FILENO { posix_spawn_file_actions_addclose(&actions, input) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var flags = POSIX_SPAWN_SETSIGDEF
        // focusctl ignores this one; a pipeline in the command should not.
        var usual = sigset_t()
        sigemptyset(&usual)
        sigaddset(&usual, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        if var mask {
            posix_spawnattr_setsigmask(&attributes, &mask)
            flags |= POSIX_SPAWN_SETSIGMASK
        }
        if ownGroup {
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
        return code == 0 ? .success(process) : .failure(StartFailure(code: code))
    }
}
