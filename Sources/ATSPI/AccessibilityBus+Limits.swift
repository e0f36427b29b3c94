extension AccessibilityBus {
    /// How often and how long a bus and its registry are looked for.
    package struct Limits: Sendable {
        /// How long a bus may take for its first word until it counts as silent.
        package var greetingMilliseconds: Int64 = 1_000
        package var firstRetryMilliseconds: Int64 = 100
        /// A sign that a bus is there comes a moment before it listens.
        package var signMilliseconds: Int64 = 20
        /// The same for further signs within a while.
        package var laterSignMilliseconds: Int64 = 500
        package var signsApartMilliseconds: Int64 = 10_000
        /// Where nothing tells of a bus that comes: short enough that everything is right within 2 s of its return.
        package var longestBlindRetryMilliseconds: Int64 = 1_500
        /// Where its coming is told: nobody waits for this, and an idle focusd hardly wakes up.
        package var longestRetryMilliseconds: Int64 = 600_000
        /// When a registry that went is asked for again: doubled where it goes again soon.
        package var firstRegistryMilliseconds: Int64 = 100
        package var longestRegistryMilliseconds: Int64 = 10_000
        package var connection = BusConnection.Limits()
        package init() {}
    }
}
