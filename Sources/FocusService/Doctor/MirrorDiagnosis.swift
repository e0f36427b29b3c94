import AccessibilityTree
import EventLoop
import FocusProtocol

/// What is wrong with the mirrors of applications: what a limit left out, and what applications say that cannot be so.
@Loop
struct MirrorDiagnosis {
    let desktop: Desktop

    var findings: [Finding] {
        var findings: [Finding] = []
        if desktop.sharesRules {
            findings.append(
                Finding(
                    .limitMatchRules,
                    "The accessibility bus takes fewer match rules than one set for each application needs: "
                        + "all applications are listened to while any is.",
                    whatToDo: "Nothing is missed; it costs more. Raise `max_match_rules_per_connection` of the bus."))
        }
        if desktop.nodeCount >= desktop.limits.maximumNodes || desktop.applications.contains(where: isCutForOthers) {
            findings.append(
                limit(
                    .limitNodesInAll,
                    "All mirrors together hold \(desktop.nodeCount) accessibles, as many as they may.",
                    "max-nodes"))
        }
        for application in desktop.applications {
            guard let mirror = application.mirror else { continue }
            findings += self.findings(mirror.tree, "\(application.node.name) (\(application.busName))")
        }
        return findings
    }

    /// Whether what others hold leaves no room for all of an application.
    private func isCutForOthers(_ application: DesktopApplication) -> Bool {
        guard let tree = application.mirror?.tree else { return false }
        return tree.oddities.cutNodes > 0 && tree.limits.maximumNodes < desktop.treeLimits.maximumNodes
    }

    private func findings(_ tree: ApplicationTree, _ name: String) -> [Finding] {
        var findings: [Finding] = []
        let odd = tree.oddities
        if odd.cutNodes > 0, tree.limits.maximumNodes >= desktop.treeLimits.maximumNodes {
            findings.append(
                limit(
                    .limitNodesPerApplication,
                    "\(name) has more accessibles than are kept of one application (\(tree.limits.maximumNodes)).",
                    "max-nodes-per-application"))
        }
        if odd.cutChildren > 0 {
            findings.append(
                limit(
                    .limitChildrenPerObject,
                    "\(counted(odd.cutChildren, "object")) of \(name) with more children than are kept of one object "
                        + "(\(tree.limits.maximumChildren)).", "max-children-per-object"))
        }
        if odd.cutLevels > 0 {
            findings.append(
                limit(
                    .limitDepth,
                    "The tree of \(name) is deeper than \(tree.limits.maximumDepth) levels, \(odd.cutLevels) times.",
                    "max-depth"))
        }
        if odd.cutTexts > 0 {
            findings.append(
                limit(
                    .limitNameBytes,
                    "\(counted(odd.cutTexts, "name or description", "names or descriptions")) of \(name) longer than "
                        + "\(tree.limits.maximumTextBytes) bytes; the rest is cut.", "max-name-bytes"))
        }
        let contradictions = odd.cycles + odd.secondParents + odd.foreignChildren + odd.wrongCounts
        if contradictions > 0 {
            findings.append(
                Finding(
                    .treeContradicts,
                    "\(name) says what cannot be so: \(odd.cycles) times an object is inside of itself, "
                        + "\(odd.secondParents) times it has two parents, \(odd.foreignChildren) times it is another "
                        + "application's, \(odd.wrongCounts) times a count or a place is wrong.",
                    whatToDo:
                        "Tell its makers. Its tree is shown as far as it makes sense, with marks; each object once."))
        }
        return findings
    }

    private func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        count == 1 ? "There is 1 \(one)" : "There are \(count) \(many ?? one + "s")"
    }

    /// What a limit leaves out is never left out in silence.
    private func limit(_ code: FindingCode, _ what: String, _ key: String) -> Finding {
        Finding(
            code, what,
            whatToDo: "What is beyond it is not found and not shown. Where you need it, raise `\(key)` in focusd.conf.")
    }
}
