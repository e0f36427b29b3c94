"""Line commands on standard input for the test windows, each answered by a line on standard output.

Every window: hide NAME, show NAME, focus NAME, rename NAME=NEW, close, open, raise, quit, and typed NAME=TEXT, which
is done once that field has this text. Windows that change their
tree: add NAME (a group with a label, a button and a check box), remove NAME, check NAME (toggles it), page NUMBER (of
the tabs, from 0), insert NAME (a row, before the second). Windows of a scene: another TITLE (a second window, with two
buttons). The answer is `ok COMMAND`; READY comes first, once the
window is active.
"""

import os
import sys


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Commands:
    """Commands by their first word, read as lines as they come."""

    def __init__(self, actions, stop):
        self.actions = actions
        self.stop = stop
        self.buffer = bytearray()

    def read(self):
        """Reads what there is and obeys whole lines; False at the end of standard input."""
        data = os.read(0, 4096)
        if not data:
            self.stop()
            return False
        self.buffer.extend(data)
        while b"\n" in self.buffer:
            line, _, rest = bytes(self.buffer).partition(b"\n")
            self.buffer[:] = rest
            self.obey(line.decode())
        return True

    def obey(self, line):
        command, _, rest = line.partition(" ")
        action = self.actions.get(command)
        if action is None:
            say("unknown " + line)
            return
        action(rest)
        say("ok " + line)


def serve(window, parts, glib, stop, is_active, set_name, present, more=None, text=lambda widget: widget.get_text()):
    """Answers commands to a GTK window until standard input ends."""

    def ready():
        if not is_active():
            return True
        say("READY")
        return False

    def rename(rest):
        name, _, new = rest.partition("=")
        set_name(parts[name], new)

    def typed(rest):
        name, _, wanted = rest.partition("=")
        while text(parts[name]) != wanted:
            glib.MainContext.default().iteration(True)

    def reopen(_):
        window.set_visible(True)
        present()

    actions = {
        "hide": lambda name: parts[name].set_visible(False),
        "show": lambda name: parts[name].set_visible(True),
        "focus": lambda name: parts[name].grab_focus(),
        "rename": rename,
        "typed": typed,
        "close": lambda _: window.set_visible(False),
        "open": reopen,
        "raise": lambda _: present(),
        "quit": lambda _: stop(),
    }
    actions.update(more or {})
    commands = Commands(actions, stop)
    glib.timeout_add(10, ready)
    glib.io_add_watch(0, glib.IOCondition.IN | glib.IOCondition.HUP, lambda *_: commands.read())
