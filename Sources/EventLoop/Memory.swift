import CLinux

/// The process's memory.
package enum Memory {
    /// Gives what is free back to the system: after work that needed much more than what it left. Wraps `malloc_trim`.
    package static func giveBack() {
        focusd_give_memory_back()
    }
}
