/// What a script learns from focusctl's end.
enum ExitCode: Int32 {
    case done = 0
    case notFoundOrRefused = 1
    case usage = 2
    case timedOut = 3
    case noService = 4
}
