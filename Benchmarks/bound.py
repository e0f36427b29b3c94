"""The measures of bound values: how soon a client has one, many clients at once, setting one, and what each costs."""

import json
import time

from harness import PROGRAMS, NotMeasured, Side, microseconds, numbers, percentile, private_bytes, settle, spread
from mirror import Client, Tree

STATES, PROTOTYPES = 1_000, 4
CLIENTS, PER_PROCESS = 500, 63
HELD = 4_000


def bind(prototypes, **parameters):
    """A Bind's call as text."""
    values = [{"value": value, "selector": selector} for value, selector in prototypes]
    call = {"method": "io.focusd.Focus.Bind", "parameters": {"prototypes": values, **parameters}, "more": True}
    return json.dumps(call, separators=(",", ":"))


def button(number):
    return f'push-button[name="Button number {number}"]'


# The two buttons between which the probe moves.
PAIR = bind([("a", button(0)), ("b", button(1))])


class Session:
    """Any number of states in one session."""

    def __init__(self, path):
        self.stream, self.calls = Client(path), Client(path)
        self.stream.socket.sendall(json.dumps({"method": "io.focusd.Focus.OpenSession", "more": True}).encode() + b"\0")
        self.name = self.stream.receive()["session"]

    def bind(self, prototypes):
        values = [{"value": value, "selector": selector} for value, selector in prototypes]
        return self.calls.call("Bind", prototypes=values, session=self.name)["state"]

    def close(self):
        self.stream.close()
        self.calls.close()


class Bound:
    """One run of these measures. Each of them starts what it needs and ends it."""

    def __init__(self, bench, mirror):
        self.bench, self.mirror, self.place = bench, mirror, bench.place
        self.report, self.quick = bench.report, bench.quick
        self.note = self.report.details.append

    def latency(self):
        """As the first row of all, but the client has a value bound instead of following the focus."""
        bench, place, moves = self.bench, self.place, 100 if self.quick else 300
        focusd = bench.focusd
        size = int(focusd.run("size", "--call", PAIR))
        relay = Side(place, "relay")
        relay.server = place.relay(relay.bus, size)
        self.note(f"One change of a state is {size} bytes; the relay writes as many.")
        rounds = 3 if self.quick else 10

        def measure(side, _):
            options = ("--call", PAIR) if side is focusd else ()
            return numbers(side.run("latency", "--moves", moves, *options))

        ours, base = bench.alternate(rounds, [focusd, relay], measure)
        bench.compare("signal → bound client, 1 state", ours, base, 50, 2)
        bench.compare("signal → bound client, 1 state", ours, base, 99)
        bench.describe("Bound, 1 state", ours, base, "relay")
        session = Session(focusd.server.socket)
        # None of them is about the two buttons: what counts is that they are asked about each move.
        for state in range(STATES - 1):
            first = 100 + state * PROTOTYPES
            session.bind([(f"v{number}", button(number)) for number in range(first, first + PROTOTYPES)])
        title = f"signal → bound client, {STATES:,} states of {PROTOTYPES}"
        ours, base = bench.alternate(rounds, [focusd, relay], measure)
        bench.compare(title, ours, base, 50, 3)
        bench.compare(title, ours, base, 99)
        bench.describe(f"Bound, {STATES:,} states", ours, base, "relay")
        session.close()
        place.end(relay.server)

    def crowd(self):
        """Many clients with one binding each, all of which one move concerns."""
        place, moves = self.place, 50 if self.quick else 200
        side = Side(place, "focusd")
        side.server = place.focusd(self.bench.program, side.bus)
        # It is known and at the first button before anybody binds.
        side.run("size")
        crowds, left = [], CLIENTS
        while left > 0:
            count = min(left, PER_PROCESS)
            left -= count
            command = [PROGRAMS / "crowd", "--socket", side.server.socket, "--clients", count, "--moves", moves]
            crowds.append(place.talk([*command, "--call", PAIR]))
        for crowd in crowds:
            crowd.line(60)
        # One more move than is measured: the probe's own first one concerns them, too.
        side.run("latency", "--moves", moves + 10, "--rate", 20)
        lines = [[list(map(int, crowd.line(60).split())) for _ in range(moves)] for crowd in crowds]
        spans = [max(last for _, last in told) - min(first for first, _ in told) for told in zip(*lines)]
        middle = percentile(spans, 50)
        figures = (f"{middle / 1e6:.1f} ms", "–", "–", "≤ 10 ms", middle <= 10e6)
        self.report.row(f"{CLIENTS} bound clients, one move: the last after the first, p50", *figures)
        self.note(f"{CLIENTS} clients in {len(crowds)} processes, last after first: {spread(spans)} ({moves} moves).")
        for crowd in crowds:
            place.end(crowd)
        place.end(side.server)

    def sets(self):
        """A set's round trip, less the time that the screen reader itself takes."""
        place, count = self.place, 50 if self.quick else 300
        bus = self.mirror.bus()
        tree = Tree(place, bus, 1_000, "tree")
        side = Side(place, "focusd", bus)
        side.server = place.focusd(self.bench.program, bus)
        client, session = Client(side.server.socket), Session(side.server.socket)
        client.knows(tree.name)
        follower = place.talk(side.probe("follow"), executable=PROGRAMS / "probe")
        follower.line(20)
        application = 'application[name="tree"]'
        labels = client.call("Find", selector=f"{application} label", limit=2)["elements"]
        if len(labels) < 2:
            raise NotMeasured("the application has no two labels")
        state = session.bind([(value, f"{application} #node-{label['path'].rsplit('/', 1)[1]}") for value, label in zip("ab", labels)])
        times = []
        for number in range(count + 10):
            begin = time.monotonic_ns()
            outcome = client.call("SetValue", state=state, value="ab"[number % 2])["outcome"]
            whole = time.monotonic_ns() - begin
            if outcome["result"] != "confirmed" or outcome["route"] != "activeDescendant":
                raise NotMeasured(f"a set was not confirmed: {outcome}")
            own = int(follower.line())
            if number >= 10:
                times.append(whole - own)
        middle = percentile(times, 50)
        self.report.row(
            "SetValue → outcome, beyond Orca's own time, p50", microseconds(middle), reach="≤ 2 ms", reached=middle <= 2e6)
        self.note(f"SetValue beyond the screen reader's own time: {spread(times)} ({count} sets).")
        session.close()
        place.end(follower)
        place.end(side.server)

    def memory(self):
        """What each bound state adds to memory that was written to."""
        place = self.place
        focusd = place.focusd(self.bench.program, None)
        path = focusd.socket
        # The memory of the first ones is room that the later ones use.
        warm = Session(path)
        for number in range(50):
            warm.bind([("true", button(number))])

        def written():
            return settle(lambda: private_bytes(focusd.pid, "Private_Dirty:"), 0.3)

        def grow(title, prototypes, reach=None):
            before, session = written(), Session(path)
            for number in range(HELD):
                first = 100_000 + number * prototypes
                session.bind([(f"v{one}", button(one)) for one in range(first, first + prototypes)])
            each = (written() - before) / HELD
            reached = None if reach is None else each <= reach
            self.report.row(title, f"{each / 1024:.2f} KiB", reach="≤ 4 KiB" if reach else "–", reached=reached)
            session.close()

        grow("private memory for a bound state", 1, 4096)
        grow(f"…, with {PROTOTYPES} prototypes", PROTOTYPES)
        warm.close()
        place.end(focusd)
