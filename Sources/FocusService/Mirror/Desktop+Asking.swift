import ATSPI
import AccessibilityTree
import EventLoop

/// Who applications are.
extension Desktop {
    /// Asks an application for its name, its toolkit and its process.
    func askWho(_ application: DesktopApplication) {
        guard let connection = bus.live, let root = application.roots.first else { return }
        let reference = ObjectReference(busName: application.busName, path: root)
        var awaited = 3
        var hasLeft = false
        func answered() {
            awaited -= 1
            guard awaited == 0 else { return }
            application.isKnown = true
            guard self.application(application.busName) === application else { return }
            // A registry may list for a while who has left, and the bus told of that before it was listed here.
            if hasLeft { return connectionLeft(application.busName) }
            // What toolkit it is of decides what its states mean.
            let isOther = application.mirror.map { $0.tree.application.toolkit != application.node.toolkit } ?? false
            application.mirror?.tree.application.toolkit = application.node.toolkit
            application.mirror?.tree.application.pid = application.node.pid
            adjust()
            notify(application, isOther ? [.everything] : [])
            askWhoAgain(application)
        }
        connection.readCredentials(of: application.busName) {
            switch $0 {
            case .success(let credentials): application.node.pid = credentials.pid
            case .failure(.noSuchName): hasLeft = true
            case .failure: break
            }
            answered()
        }
        connection.readText(reference, "Name") {
            switch $0 {
            case .success(let name):
                application.node.name = name
                application.isSilent = false
            case .failure(.notResponding): application.isSilent = true
            case .failure: break
            }
            answered()
        }
        connection.readToolkit(reference) {
            switch $0 {
            case .success(let toolkit):
                application.node.toolkit = toolkit
                application.isToolkitUnknown = false
            case .failure(.notResponding): application.isToolkitUnknown = true
            case .failure: break
            }
            answered()
        }
    }

    /// Some give themselves a name only after they are listed, and one that did not answer may do so later.
    private func askWhoAgain(_ application: DesktopApplication) {
        if application.isSilent { return waitForWord(of: application) }
        let isNameless = application.node.name.isEmpty || application.node.name == "Unnamed"
        guard isNameless || application.isToolkitUnknown, application.questions < 5 else { return }
        application.questions += 1
        askWho(application, after: 300)
    }

    private func askWho(_ application: DesktopApplication, after milliseconds: Int64) {
        application.asking = LoopTimer(milliseconds: milliseconds) { [weak self, weak application] in
            guard let self, let application, self.application(application.busName) === application else { return }
            self.askWho(application)
        }
    }

    /// One question stays with who does not answer: its answer comes as soon as it goes on, and nobody asks again and
    /// again meanwhile.
    private func waitForWord(of application: DesktopApplication) {
        guard let connection = bus.live, let root = application.roots.first else { return }
        connection.readStates(
            ObjectReference(busName: application.busName, path: root), milliseconds: limits.longQuestionMilliseconds
        ) { [weak self, weak application] result in
            guard let self, let application, self.application(application.busName) === application else { return }
            var isSilent = false
            if case .failure(.notResponding) = result { isSilent = true }
            self.askWho(application, after: isSilent ? self.limits.longestProbeMilliseconds : 0)
        }
    }
}
