import AccessibilityTree
import EventLoop
import FocusProtocol
import Varlink

/// Elements as clients see them, as values and as JSON; the JSON is made once for each change of an element.
@Loop
final class ElementRenderer {
    /// Rendered elements kept; beyond it all are made anew when next needed.
    private static let maximumKept = 1_024

    private let loader: PathLoader
    private var kept: [ObjectReference: Rendered] = [:]
    /// Names kept of those who did not answer: more than any desktop has.
    private static let maximumUnresponsive = 1_024
    /// Applications that did not answer when last asked.
    private var unresponsive: Set<String> = []

    private struct Rendered {
        var version: UInt64
        var json: [UInt8]
    }

    init(loader: PathLoader) {
        self.loader = loader
    }

    /// The JSON of an element. Where it is not known any more, what was last rendered of it.
    func json(of reference: ObjectReference) -> [UInt8]? {
        let version = loader.version(of: reference.busName)
        if let rendered = kept[reference], rendered.version == version { return rendered.json }
        guard let path = loader.known(reference) else { return kept[reference]?.json }
        do {
            let json = try JSONBytes.encode(element(of: path))
            if kept.count >= ElementRenderer.maximumKept { kept.removeAll() }
            kept[reference] = Rendered(version: version, json: json)
            return json
        } catch {
            // Nothing in an element can fail to be encoded; were it so, an element less is better than a trap.
            return nil
        }
    }

    func element(of path: FocusPath) -> Element {
        let node = path.element
        return Element(
            busName: node.reference.busName, path: node.reference.path, role: node.role.name, name: node.name,
            description: node.description.isEmpty ? nil : node.description, id: node.id.isEmpty ? nil : node.id,
            states: node.states.names, interfaces: node.interfaces,
            window: path.window.map { Window(busName: $0.reference.busName, path: $0.reference.path, name: $0.name) },
            application: application(path.application, countsNodes: false))
    }

    func application(_ node: ApplicationNode, countsNodes: Bool = true) -> Application {
        Application(
            name: node.name, pid: node.pid, toolkit: node.toolkit, busName: node.busName,
            responding: !unresponsive.contains(node.busName),
            nodes: countsNodes ? loader.paths.nodeCount(of: node.busName) : nil)
    }

    /// True where that is news.
    func didNotAnswer(_ busName: String) -> Bool {
        // Late answers for those who have left would be kept for good.
        if unresponsive.count >= ElementRenderer.maximumUnresponsive { unresponsive.removeAll() }
        return unresponsive.insert(busName).inserted
    }

    /// True where it did not before.
    func answered(_ busName: String) -> Bool {
        unresponsive.remove(busName) != nil
    }

    func forget(_ busName: String) {
        kept = kept.filter { $0.key.busName != busName }
        unresponsive.remove(busName)
    }
}
