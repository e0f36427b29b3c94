import EventLoop
import FocusProtocol

extension FocusServer {
    /// What is wrong on this desktop, found now.
    static func diagnose(_ call: ServedCall) throws {
        _ = try call.parameters(of: Diagnose.self)
        Loop.task {
            let findings = await Diagnosis(server: call.server).findings()
            call.reply(Diagnose.Reply(findings: findings, version: focusdVersion))
        }
    }
}
