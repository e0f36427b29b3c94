import ATSPI
import AccessibilityTree
import EventLoop
import Selectors

/// An application that the registry lists, mirrored or not.
@Loop
final class DesktopApplication {
    let busName: String
    /// The tops of its trees: most have one.
    var roots: [String]
    var node: ApplicationNode
    /// Whether it was asked who it is and answered, or will not.
    var isKnown = false
    /// It was asked who it is, and did not answer.
    var isSilent = false
    /// It did not answer what toolkit it is of.
    var isToolkitUnknown = false
    /// A registry that is gone listed it: it may never tell the one that took its place (GTK 4 does not).
    var isFromFormerRegistry = false
    var mirror: ApplicationMirror?
    /// Until when the mirror is kept without anybody who needs it, on the monotonic clock.
    var keepUntil: Int64 = .min
    /// How often it was asked again for its name.
    var questions = 0
    var asking: LoopTimer?

    init(busName: String, roots: [String]) {
        self.busName = busName
        self.roots = roots
        node = ApplicationNode(busName: busName, name: "", toolkit: "", pid: 0)
    }

    /// One with several trees has the name of each, of which only the first is known without reading them.
    var facts: ApplicationFacts {
        let isNameCertain = isKnown && !isSilent && roots.count == 1
        return ApplicationFacts(name: isNameCertain ? node.name : nil, pid: node.pid, toolkit: node.toolkit)
    }
}
