import FocusRegistry

extension FocusDesk {
    /// What the settings say of it, and what tests change.
    struct Configuration: Sendable {
        /// Programs whose ScreenReader signals count.
        var technologies: Set<String> = ["orca", "odilia"]
        /// When an element that was shown from memory is read again.
        var refreshMilliseconds: Int64 = 30
        /// Applications besides the focused ones that stay watched, so that coming back to them is fast.
        var maximumWatchedApplications = 4
        /// How long the keyboard stays followed after somebody asked for it once.
        var keyboardInterestMilliseconds: Int64 = 60_000
        /// How long the doctor tells of what went wrong once.
        var troubleMemory: Microseconds = 600_000_000
        /// How long questions wait at most for the first look round.
        var firstLookMilliseconds: Int64 = 500
        var desktop = Desktop.Configuration()
    }
}
