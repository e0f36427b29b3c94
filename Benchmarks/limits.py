"""The measures of a service with many clients, and of its start beside a real Orca."""

import pathlib
import statistics
import subprocess
import time

from harness import HERE, PROGRAMS, ROOT, NotMeasured, Side, numbers, percentile, private_bytes, MEBIBYTE, spread
from mirror import Client, processor_seconds

FOLLOW = '{"method":"io.focusd.Focus.GetFocus","parameters":{},"more":true}'
GOOD, DEAF, FLOOD = 180, 20, 5_000
MOST_IN_PROCESS = 60


def waiting(pids):
    """For how many seconds so far these processes could have run and had no processor."""
    tasks = [task for pid in pids for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]
    return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks) / 1e9


class Limits:
    """One run of these measures. Each of them starts what it needs and ends it."""

    def __init__(self, bench):
        self.bench, self.place, self.report, self.quick = bench, bench.place, bench.report, bench.quick
        self.note = self.report.details.append

    def crowded(self):
        """Clients that read and clients that never do, while the application floods the bus."""
        place = self.place
        side = Side(place, "focusd")
        side.server = place.focusd(self.bench.program, side.bus)
        # It is known and at the first button before anybody follows.
        size = int(side.run("size"))
        client = Client(side.server.socket)
        before = private_bytes(side.server.pid)
        used, begin = processor_seconds(side.server.pid), time.monotonic()
        rounds = self.crowd("focusd", side, DEAF)
        used = (processor_seconds(side.server.pid) - used) / (time.monotonic() - begin)
        statistics_now = client.call("GetStatistics")["statistics"]
        cut_off = statistics_now["counters"]["subscribersTooSlow"]
        growth = (private_bytes(side.server.pid) - before) / MEBIBYTE
        client.close()
        for one in (side.server, side.application):
            place.end(one)
        side = Side(place, "relay")
        side.server = place.relay(side.bus, size)
        baseline = self.crowd("relay", side, 0)
        for one in (side.server, side.application):
            place.end(one)

        ours, base = (percentile(values, 99) for values in (rounds, baseline))
        title = f"{GOOD + DEAF} clients, {DEAF} never reading, {FLOOD:,} events/s: signal → good clients, p99"
        self.report.row(
            title, f"{ours / 1e6:.1f} ms", f"{base / 1e6:.1f} ms", f"{ours / base:.2f}", "≤ 10 ms", ours <= 10e6)
        self.report.row("…, of the deaf ones cut off", str(cut_off), reach=str(DEAF), reached=cut_off == DEAF)
        self.report.row("…, changes lost for the good ones", "0", reach="0", reached=True)
        self.note(
            f"focusd used {used:.0%} of a processor, {growth:.1f} MB more than before. Its own figure, from the signal "
            f"until all was written: {statistics_now['latency']}.")

    def crowd(self, name, side, deaf):
        """Moves that all good clients are told of; how long each of them took to each client. Says what it went on."""
        place, moves, rate = self.place, 1_500, 50

        def start(count, *options):
            command = [PROGRAMS / "crowd", "--socket", side.server.socket, "--clients", count, "--moves", moves + 1]
            started = place.talk([*command, "--call", FOLLOW, *options])
            started.line(60)
            return started

        # Four processes whose connections read nothing: each of these passes its own limit before its process does.
        silent = [start(deaf // 4, "--deaf") for _ in range(4) if deaf]
        good = [start(MOST_IN_PROCESS, "--every") for _ in range(GOOD // MOST_IN_PROCESS)]
        bus = next(one for one in place.started if f"--config-file={side.configuration}" in one.process.args)
        parties = {name: [side.server.pid], "the bus": [bus.pid], "the readers": [one.pid for one in good]}
        side.storm(FLOOD)
        waited = {party: waiting(pids) for party, pids in parties.items()}
        sent = numbers(side.run("latency", "--moves", moves, "--rate", rate, "--moments"))
        waited = {party: waiting(pids) - waited[party] for party, pids in parties.items()}
        reached = side.storm(0)
        if reached < FLOOD * 0.95:
            raise NotMeasured(f"the flood reached only {reached:.0f} events/s")
        # Before those that count comes the probe's own first move.
        told = [[numbers(one.line(60)) for _ in range(moves + 1)][1:] for one in good]
        for one in [*good, *silent]:
            place.end(one)
        every = [sum(lines, []) for lines in zip(*told)]
        latencies = [time - moment for moment, times in zip(sent, every) for time in times]
        if min(latencies) < 0:
            raise NotMeasured("a client was told of a move before it was made")
        self.note(
            f"{GOOD} good clients of {name} in {len(good)} processes: {spread(latencies)} ({moves} moves, {rate} a second, "
            f"{reached:,.0f} other events/s).")
        first = [min(times) - moment for moment, times in zip(sent, every)]
        last = [max(times) - min(times) for times in every]
        shares = ", ".join(f"{party} {seconds * 1e3 / moves:.2f} ms" for party, seconds in waited.items())
        self.note(
            f"… until the first of them had it: {spread(first)}; from the first to the last: {spread(last)}. For each move, "
            f"ready to run and waiting for a processor: {shares}.")
        return latencies

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
