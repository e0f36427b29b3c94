import FocusProtocol

/// `focusctl stats`: what focusd did since it started.
enum StatsCommand {
    static let command = Command(
        name: "stats",
        summary: "Show what focusd did since it started, and what its clients and the applications cost.",
        examples: [
            Example("focusctl stats", "All of it, a line for each number."),
            Example("focusctl stats --json | jq .counters", "The counters, for a program."),
            Example("focusctl stats --json | jq '.limits[] | select(.met > 0)'", "The limits that somebody met."),
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
        let latency = statistics.latency
        try output.table(
            [
                [Cell("version"), Cell(statistics.version)], [Cell("uptime"), Cell(uptime)],
                [Cell("nodes"), Cell(String(statistics.nodes))],
                [Cell("private memory"), Cell(mebibytes(statistics.memory.privateBytes))],
                [Cell("descriptors"), Cell(String(statistics.descriptors))],
                [
                    Cell("signal to client"),
                    Cell(
                        "p50 \(latency.p50Microseconds) µs, p99 \(latency.p99Microseconds) µs, "
                            + "at most \(latency.maximumMicroseconds) µs"),
                ],
            ] + counters.map { [Cell($0.key), Cell(String($0.value))] })
        // The others are as they should be; all are in the JSON.
        try output.table(
            statistics.limits.filter { $0.used > 0 || $0.met > 0 }.map { limit in
                [
                    Cell("limit"), Cell(limit.name), Cell("\(limit.used) of \(limit.limit)"),
                    Cell("met \(limit.met) times"),
                ]
            })
        try output.table(
            statistics.applications.map { application in
                [
                    Cell("application"), Cell(application.busName), Cell("\(application.nodes) nodes"),
                    Cell("\(application.events) events"), Cell("\(application.calls) calls"),
                    Cell("\(application.callsInFlight) in flight"), Cell("\(application.timeouts) timeouts"),
                    Cell(application.responding ? "" : "not responding"),
                ]
            })
        try output.table(
            statistics.processes.map { process in
                [
                    Cell("process"), Cell("pid \(process.pid)"), Cell("\(process.clients) connections"),
                    Cell("\(process.callsInFlight) calls in flight"), Cell("\(process.streams) streams"),
                    Cell("\(process.states) states"), Cell("\(process.searches) searches"),
                    Cell("\(process.moves) moves"), Cell("\(process.sets) sets"),
                    Cell("\(process.bytesQueued) bytes queued"),
                ]
            })
        try output.table(
            statistics.clients.map { client in
                [
                    Cell("client"), Cell("pid \(client.pid)"), Cell("\(client.calls) calls"),
                    Cell("\(client.callsInFlight) in flight"), Cell("\(client.bytesReceived) bytes received"),
                    Cell("\(client.bytesQueued) bytes queued"),
                    Cell(AgeText.span(seconds: max(0, client.connectedMilliseconds / 1000))),
                    Cell(client.isStreaming ? "streaming" : ""),
                ]
            })
    }

    private static func mebibytes(_ bytes: Int) -> String {
        let tenths = max(0, bytes) / 104_858
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}
