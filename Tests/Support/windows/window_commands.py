"""Line commands on standard input for the test windows, each answered by a line on standard output.

hide NAME, show NAME, focus NAME, rename NAME=NEW, close, open, raise, quit. The answer is `ok COMMAND`; READY comes
first, once the window is active.
"""

import os
import sys


def serve(window, parts, glib, stop, is_active, is_focused, set_name, present):
    """Answers commands until standard input ends."""

    def say(line):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def ready():
        if not is_active():
            return True
        say("READY")
        return False

    glib.timeout_add(10, ready)

    def obey(line):
        command, _, rest = line.partition(" ")
        if command == "hide":
            parts[rest].set_visible(False)
        elif command == "show":
            parts[rest].set_visible(True)
        elif command == "focus":
            parts[rest].grab_focus()
        elif command == "rename":
            name, _, new = rest.partition("=")
            set_name(parts[name], new)
        elif command == "close":
            window.set_visible(False)
        elif command == "open":
            window.set_visible(True)
            present()
        elif command == "raise":
            present()
        elif command == "quit":
            stop()
        else:
            say("unknown " + line)
            return
        say("ok " + line)

    buffer = bytearray()

    def readable(descriptor, _condition):
        data = os.read(descriptor, 4096)
        if not data:
            stop()
            return False
        buffer.extend(data)
        while b"\n" in buffer:
            line, _, rest = bytes(buffer).partition(b"\n")
            buffer[:] = rest
            obey(line.decode())
        return True

    glib.io_add_watch(0, glib.IOCondition.IN | glib.IOCondition.HUP, readable)
