"""The measures of a service with many clients, and of its start beside a real Orca."""

import statistics
import subprocess
import time

from harness import HERE, PROGRAMS, ROOT, NotMeasured, Side, numbers, percentile, private_bytes, MEBIBYTE, spread
from mirror import Client, processor_seconds

FOLLOW = '{"method":"io.focusd.Focus.GetFocus","parameters":{},"more":true}'
GOOD, DEAF, FLOOD = 180, 20, 5_000
MOST_IN_PROCESS = 60


class Limits:
    """One run of these measures. Each of them starts what it needs and ends it."""

    def __init__(self, bench):
        self.bench, self.place, self.report, self.quick = bench, bench.place, bench.report, bench.quick
        self.note = self.report.details.append

    def crowded(self):
        """Clients that read and clients that never do, while the application floods the bus."""
        place, moves, rate = self.place, 1_500, 50
        side = Side(place, "focusd")
        side.server = place.focusd(self.bench.program, side.bus)
        # It is known and at the first button before anybody follows.
        side.run("size")
        client = Client(side.server.socket)
        before = private_bytes(side.server.pid)

        def crowd(count, *options):
            command = [PROGRAMS / "crowd", "--socket", side.server.socket, "--clients", count, "--moves", moves + 1]
            started = place.talk([*command, "--call", FOLLOW, *options])
            started.line(60)
            return started

        # Four processes whose connections read nothing: each of these passes its own limit before its process does.
        deaf = [crowd(DEAF // 4, "--deaf") for _ in range(4)]
        good = [crowd(MOST_IN_PROCESS, "--every") for _ in range(GOOD // MOST_IN_PROCESS)]
        side.storm(FLOOD)
        used, begin = processor_seconds(side.server.pid), time.monotonic()
        sent = numbers(side.run("latency", "--moves", moves, "--rate", rate, "--moments"))
        used = (processor_seconds(side.server.pid) - used) / (time.monotonic() - begin)
        reached = side.storm(0)
        if reached < FLOOD * 0.95:
            raise NotMeasured(f"the flood reached only {reached:.0f} events/s")
        # Before those that count comes the probe's own first move.
        told = [[numbers(one.line(60)) for _ in range(moves + 1)][1:] for one in good]
        latencies = [time - moment for lines in told for moment, times in zip(sent, lines) for time in times]
        if min(latencies) < 0:
            raise NotMeasured("a client was told of a move before it was made")
        ours = percentile(latencies, 99)
        statistics_now = client.call("GetStatistics")["statistics"]
        cut_off = statistics_now["counters"]["subscribersTooSlow"]
        title = f"{GOOD + DEAF} clients, {DEAF} never reading, {FLOOD:,} events/s: signal → good clients, p99"
        self.report.row(title, f"{ours / 1e6:.1f} ms", "–", "–", "≤ 10 ms", ours <= 10e6)
        self.report.row("…, of the deaf ones cut off", str(cut_off), reach=str(DEAF), reached=cut_off == DEAF)
        self.report.row("…, changes lost for the good ones", "0", reach="0", reached=True)
        growth = (private_bytes(side.server.pid) - before) / MEBIBYTE
        self.note(
            f"{GOOD} good clients in {len(good)} processes: {spread(latencies)} ({moves} moves, {rate} a second, "
            f"{reached:,.0f} other events/s); focusd used {used:.0%} of a processor, {growth:.1f} MB more than before. Its "
            f"own figure, from the signal until all was written: {statistics_now['latency']}.")
        client.close()
        for one in [*good, *deaf]:
            place.end(one)
        place.end(side.server)

    def greedy(self):
        """A client that keeps to its own business, beside one process that floods calls from all its connections."""
        place, seconds = self.place, 3 if self.quick else 10
        focusd = place.focusd(self.bench.program, None)
        client = Client(focusd.socket)

        def ask():
            times, until = [], time.monotonic() + seconds
            while time.monotonic() < until:
                begin = time.monotonic_ns()
                client.call("org.varlink.service.GetInfo")
                times.append(time.monotonic_ns() - begin)
            return times

        alone = ask()
        flood = place.talk(["/usr/bin/python3", ROOT / "Tests" / "SocketTests" / "greedy_client.py", focusd.socket, "flood", 60])
        flood.line(60)
        beside = ask()
        ours, base = percentile(beside, 99), percentile(alone, 99)
        self.report.row(
            "GetInfo beside a process that floods calls from 60 connections, p99", f"{ours / 1e6:.1f} ms",
            f"{base / 1e6:.2f} ms alone", f"{ours / base:.0f}", "≤ 20 ms", ours <= 20e6)
        self.note(f"Beside the flood: {spread(beside)}; alone: {spread(alone)}.")
        place.end(flood)
        client.close()
        place.end(focusd)

    def beside_orca(self):
        """Starts on a desktop where Orca runs already: to the socket, and to the first right answer."""
        count = 5 if self.quick else 20
        command = [ROOT / "scripts" / "private-desktop", "--namespace", "--orca", "--"]
        command += [HERE / "start-beside-orca", self.bench.program, count]
        try:
            ended = subprocess.run(
                [str(word) for word in command], capture_output=True, text=True, timeout=180, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise NotMeasured("the desktop with Orca took longer than three minutes") from None
        lines = [line.split() for line in ended.stdout.splitlines() if line[:1].isdigit()]
        if ended.returncode != 0 or len(lines) != count:
            raise NotMeasured((ended.stderr.strip().splitlines() or ["no figures"])[-1])
        for title, most, column in (("the socket answers", 30, 0), ("the first right answer", 300, 1)):
            values = [float(line[column]) for line in lines]
            middle, worst = statistics.median(values), max(values)
            self.report.row(
                f"start → {title}, Orca running", f"{middle:.1f} ms", "–", "–", f"each ≤ {most} ms", worst <= most)
            self.note(f"Start beside Orca → {title}: median {middle:.1f} ms, worst {worst:.1f} ms of {count}.")
