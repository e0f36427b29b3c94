import FocusProtocol
import Varlink

/// Whether focusd and focusctl are of the same release.
enum VersionComparison {
    /// A warning where the daemon is older, a note where it is newer, nothing where they are the same.
    static func findings(daemon: String) -> [Finding] {
        guard daemon != focusdVersion else { return [] }
        let what = "focusd is version \(daemon), focusctl is version \(focusdVersion)"
        guard precedes(daemon, focusdVersion) else {
            return [
                Finding(
                    .daemonNewerThanClient, what + ".", whatToDo: "Use the focusctl that was installed with focusd.")
            ]
        }
        return [
            Finding(
                .daemonOlderThanClient, what + ": the daemon is older.",
                whatToDo: "Restart focusd: 'systemctl --user restart focusd.service' where systemd runs it.")
        ]
    }

    /// Whether the left version comes before; what is no number counts as 0, and numbers may be of any length.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        numbers(left).lexicographicallyPrecedes(numbers(right)) { ($0.count, $0) < ($1.count, $1) }
    }

    private static func numbers(_ version: String) -> [String] {
        version.split(separator: ".", omittingEmptySubsequences: false).map { part in
            String(part.prefix { $0.isASCIIDigit }.drop { $0 == "0" })
        }
    }

    /// A warning where focusd serves another text of the interface than this focusctl was built with.
    static func findings(interface text: String) -> [Finding] {
        guard text != FocusInterface.text else { return [] }
        var differences = "their texts differ"
        do throws(InterfaceSyntaxError) {
            let served = Set(try InterfaceDescription(parsing: text).methods.map(\.name))
            let known = Set(try InterfaceDescription(parsing: FocusInterface.text).methods.map(\.name))
            let (missing, new) = (known.subtracting(served).sorted(), served.subtracting(known).sorted())
            var parts: [String] = []
            if !missing.isEmpty { parts.append("focusd has no " + missing.joined(separator: ", ")) }
            if !new.isEmpty { parts.append("focusctl does not know " + new.joined(separator: ", ")) }
            if !parts.isEmpty { differences = parts.joined(separator: "; ") }
        } catch {
            differences = "focusd's cannot be read"
        }
        return [
            Finding(
                .interfaceDiffers, "focusd and focusctl have other versions of \(FocusInterface.name): \(differences).",
                whatToDo: "Restart focusd, and use the focusctl that was installed with it.")
        ]
    }
}

/// `org.varlink.service.GetInterfaceDescription`, as a call.
enum DescribeInterface: MethodCall {
    static let name = ServiceInterface.GetInterfaceDescription.name
    typealias Parameters = ServiceInterface.GetInterfaceDescription.Parameters
    typealias Reply = ServiceInterface.GetInterfaceDescription.Reply
}
