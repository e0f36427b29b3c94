import FocusProtocol

/// Programs that run on this display and are not on the accessibility bus, of those that show nothing unless asked to.
enum MissingApplications {
    /// What shows itself only where accessibility is switched on for toolkits, some only where it was so at the start.
    private static let programs: Set<String> = [
        "firefox", "firefox-esr", "firefox-bin", "librewolf", "thunderbird", "thunderbird-bin", "chromium",
        "chromium-browser", "chrome", "google-chrome", "google-chrome-stable", "brave", "brave-browser", "msedge",
        "microsoft-edge", "vivaldi", "vivaldi-bin", "opera", "electron", "code", "codium", "slack", "discord",
        "signal-desktop", "element-desktop",
    ]

    /// A finding for each, given the applications that are on the bus.
    static func findings(listed: [Application]) -> [Finding] {
        let displays = ["WAYLAND_DISPLAY", "DISPLAY"].compactMap { name in environment(name).map { (name, $0) } }
        guard !displays.isEmpty else { return [] }
        let pids = Set(listed.map(\.pid))
        return ProcessEntry.own().filter { !pids.contains(Int($0.pid)) }.compactMap { process in
            guard let name = program(process.commandLine), programs.contains(name),
                displays.contains(where: { process.variable($0.0) == $0.1 })
            else { return nil }
            return Finding(
                .applicationMissing,
                "\(name) (process \(process.pid)) runs on this display and is not on the accessibility bus.",
                whatToDo: "Switch accessibility on for toolkits, by starting the screen reader or with 'gsettings set "
                    + "org.gnome.desktop.interface toolkit-accessibility true'. Then restart that program.")
        }
    }

    /// The program's name; nil for one of the many processes that a browser has beside its first, or one without windows.
    private static func program(_ words: [String]) -> String? {
        guard let first = words.first else { return nil }
        let isPart = words.dropFirst().contains { word in
            word.hasPrefix("--type=") || word == "-contentproc" || word.hasPrefix("--headless") || word == "-headless"
        }
        return isPart ? nil : first.split(separator: "/").last.map(String.init)
    }
}
