import FocusProtocol

/// What an answer may lack, in words.
enum StaleWords {
    /// A sentence about an application of which the answer may not tell the truth of this moment.
    static func sentence(_ stale: StaleApplication) -> String {
        let name = stale.name.isEmpty ? stale.busName : "\(stale.name) (\(stale.busName))"
        let what =
            switch stale.reason {
            case "notResponding": "does not respond; what is told of it may be missing or out of date"
            case "loading": "is still being read; more may follow"
            case "limitReached": "has more than focusd keeps; some of it is missing"
            default: "may not be told of truly: \(stale.reason)"
            }
        return SafeText.escaped("\(name) \(what)")
    }

    /// Says on standard error what an answer may lack, each application once.
    static func tell(_ stale: [StaleApplication]) {
        var told: Set<String> = []
        for application in stale where told.insert(application.busName).inserted {
            note(sentence(application))
        }
    }

    /// Says something on standard error that is no failure.
    static func note(_ sentence: String) { Output.complain("focusctl: note: " + sentence) }
}
