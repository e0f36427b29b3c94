import EventLoop
import FocusProtocol

extension FocusServer {
    /// What is wrong on this desktop, found now.
    static func diagnose(_ call: ServedCall) throws {
        _ = try call.parameters(of: Diagnose.self)
        call.server.diagnosing.answer { findings in
            call.reply(Diagnose.Reply(findings: findings, version: focusdVersion))
        }
    }
}
