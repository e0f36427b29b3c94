import EventLoop
import FocusProtocol
import Varlink

/// What is served, by the name on the wire. One line a method; the work is in the file of that name.
extension FocusServer {
    typealias Handler = @Loop (ServedCall) throws -> Void

    static let methods: [String: Handler] = [
        GetFocus.name: getFocus,
        ListTechnologies.name: listTechnologies,
        ListApplications.name: listApplications,
        Find.name: find,
        Wait.name: wait,
        GetTree.name: getTree,
        MoveFocus.name: moveFocus,
        Bind.name: bind,
        OpenSession.name: openSession,
        SetValue.name: setValue,
        DeclineMove.name: declineMove,
        ListStates.name: listStates,
        Unbind.name: unbind,
        Announce.name: announce,
        GetStatistics.name: getStatistics,
        Diagnose.name: diagnose,
        ServiceInterface.GetInfo.name: getInfo,
        ServiceInterface.GetInterfaceDescription.name: getInterfaceDescription,
    ]
}
