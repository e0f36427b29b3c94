/// What focusd was started to do, out of its arguments.
struct Invocation {
    enum Work {
        case serve
        case help
        case version
        /// Says whether the file of settings is right.
        case checkConfiguration
        /// Shows every setting as it would hold.
        case printConfiguration
    }

    var work = Work.serve
    /// The file of settings, where one was named.
    var configuration: String?
    /// Programs that are screen readers, where some were named.
    var technologies: [String]?
    var isVerbose = false

    /// What is wrong with the arguments.
    struct Wrong: Error {
        let message: String
    }

    /// Reads the arguments without the program's name.
    init(_ arguments: [String]) throws(Wrong) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" {
                work = .help
                return
            } else if argument == "--version" {
                work = .version
                return
            } else if argument == "--verbose" {
                isVerbose = true
            } else if argument == "--check-config" {
                work = .checkConfiguration
            } else if argument == "--print-config" {
                work = .printConfiguration
            } else if argument == "--config" || argument.hasPrefix("--config=") {
                let value = argument == "--config" ? rest.popFirst() : String(argument.dropFirst("--config=".count))
                guard let value, !value.isEmpty else {
                    throw Wrong(message: "--config needs a file, like --config focusd.conf")
                }
                configuration = value
            } else if argument.hasPrefix("--technologies=") {
                let names = argument.dropFirst("--technologies=".count).split(separator: ",").map(String.init)
                guard !names.isEmpty else {
                    throw Wrong(message: "--technologies needs at least one name, like --technologies=orca")
                }
                technologies = names
            } else {
                throw Wrong(message: "\(argument) is not an option; `focusd --help` shows what there is")
            }
        }
    }
}
