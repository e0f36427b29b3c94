"""The measures of the mirror: loading an application, keeping it true, finding things in it, and what that costs."""

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import statistics
import time

from harness import (
    MEBIBYTE, PROGRAMS, ROOT, HERE, NotMeasured, Side, answers, microseconds, numbers, output, percentile, private_bytes,
    progress, settle, spread,
)

MANY, MOST = 10_000, 100_000
SIZES = (1_000, MANY, MOST)
EVENTS = 20_000
FLOOD = 5_000
REGISTRY = "org.a11y.atspi.Registry"
REGISTRY_SERVICE = pathlib.Path(f"/usr/share/dbus-1/accessibility-services/{REGISTRY}.service")
# What focusd listens to in an application that it mirrors, so that both are sent the same.
OBJECT_EVENTS = "interface='org.a11y.atspi.Event.Object'"
RULES = [
    f"{OBJECT_EVENTS},member='StateChanged'",
    f"{OBJECT_EVENTS},member='ChildrenChanged'",
    *(f"{OBJECT_EVENTS},member='PropertyChange',arg0='accessible-{it}'" for it in ("name", "description", "role", "parent")),
    f"{OBJECT_EVENTS},member='AttributesChanged'",
    *(f"interface='org.a11y.atspi.Cache',member='{it}'" for it in ("AddAccessible", "RemoveAccessible")),
    *(f"interface='org.a11y.atspi.Event.Window',member='{it}'" for it in ("Create", "create", "Destroy", "destroy")),
]


def milliseconds(seconds):
    value = seconds * 1000
    return f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def processor_seconds(pid):
    """The time that all threads of a process have run."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def request(method, **parameters):
    return json.dumps({"method": method if "." in method else f"io.focusd.Focus.{method}", "parameters": parameters})


class Client:
    """A connection to focusd that asks one question after the other."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))

    def send(self, method, **parameters):
        self.socket.sendall(request(method, **parameters).encode() + b"\0")

    def receive(self):
        parts = []
        while not parts or not parts[-1].endswith(b"\0"):
            part = self.socket.recv(1_048_576)
            if not part:
                raise NotMeasured("focusd closed the connection")
            parts.append(part)
        reply = json.loads(b"".join(parts)[:-1])
        if "error" in reply:
            raise NotMeasured(f"{reply['error']}: {reply.get('parameters')}")
        return reply["parameters"]

    def call(self, method, **parameters):
        self.send(method, **parameters)
        return self.receive()

    def find(self, selector, count=0, seconds=120):
        """Asks until the answer is complete and has so many elements; returns how long that took."""
        begin = time.monotonic()
        while True:
            reply = self.call("Find", selector=selector)
            now = time.monotonic()
            found = len(reply["elements"])
            if reply["complete"] and not reply["stale"] and found == count:
                return now - begin
            if now - begin > seconds:
                raise NotMeasured(f"Find {selector} after {seconds} s: {found} elements, stale {reply['stale']}")

    def knows(self, bus_name, seconds=10):
        """Waits until an application is listed, so that what is measured next is its tree alone."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            listed = self.call("ListApplications")["applications"]
            if any(application["busName"] == bus_name and application["name"] for application in listed):
                return
            time.sleep(0.01)
        raise NotMeasured(f"focusd does not list {bus_name}")

    def events(self, bus_name):
        applications = self.call("GetStatistics")["statistics"]["applications"]
        return sum(application["events"] for application in applications if application["busName"] == bus_name)

    def close(self):
        self.socket.close()


class Tree:
    """An application with a tree, known to the registry of its bus."""

    def __init__(self, place, bus, nodes, title, has_cache=True):
        self.title, self.bus, self.nodes = title, bus, nodes
        options = ["--nodes", nodes, "--name", title, *([] if has_cache else ["--no-cache"])]
        self.application = place.talk([PROGRAMS / "tree-application", "--bus", bus, *options])
        self.name = self.application.line()

    def command(self, text):
        self.application.process.stdin.write(text.encode() + b"\n")
        return self.application.line(60)

    def last(self):
        """A selector for the last element by its id."""
        return f'application[name="{self.title}"] #node-{self.nodes - 1}'

    def nothing(self):
        """A selector that can only be about this application and matches nothing."""
        return f'application[name="{self.title}"] link[name="is not there"]'


class Window(Tree):
    """A window of GTK 3 on a desktop of its own."""

    def __init__(self, place, nodes):
        self.title, self.nodes = "gtk3-many-window", nodes
        desktop = place.talk([ROOT / "scripts" / "private-desktop", "--serve"])
        environment = {}
        while (line := desktop.line(60)) != "READY":
            name, _, value = line.partition("=")
            environment[name] = value
        self.bus = environment["FOCUSD_A11Y_ADDRESS"]
        program = [HERE / "gtk3-many-window", nodes]
        window = place.talk(program, env=environment | {"PATH": os.environ["PATH"]})
        window.line(60)
        self.name = self.bus_name(place)
        # As where a screen reader runs: GTK 3 has no cache until somebody wants events.
        rule = f"type='signal',sender='{self.name}',interface='org.a11y.atspi.Event.Object',member='ChildrenChanged'"
        options = ["--bus", self.bus, "--count", 1_000_000_000, "--register", "object:children-changed", rule]
        place.talk([PROGRAMS / "count-events", *options]).line()
        self.settle()

    def settle(self):
        """GTK takes its widgets into the cache when it has nothing else to do."""
        until, last = time.monotonic() + 60, None
        while time.monotonic() < until:
            try:
                count = output([PROGRAMS / "cache-walk", "--bus", self.bus, "--application", self.name]).split()[0]
            except NotMeasured:
                count = None
            if count and count == last:
                return
            last = count
            time.sleep(1)
        raise NotMeasured("the window's cache does not come up")

    def last(self):
        return f'application[name="{self.title}"] #part-{self.nodes - 1}'

    def bus_name(self, place):
        """The registry knows it by no other name: focusd is asked."""
        focusd = place.focusd(place.program, self.bus)
        client = Client(focusd.socket)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            for application in client.call("ListApplications")["applications"]:
                if application["name"] == self.title:
                    place.end(focusd)
                    return application["busName"]
            time.sleep(0.1)
        raise NotMeasured("the window does not come up")


class Mirror:
    """One run of these measures. Each of them starts what it needs and ends it."""

    def __init__(self, bench):
        self.bench, self.place, self.report, self.quick = bench, bench.place, bench.report, bench.quick
        self.note = self.report.details.append
        self.place.program = bench.program
        self.shared = {}

    # What they are measured on.

    def bus(self):
        """A bus with the registry of this machine on it."""
        bus = self.place.bus()
        if not REGISTRY_SERVICE.exists():
            raise NotMeasured("at-spi2-core is not installed")
        words = [line for line in REGISTRY_SERVICE.read_text().splitlines() if line.startswith("Exec=")]
        program = words[0].removeprefix("Exec=").split()[0]
        environment = {
            "PATH": os.environ["PATH"], "AT_SPI_BUS_ADDRESS": bus, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
            "DISPLAY": "", "WAYLAND_DISPLAY": "",
        }
        log = open(self.place.name("registry"), "w")
        self.place.start([program], env=environment, stdout=log, stderr=log)
        asking = ["dbus-send", f"--bus={bus}", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]
        asking += ["org.freedesktop.DBus.NameHasOwner", f"string:{REGISTRY}"]
        until = time.monotonic() + 10
        while "true" not in output(asking):
            if time.monotonic() > until:
                raise NotMeasured("the registry does not come up")
            time.sleep(0.02)
        return bus

    def once(self, name, make):
        """What several measures use is started once."""
        if name not in self.shared:
            self.shared[name] = make()
        return self.shared[name]

    def window(self):
        return self.once("window", lambda: Window(self.place, MANY))

    def tree(self, nodes, has_cache=True):
        title = f"tree of {nodes}" + ("" if has_cache else " without cache")
        return self.once(title, lambda: Tree(self.place, self.bus(), nodes, title, has_cache))

    @contextlib.contextmanager
    def focusd(self, tree):
        """A new focusd that has read nothing of the tree, and a client of it."""
        server = self.place.focusd(self.bench.program, tree.bus)
        client = Client(server.socket)
        client.knows(tree.name)
        try:
            yield server, client
        finally:
            client.close()
            self.place.end(server)

    # The least that does the same.

    def load(self, tree):
        """Seconds, and seconds of focusd's processor time."""
        with self.focusd(tree) as (server, client):
            used = processor_seconds(server.pid)
            seconds = client.find(tree.nothing())
            return seconds, processor_seconds(server.pid) - used

    def items(self, tree):
        """How many items GetItems lists, and the bytes of their strings."""
        line = output([PROGRAMS / "cache-walk", "--bus", tree.bus, "--application", tree.name]).split()
        return int(line[0]), int(line[1])

    def cache_walk(self, tree):
        """Seconds, and seconds of its processor time."""
        line = output([PROGRAMS / "cache-walk", "--bus", tree.bus, "--application", tree.name]).split()
        return float(line[2]) / 1000, float(line[3]) / 1000

    def libatspi_walk(self, tree):
        command = ["env", f"AT_SPI_BUS_ADDRESS={tree.bus}", PROGRAMS / "libatspi-walk", tree.name]
        count, ms = output(command).split()
        return int(count), float(ms) / 1000

    def times(self, rounds, **measures):
        """The seconds of each round of several measures that take turns."""
        results = {name: [] for name in measures}
        for number in range(rounds):
            names = list(measures)
            for name in names if number % 2 == 0 else reversed(names):
                results[name].append(measures[name]())
        return results

    def compare_loads(self, title, tree, rounds):
        """Rounds of both, and the medians of their seconds."""
        times = self.times(rounds, focusd=lambda: self.load(tree), walk=lambda: self.cache_walk(tree))
        ours, base = ([seconds for seconds, _ in times[name]] for name in ("focusd", "walk"))
        used = [milliseconds(statistics.median(own for _, own in times[name])) for name in ("focusd", "walk")]
        self.describe(f"{title}, focusd", ours)
        self.describe(f"{title}, cache-walk", base)
        self.note(f"{title}: processor time {used[0]} against {used[1]}.")
        return statistics.median(ours), statistics.median(base)

    def describe(self, title, values):
        best, middle, worst = (milliseconds(it) for it in (min(values), statistics.median(values), max(values)))
        self.note(f"{title}: {best} to {worst}, median {middle} of {len(values)}.")

    # The measures, in the order of the table.

    def loads(self):
        rounds = 3 if self.quick else 7
        tree = self.window()
        walked, libatspi = self.libatspi_walk(tree)
        ours, base = self.compare_loads("GTK 3", tree, rounds)
        ratio = ours / base
        title = f"load of a GTK 3 window of {MANY:,}, GetItems"
        self.report.row(title, milliseconds(ours), milliseconds(base), f"{ratio:.2f}", "≤ 1.3 ×", ratio <= 1.3)
        self.faster("…, against a walk by libatspi", ours, libatspi, 12)
        self.note(f"GTK 3: GetItems lists {self.items(tree)[0]:,} accessibles, libatspi walks {walked:,}.")

        tree = self.tree(MANY, has_cache=False)
        _, libatspi = self.libatspi_walk(tree)
        times = [self.load(tree) for _ in range(rounds)]
        seconds = [it for it, _ in times]
        self.faster(f"load of {MANY:,} without a cache, against libatspi", statistics.median(seconds), libatspi, 5)
        self.describe("Without a cache, focusd", seconds)
        self.note(f"Without a cache: processor time {milliseconds(statistics.median(used for _, used in times))}.")

    def faster(self, title, ours, base, least):
        times = base / ours
        reached = times >= least
        self.report.row(title, milliseconds(ours), milliseconds(base), f"1 / {times:.1f}", f"≤ 1 / {least}", reached)

    def growth(self):
        medians, walks = [], []
        for nodes in SIZES:
            tree = self.tree(nodes)
            rounds = (3 if self.quick else 7) if nodes < MOST else (2 if self.quick else 3)
            self.cache_walk(tree)
            ours, base = self.compare_loads(f"Load of {nodes:,}", tree, rounds)
            self.report.row(f"load of {nodes:,}", milliseconds(ours), milliseconds(base), f"{ours / base:.2f}")
            medians.append(ours / nodes)
            walks.append(base / nodes)
        ours, base = (values[-1] / values[0] for values in (medians, walks))
        title = f"time for each node, {MOST:,} against {SIZES[0]:,}"
        self.report.row(title, f"{ours:.2f} ×", f"{base:.2f} ×", "–", "≤ 1.2 ×", ours <= 1.2)
        ours, base = (values[-1] / values[1] for values in (medians, walks))
        self.report.row(f"…, {MOST:,} against {MANY:,}", f"{ours:.2f} ×", f"{base:.2f} ×", "–", "≤ 1.2 ×", ours <= 1.2)

    def memory(self):
        tree = self.tree(MOST)
        count, strings = self.items(tree)
        with self.focusd(tree) as (server, client):
            read = lambda: private_bytes(server.pid, ("Private_Dirty:",))  # noqa: E731
            before = settle(read)
            client.find(tree.nothing())
            loaded = settle(read)
            peak = peak_bytes(server.pid)
            client.find(tree.last(), 1)
            with_ids = settle(read)
        mean = strings / count
        ours = (loaded - before) / count
        title = f"memory for each of {MOST:,} nodes, without its strings"
        self.report.row(title, f"{ours - mean:.0f} bytes", reach="≤ 250 bytes", reached=ours - mean <= 250)
        self.note(
            f"Memory: {(loaded - before) / MEBIBYTE:.1f} MB more after {count:,} nodes, {ours:.0f} bytes each; name, description "
            f"and path have {mean:.0f} of them on average. While it loads, the most is {peak / MEBIBYTE:.0f} MB resident; with the "
            f"ids {(with_ids - before) / MEBIBYTE:.1f} MB more than at the start."
        )

    def events(self):
        rounds, counted, applied = 3 if self.quick else 7, [], []
        processor = {"filter": [], "focusd": []}
        with contextlib.ExitStack() as stack:
            quiet, tree = (Tree(self.place, self.bus(), MANY, f"events {it}") for it in ("counted", "applied"))
            rules = [f"type='signal',sender='{quiet.name}',{rule}" for rule in RULES]
            server, client = stack.enter_context(self.focusd(tree))
            client.find(tree.nothing())

            def count():
                command = [PROGRAMS / "count-events", "--bus", quiet.bus, "--count", EVENTS, *rules]
                counter = self.place.talk(command)
                counter.line()
                begin = int(quiet.command(f"events {EVENTS}").split()[0])
                end, used = counter.line(60).split()
                self.place.end(counter)
                counted.append(EVENTS / (int(end) - begin) * 1e9)
                processor["filter"].append(int(used) / EVENTS * 1e3)

            def apply():
                before, used = client.events(tree.name), processor_seconds(server.pid)
                begin, _, marker = tree.command(f"events {EVENTS}").split(maxsplit=2)
                while client.events(tree.name) < before + EVENTS:
                    if time.monotonic_ns() > int(begin) + 60e9:
                        raise NotMeasured("the events do not come through")
                    time.sleep(0.005)
                applied.append(EVENTS / (time.monotonic_ns() - int(begin)) * 1e9)
                processor["focusd"].append((processor_seconds(server.pid) - used) / EVENTS * 1e9)
                after.append(client.find(f'application[name="{tree.title}"] *[name="{marker}"]', 1))
                settle(lambda: client.call("GetStatistics")["statistics"]["counters"]["mirrorChecks"], 3)

            after = []
            for number in range(rounds):
                for measure in (count, apply) if number % 2 == 0 else (apply, count):
                    measure()
            counters = client.call("GetStatistics")["statistics"]["counters"]
        ours, base = statistics.median(applied), statistics.median(counted)
        ratio = ours / base
        self.report.row(
            f"{EVENTS:,} events applied", f"{ours:,.0f}/s", f"{base:,.0f}/s", f"{ratio:.2f}", "≥ 0.7 ×", ratio >= 0.7)
        figures = [f"{statistics.median(processor[name]):,.0f} ns" for name in ("focusd", "filter")]
        self.note(
            f"Events: focusd {min(applied):,.0f} to {max(applied):,.0f}/s, filter {min(counted):,.0f} to {max(counted):,.0f}/s; "
            f"processor time for each {figures[0]} against {figures[1]}. Find of the last one's name right after: "
            f"{milliseconds(statistics.median(after))}. " + repairs(counters)
        )

    def finds(self):
        tree, place = self.tree(MOST), self.place
        # In the middle: the first row of a section, and the first push button in it.
        row = MOST // 2 - (MOST // 2 - 2) % 101 + 1
        button = next(node for node in range(row + 1, row + 10) if node % 4 == 1)
        kinds = {
            f"#node-{button}": (20_000, "≤ 20 µs"),
            f'push-button[name="Delete message {button}"]': (1_000_000, "≤ 1 ms"),
            f'list-item:has(> push-button[name="Delete message {button}"])': (50_000_000, "≤ 50 ms"),
        }
        with self.focusd(tree) as (server, client):
            client.find(tree.nothing())
            self.note(f"The first #id among {MOST:,} nodes took {milliseconds(client.find(tree.last(), 1))}.")

            def ask(text, count):
                options = ["--socket", server.socket, "--request", text, "--count", count]
                return numbers(output([PROGRAMS / "echo", "ask", *options]))

            def measure(text, count):
                """Round trips, and the processor time of focusd for each, in nanoseconds."""
                used = processor_seconds(server.pid)
                values = ask(text, count)
                return values, (processor_seconds(server.pid) - used) / count * 1e9

            for selector, (most, reach) in kinds.items():
                # Warm is what asks the application nothing more.
                fast, until = 0, time.monotonic() + 120
                while fast < 5:
                    fast = fast + 1 if client.find(selector, 1) < 1 else 0
                    if time.monotonic() > until:
                        raise NotMeasured(f"{selector} does not become warm")
                values, trivial, used, used_trivial = [], [], [], []
                for _ in range(5):
                    for text, count, times, processor in (
                        (request("org.varlink.service.GetInfo"), 400, trivial, used_trivial),
                        (request("Find", selector=selector), 400 if most < 10_000_000 else 10, values, used),
                    ):
                        some, each = measure(text, count)
                        times += some
                        processor.append(each)
                middle, least = percentile(values, 50), percentile(trivial, 50)
                own = max(0, middle - least)
                title = f"Find, warm, among {MOST:,}: {selector}"
                self.report.row(title, microseconds(own), f"{microseconds(least)} GetInfo", "–", reach, own <= most)
                figures = [microseconds(statistics.median(it)) for it in (used, used_trivial)]
                self.note(
                    f"{selector}: round trip {spread(values)}, GetInfo {spread(trivial)}; processor time {figures[0]} each, "
                    f"GetInfo {figures[1]}.")

    def ids(self):
        rounds = 3 if self.quick else 5
        for title, tree in ((f"a GTK 3 window of {MANY:,}", self.window()), (f"{MANY:,}", self.tree(MANY))):
            windows = {}
            for window in (16, 32, 64, 128, 256, 512):
                command = [PROGRAMS / "read-ids", "--bus", tree.bus, "--application", tree.name, "--window", window]
                windows[window] = min(float(line.split()[1]) for line in output([*command, "--rounds", 3]).splitlines())
            best = min(windows, key=windows.get)

            def least():
                command = [PROGRAMS / "read-ids", "--bus", tree.bus, "--application", tree.name, "--window", best]
                return float(output(command).split()[1]) / 1000

            def first():
                with self.focusd(tree) as (_, client):
                    client.find(tree.nothing())
                    return client.find(tree.last(), 1)

            times = self.times(rounds, focusd=first, least=least)
            ours, base = (statistics.median(times[name]) for name in ("focusd", "least"))
            ratio = ours / base
            self.report.row(
                f"the first #id in {title}", milliseconds(ours), milliseconds(base), f"{ratio:.2f}", "≤ 1.5 ×", ratio <= 1.5)
            self.note(
                f"Ids of {title}, by questions under way: "
                + ", ".join(f"{window}: {ms:.0f} ms" for window, ms in windows.items()) + ".")
            self.describe(f"First #id in {title}, focusd", times["focusd"])

    def flooded(self):
        place, moves = self.place, 200 if self.quick else 500
        bus = self.bus()
        side = Side(place, "focusd", bus)
        flooding, stopped = Tree(place, bus, MANY, "flooding"), Tree(place, bus, 1_000, "stopped")
        side.server = place.focusd(self.bench.program, bus)
        client, waiting = Client(side.server.socket), Client(side.server.socket)
        for tree in (flooding, stopped):
            client.knows(tree.name)
            client.find(tree.nothing())
        # Somebody waits for what never comes: both trees are kept true, and each change of them is looked at.
        waiting.send("Wait", selector='push-button[name="never there"]', condition="present", timeoutMilliseconds=600_000)
        rounds = {"quiet": [], "flooded": [], "flooded and stopped": []}
        rates, used = [], []

        def measure(name):
            if name != "quiet":
                flooding.command(f"rate {FLOOD}")
            if name.endswith("stopped"):
                os.kill(stopped.application.pid, signal.SIGSTOP)
            try:
                before, begin = processor_seconds(side.server.pid), time.monotonic()
                rounds[name].append(numbers(side.run("latency", "--moves", moves)))
                if name != "quiet":
                    used.append((processor_seconds(side.server.pid) - before) / (time.monotonic() - begin))
            finally:
                os.kill(stopped.application.pid, signal.SIGCONT)
            if name != "quiet":
                sent, seconds = flooding.command("rate 0").split()
                rates.append(int(sent) / float(seconds))
                time.sleep(0.5)

        for number in range(3 if self.quick else 8):
            names = list(rounds)
            for name in names if number % 2 == 0 else reversed(names):
                measure(name)
        if min(rates) < FLOOD * 0.95:
            raise NotMeasured(f"the flood reached only {min(rates):.0f} events/s")
        if select.select([waiting.socket], [], [], 0)[0]:
            raise NotMeasured(f"Wait ended: {waiting.receive()}")
        pooled = {name: sum(values, []) for name, values in rounds.items()}
        for percent in (50, 99):
            ours, base = (percentile(pooled[name], percent) for name in ("flooded and stopped", "quiet"))
            ratio = ours / base
            reach = ("≤ 2 ×", ratio <= 2) if percent == 99 else ("–", None)
            self.report.row(
                f"signal → client, {FLOOD:,} events/s and one stopped, p{percent}", microseconds(ours),
                f"{microseconds(base)} quiet", f"{ratio:.2f}", *reach)
        for name, values in pooled.items():
            self.note(f"With trees mirrored, {name}: {spread(values)}.")
        ratios = [percentile(one, 99) / percentile(other, 99) for one, other in zip(rounds[names[2]], rounds[names[0]])]
        self.note(
            f"Flooded, ratio of p99 by round: {min(ratios):.2f} to {max(ratios):.2f}, median {statistics.median(ratios):.2f}; "
            f"{min(rates):,.0f} to {max(rates):,.0f} events/s; focusd used {statistics.median(used):.0%} of a processor. "
            + repairs(client.call("GetStatistics")["statistics"]["counters"])
        )
        place.end(side.server)


def peak_bytes(pid):
    """The most that was ever resident."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024


def repairs(counters):
    names = ("mirrorLoads", "mirrorReloads", "mirrorChecks", "mirrorRepairs")
    return "Its counters: " + ", ".join(f"{name} {counters[name]}" for name in names) + "."
