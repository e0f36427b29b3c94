import CLinux

/// The process's memory.
package enum Memory {
    /// Gives what is free back to the system: after work that needed much more than what it left. Wraps `malloc_trim`.
    package static func giveBack() {
        focusd_give_memory_back()
    }

    /// Has large pieces go back to the system as soon as they are free, for the whole process. Wraps `mallopt`.
    package static func keepLittle() {
        focusd_keep_little_memory()
    }
}
