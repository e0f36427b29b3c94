import FocusProtocol

/// `focusctl stats`: what focusd did since it started.
enum StatsCommand {
    static let command = Command(
        name: "stats",
        summary: "Show what focusd did since it started, and what its clients and the applications cost.",
        examples: [
            Example("focusctl stats", "All of it, a line for each number."),
            Example("focusctl stats --json | jq .counters", "The counters, for a program."),
        ],
        run: { _, session throws(CommandFailure) in
            let statistics = try session.connect().call(GetStatistics.self, NoParameters()).statistics
            if session.isJSON {
                try session.json(statistics)
            } else {
                try show(statistics, on: session.output)
            }
            return .done
        })

    private static func show(_ statistics: Statistics, on output: Output) throws(CommandFailure) {
        let uptime = AgeText.span(seconds: max(0, statistics.uptimeMilliseconds / 1000))
        let counters = statistics.counters.sorted { $0.key < $1.key }
        try output.table(
            [
                [Cell("version"), Cell(statistics.version)], [Cell("uptime"), Cell(uptime)],
                [Cell("nodes"), Cell(String(statistics.nodes))],
            ] + counters.map { [Cell($0.key), Cell(String($0.value))] })
        try output.table(
            statistics.applications.map { application in
                [
                    Cell("application"), Cell(application.busName), Cell("\(application.events) events"),
                    Cell("\(application.calls) calls"), Cell("\(application.timeouts) timeouts"),
                ]
            })
        try output.table(
            statistics.clients.map { client in
                [
                    Cell("client"), Cell("pid \(client.pid)"), Cell("\(client.calls) calls"),
                    Cell("\(client.bytesQueued) bytes queued"), Cell(client.isStreaming ? "streaming" : ""),
                ]
            })
    }
}
