/// `focusctl completions`: what makes a shell complete focusctl's words.
enum CompletionsCommand {
    static let shells = Value("SHELL", choices: ["bash", "zsh", "fish"])

    static let command = Command(
        name: "completions",
        summary: "Print what makes a shell complete the words of focusctl.",
        arguments: [
            Argument(
                placeholder: shells.placeholder, isRequired: true, summary: "bash, zsh or fish.",
                choices: shells.choices)
        ],
        details: ["Where focusd was installed as a package, the shells have it already."],
        examples: [
            Example(
                "focusctl completions fish >~/.config/fish/completions/focusctl.fish", "In fish, from now on."),
            Example("source <(focusctl completions bash)", "In bash, for this shell."),
        ],
        run: { invocation, session throws(CommandFailure) in
            let text =
                switch invocation.words[0] {
                case "zsh": ZshCompletion.text()
                case "fish": FishCompletion.text()
                default: BashCompletion.text()
                }
            try session.output.text(text)
            return .done
        })
}
