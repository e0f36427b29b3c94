import FocusProtocol

/// What a client's coming to a limit means, and what helps against it: not the same for each.
enum LimitWords {
    /// A beginning of a sentence that goes on "for the limit …".
    static func whatHappened(_ name: String) -> String {
        switch FindingCode(limit: name) {
        case .limitClientsPerProcess: "A client was not let in"
        case .limitMessageBytes, .limitQueuedBytesPerClient: "The connection of a client was closed"
        case .limitReceivedBytesPerProcess, .limitReceivedBytes: "A client was not read for a time"
        case .limitQueuedBytesPerProcess, .limitQueuedBytes: "A stream was ended, or a long answer not given,"
        case .limitAnswerBytes: "A client was given a part of an answer"
        default: "What a client asked for was refused"
        }
    }

    static func whatToDo(_ name: String) -> String {
        switch FindingCode(limit: name) {
        case .limitPrototypesPerState: "Have that program bind several states, with fewer values each."
        case .limitModesPerState: "Have that program name fewer modes, or none for the usual ones."
        case .limitViewsPerProcess: "Have that program name the same technologies and modes in its binds, or none."
        case .limitMessageBytes, .limitAnnouncementBytes, .limitReceivedBytesPerProcess:
            "Have that program send less at a time."
        case .limitAnswerBytes: "Have that program ask for less at a time, or look at `complete` in what it gets."
        case .limitQueuedBytesPerClient, .limitQueuedBytesPerProcess:
            "Have that program read all the time what it asked for."
        case .limitAnnouncementsPerSecond, .limitAnnouncementsPerSecondOfAll:
            "Have programs announce less, and wait a second before they try again."
        case .limitCallsPerProcess, .limitMovesPerProcess, .limitSearchesPerProcess, .limitPendingSetsPerProcess:
            "Have that program wait for answers before it asks for more, or do it in several processes."
        case .limitOther: "Have that program do with less."
        default:
            isOfOneProcess(name)
                ? "Have that program do with less, or in several processes: the limit is there so that no client takes "
                    + "from others."
                : "`focusctl stats` lists the clients and what each of them holds: end those that are not needed."
        }
    }

    private static func isOfOneProcess(_ name: String) -> Bool {
        SharedResource.allCases.contains { $0.names.ofProcess == name }
    }
}
