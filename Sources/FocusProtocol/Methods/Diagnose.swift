/// What is wrong on this desktop, in words, and what to do.
public enum Diagnose: MethodCall {
    public static let name = "io.focusd.Focus.Diagnose"
    public typealias Parameters = NoParameters

    public struct Reply: Codable, Hashable, Sendable {
        public var findings: [Finding]
        public var version: String

        public init(findings: [Finding], version: String) {
            self.findings = findings
            self.version = version
        }
    }
}
