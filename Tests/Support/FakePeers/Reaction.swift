/// What a fake application does with a call instead of, or around, telling the truth.
package struct Reaction: Sendable {
    enum Answer: Sendable {
        case truth
        case values([DBusValue])
        case error(name: String, text: String)
        case bytes([UInt8])
        case silence
        case disconnection
    }

    var answer: Answer
    var delay = Duration.zero
    var gate: Gate?
    var isDecidedOnArrival = false
    var first: [@Sendable (FakeApplication) throws -> Void] = []
    var afterwards: [@Sendable (FakeApplication) throws -> Void] = []

    /// The truth, as the tree has it.
    package static let truth = Reaction(answer: .truth)
    /// No answer, ever.
    package static let never = Reaction(answer: .silence)
    /// The application leaves the bus instead of answering.
    package static let disconnect = Reaction(answer: .disconnection)
    /// As if there were nothing at the path.
    package static let unknownObject = error("org.freedesktop.DBus.Error.UnknownObject", "no such object")
    /// As if the method did not exist.
    package static let unknownMethod = error("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
    /// As GTK4 answers what it does not do.
    package static let notSupported = error("org.freedesktop.DBus.Error.NotSupported", "not supported")

    /// These values, of any type. For a property the variant around them is made.
    package static func values(_ values: DBusValue...) -> Reaction { Reaction(answer: .values(values)) }

    /// A D-Bus error.
    package static func error(_ name: String, _ text: String = "") -> Reaction {
        Reaction(answer: .error(name: name, text: text))
    }

    /// A string of these bytes, whether they are text or not. Who sends what is not UTF-8 is thrown off the bus.
    package static func bytes(_ bytes: [UInt8]) -> Reaction { Reaction(answer: .bytes(bytes)) }

    /// The same, but only after a while. Other calls are answered meanwhile.
    package func delayed(by delay: Duration) -> Reaction {
        var copy = self
        copy.delay = delay
        return copy
    }

    /// The same, but only when the gate opens. Other calls are answered meanwhile.
    package func held(by gate: Gate) -> Reaction {
        var copy = self
        copy.gate = gate
        return copy
    }

    /// The truth of the moment when the call came in, however late it is told: old news for whoever gets it.
    package func decidedOnArrival() -> Reaction {
        var copy = self
        copy.isDecidedOnArrival = true
        return copy
    }

    /// The same, and before the answer this is done, as when an application emits events while it serves a call.
    package func first(_ effect: @escaping @Sendable (FakeApplication) throws -> Void) -> Reaction {
        var copy = self
        copy.first.append(effect)
        return copy
    }

    /// The same, and after the answer this is done.
    package func then(_ effect: @escaping @Sendable (FakeApplication) throws -> Void) -> Reaction {
        var copy = self
        copy.afterwards.append(effect)
        return copy
    }
}
