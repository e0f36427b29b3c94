"""What all measures share: the private folder with what was started in it, the sides, the report."""

import os
import pathlib
import select
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
PROGRAMS = HERE / "bin"
GET_INFO = b'{"method":"org.varlink.service.GetInfo"}\0'
BUTTONS = 12_000
MEBIBYTE = 1_048_576

BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>accessibility</type>
  <auth>EXTERNAL</auth>
  <listen>unix:path={path}</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
  <limit name="max_message_size">1000000000</limit>
  <limit name="max_replies_per_connection">50000</limit>
</busconfig>
"""


class NotMeasured(Exception):
    """Something did not do what a measure needs."""


def progress(text):
    print(text, file=sys.stderr, flush=True)


# The C programs, and what they need beside libdbus.
OPPONENTS = {
    "relay": [], "application": [], "probe": [], "echo": [], "tree-application": [], "cache-walk": [], "read-ids": [],
    "count-events": [], "crowd": [], "libatspi-walk": ["atspi-2", "gobject-2.0"],
}


def build(arguments):
    """Builds the C programs and, unless another one was named, a static release of focusd."""
    PROGRAMS.mkdir(exist_ok=True)
    newest_header = max(header.stat().st_mtime for header in HERE.glob("*.h"))
    for name, libraries in OPPONENTS.items():
        source, program = HERE / f"{name}.c", PROGRAMS / name
        if program.exists() and program.stat().st_mtime > max(source.stat().st_mtime, newest_header):
            continue
        asking = ["pkg-config", "--cflags", "--libs", "dbus-1", *libraries]
        asked = subprocess.run(asking, check=True, stdout=subprocess.PIPE, text=True)
        warnings = ["-Wall", "-Wextra", "-Werror"]
        command = ["gcc", "-std=gnu17", "-O2", *warnings, str(source), "-o", str(program), *shlex.split(asked.stdout)]
        subprocess.run(command, check=True)
    if arguments.focusd is not None:
        return pathlib.Path(arguments.focusd).resolve()
    options = ["-c", "release", "--static-swift-stdlib", "--product", "focusd", "--scratch-path", ".build/bench"]
    if not arguments.no_build:
        progress("building a static release of focusd …")
        built = subprocess.run(["swift", "build", *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if built.returncode != 0:
            sys.exit(built.stdout.decode(errors="replace"))
    where = subprocess.run(
        ["swift", "build", *options, "--show-bin-path"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    program = pathlib.Path(where.stdout.strip()) / "focusd"
    if not program.exists():
        sys.exit(f"{program} does not exist; run without --no-build")
    return program


class Started:
    """A process that was started here; it is ended by its own id."""

    def __init__(self, command, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen([str(word) for word in command], **options)
        self.pid = self.process.pid

    def line(self, seconds=15):
        """Its next line of output."""
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise NotMeasured(f"{self.process.args[0]} said nothing within {seconds} s")
        line = self.process.stdout.readline().decode().strip()
        if not line:
            raise NotMeasured(f"{self.process.args[0]} ended early")
        return line

    def end(self):
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Place:
    """The private folder, and all that was started in it."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="focusd-bench."))
        self.started = []
        self.count = 0

    def start(self, command, **options):
        started = Started(command, **options)
        self.started.append(started)
        return started

    def talk(self, command, **options):
        """Starts a program that reads lines and answers with lines."""
        return self.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **options)

    def end(self, started):
        started.end()
        self.started.remove(started)

    def close(self):
        for started in reversed(self.started):
            started.end()
        shutil.rmtree(self.path, ignore_errors=True)

    def name(self, what):
        self.count += 1
        return self.path / f"{what}{self.count}"

    def bus(self):
        """A message bus of its own; returns its address."""
        path = self.name("bus")
        configuration = self.configuration(f"unix:path={path}")
        configuration.write_text(BUS_CONFIGURATION.format(path=path))
        daemon = self.start(["dbus-daemon", "--nofork", f"--config-file={configuration}"])
        answers(path, daemon)
        return f"unix:path={path}"

    def configuration(self, bus):
        """The file of a bus that was started here."""
        return self.path / f"{pathlib.Path(bus).name}.conf"

    def focusd(self, program, bus):
        """Starts focusd in a runtime folder of its own; it finds only the bus that is given, or none."""
        runtime = self.name("runtime")
        runtime.mkdir(mode=0o700)
        environment = {"PATH": os.environ["PATH"], "HOME": str(runtime), "XDG_RUNTIME_DIR": str(runtime)}
        if bus:
            environment["AT_SPI_BUS_ADDRESS"] = bus
        path = runtime / "focusd" / "io.focusd.Focus"
        return self.serve([program], path, GET_INFO, env=environment, stderr=subprocess.DEVNULL)

    def relay(self, bus, size):
        path = self.name("relay")
        return self.serve([PROGRAMS / "relay", "--bus", bus, "--socket", path, "--bytes", size], path)

    def serve(self, command, path, request=b"", **options):
        begin = time.monotonic()
        started = self.start(command, **options)
        started.socket = path
        started.seconds = answers(path, started, request) - begin
        return started


class Side:
    """One of those compared: its own bus, the same application on it, and the server that is measured."""

    def __init__(self, place, kind, bus=None):
        self.kind = kind
        self.bus = bus or place.bus()
        self.configuration = place.configuration(self.bus)
        command = [PROGRAMS / "application", "--bus", self.bus, "--buttons", BUTTONS]
        self.application = place.talk(command)
        self.name = self.application.line()
        self.server = None

    def storm(self, rate, patience=15):
        """Lets the application send so many events a second from now on; returns the rate that was reached before."""
        self.application.process.stdin.write(b"%d\n" % rate)
        sent, seconds = self.application.line(patience).split()
        return int(sent) / float(seconds)

    def probe(self, task, *options, server=None):
        """The command of the program that moves and listens."""
        path = (server or self.server).socket
        common = ["--kind", self.kind, "--bus", self.bus, "--application", self.name, "--socket", path]
        return ["orca", task, *common, *options]

    def run(self, task, *options, server=None):
        return output(self.probe(task, *options, server=server), executable=PROGRAMS / "probe")

    def hold(self, place, server=None):
        """A screen reader that has moved once and now rests; with it a client that follows."""
        holding = place.talk(self.probe("hold", server=server), executable=PROGRAMS / "probe")
        holding.line()
        return holding


def answers(path, started, request=None):
    """Waits until a socket takes a connection and, where something is to be asked, answers; returns the moment."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if started.process.poll() is not None:
            raise NotMeasured(f"{started.process.args[0]} ended with status {started.process.returncode}")
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            try:
                client.connect(str(path))
                if request is not None:
                    client.sendall(request)
                    client.recv(65536)
                return time.monotonic()
            except (FileNotFoundError, ConnectionError):
                time.sleep(0.000_1)
            except TimeoutError:
                break
    raise NotMeasured(f"nobody answered at {path.name}")


def output(command, executable=None):
    """What a program prints; raises where it fails or takes longer than two minutes."""
    command = [str(word) for word in command]
    title = f"{pathlib.Path(executable or command[0]).name} {command[1]}"
    try:
        ended = subprocess.run(command, executable=executable, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"{title} took longer than two minutes") from None
    if ended.returncode != 0:
        raise NotMeasured(f"{title}: {ended.stderr.strip() or ended.returncode}")
    return ended.stdout


def numbers(text):
    return [int(line) for line in text.split()]


def per_second(text):
    count, seconds = text.split()
    return int(count) / float(seconds)


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def private_bytes(pid, kinds=("Private_Clean:", "Private_Dirty:")):
    """Memory that is this process's alone."""
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(kinds)) * 1024


def switches(pid):
    """How often the threads of a process were switched, of their own will or not, and how many threads there are."""
    tasks = list(pathlib.Path(f"/proc/{pid}/task").iterdir())
    lines = [line for task in tasks for line in (task / "status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if "voluntary_ctxt_switches:" in line), len(tasks)


def settle(figure, seconds=1):
    """Waits until a figure has not changed for a while, for at most ten seconds."""
    until, last, since = time.monotonic() + 10, None, 0
    while (now := time.monotonic()) < until:
        value = figure()
        if value != last:
            last, since = value, now
        elif now - since >= seconds:
            break
        time.sleep(0.02)
    return last


def busy_share():
    """The part of the processors' time that was used during one second."""

    def read():
        fields = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    total, idle = read()
    time.sleep(1)
    total_after, idle_after = read()
    return 1 - (idle_after - idle) / max(1, total_after - total)


class Report:
    """The rows of the table, and what stands below it."""

    def __init__(self):
        self.rows = []
        self.details = []
        self.failures = []

    def row(self, measure, focusd, baseline="–", ratio="–", reach="–", reached=None):
        verdict = "–" if reached is None else "ok" if reached else "missed"
        self.rows.append((measure, focusd, baseline, ratio, reach, verdict))

    def failed(self, measure, reason):
        self.failures.append(measure)
        self.rows.append((measure, "not measured", "–", "–", "–", " ".join(str(reason).split()).replace("|", "/")))

    def print(self):
        heads = ("measure", "focusd", "baseline", "ratio", "reach", "verdict")
        widths = [max(len(row[column]) for row in [heads, *self.rows]) for column in range(len(heads))]
        for row in [heads, tuple("-" * width for width in widths), *self.rows]:
            print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
        print()
        for line in self.details:
            print(f"- {line}")


def microseconds(nanoseconds):
    return f"{nanoseconds / 1000:.0f} µs"


def spread(values):
    figures = [f"p{percent} {microseconds(percentile(values, percent))}" for percent in (50, 90, 99)]
    return ", ".join([*figures, f"max {microseconds(max(values))}"])
