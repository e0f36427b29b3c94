import FocusProtocol
import Foundation
import Glibc

/// Replies as focusd would send them.
enum Samples {
    static let gedit = Application(name: "gedit", pid: 4711, toolkit: "gtk", busName: ":1.5", responding: true)
    static let dialog = Window(busName: ":1.5", path: "/org/a11y/atspi/accessible/2", name: "Save changes?")

    /// A button in gedit's dialog.
    static func button(name: String = "Save", window: Window? = dialog, application: Application = gedit) -> Element {
        Element(
            busName: ":1.5", path: "/org/a11y/atspi/accessible/17", role: "push-button", name: name,
            states: ["focusable", "focused"], interfaces: ["Accessible", "Component"], window: window,
            application: application)
    }

    /// Orca on an element for a minute.
    static func orca(
        on element: Element?, mode: String? = "focus-tracking", region: Region? = nil, assumed: Bool = false,
        cause: String = "initial"
    ) -> Focus {
        Focus(
            technology: "orca", element: element, mode: mode, region: region, assumed: assumed, cause: cause,
            revision: 7, monotonicMicroseconds: monotonicMicroseconds(secondsAgo: 61))
    }

    static let entry = Element(
        busName: ":1.9", path: "/org/a11y/atspi/accessible/3", role: "entry", name: "", states: ["editable"],
        interfaces: ["Text"],
        application: Application(name: "LibreOffice Writer", pid: 0, toolkit: "gtk", busName: ":1.9", responding: true))

    static func keyboard(on element: Element? = entry) -> Focus {
        Focus(
            technology: "keyboard", element: element, assumed: false, cause: "initial", revision: 6,
            monotonicMicroseconds: monotonicMicroseconds(secondsAgo: 61))
    }

    /// A change of a state to a value, or to none.
    static func change(
        _ value: String?, from previous: String? = nil, state: String = "#7", cause: String = "moved",
        assumed: Bool = false, revision: Int64 = 8
    ) -> StateChange {
        StateChange(
            state: state, value: value, previous: previous, element: value.map { button(name: $0) }, assumed: assumed,
            cause: cause, revision: revision)
    }

    static let technologies = [
        Technology(id: "keyboard", active: true),
        Technology(id: "orca", active: true, pid: 99, version: "43.1", busName: ":1.7"),
        Technology(id: "odilia", active: false),
    ]

    /// A reply with these parameters; more follow it where it continues.
    static func reply(_ parameters: some Encodable, continues: Bool? = nil) throws -> ScriptedService.Step {
        let data = try JSONEncoder().encode(Message(parameters: parameters, continues: continues))
        return .message(String(decoding: data, as: UTF8.self))
    }

    /// An error reply.
    static func error(_ name: String, _ parameters: String = "{}") -> ScriptedService.Step {
        .message(#"{"error":"\#(name)","parameters":\#(parameters)}"#)
    }

    private struct Message<Parameters: Encodable>: Encodable {
        let parameters: Parameters
        let continues: Bool?
    }

    private static func monotonicMicroseconds(secondsAgo: Int64) -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return (Int64(now.tv_sec) - secondsAgo) * 1_000_000
    }
}

/// A service that answers from a table, and its folder.
struct Desktop {
    let folder: RuntimeFolder
    let service: ScriptedService

    /// Answers GetFocus by the technology asked for, nil being the aggregate, and other methods by their short name.
    init(
        focus: [String?: Focus] = [:], replies: [String: [ScriptedService.Step]] = [:],
        technologies: [Technology] = Samples.technologies
    ) throws {
        var steps = replies
        if steps["ListTechnologies"] == nil {
            steps["ListTechnologies"] = [try Samples.reply(ListTechnologies.Reply(technologies: technologies))]
        }
        // What the doctor asks beside the diagnosis.
        if steps["GetInterfaceDescription"] == nil {
            steps["GetInterfaceDescription"] = [try Samples.reply(["description": FocusInterface.text])]
        }
        if steps["ListApplications"] == nil {
            steps["ListApplications"] = [try Samples.reply(ListApplications.Reply(applications: []))]
        }
        var focusSteps: [String?: ScriptedService.Step] = [:]
        for (technology, focus) in focus {
            focusSteps[technology] = try Samples.reply(GetFocus.Reply(focus: focus, instance: "run-1"))
        }
        let answers = (steps, focusSteps)
        folder = try RuntimeFolder()
        service = try ScriptedService(in: folder) { call in
            if let fixed = answers.0[call.name] { return fixed }
            let asked = call.parameters?.technology
            if call.name == "GetFocus", let step = answers.1[asked] { return [step] }
            return [Samples.error("io.focusd.Focus.UnknownTechnology", #"{"id":"\#(asked ?? "")"}"#)]
        }
    }

    func end() { service.end() }
}
