#!/usr/bin/env python3
"""Binds a value to an element of any application, from outside: prints each change of it, and sets it.

Usage: focus_port.py SELECTOR [--set] [--socket PATH]

SELECTOR says which element is meant, as in docs/selectors.md. A line is printed for the value as it is, and for each
change: `on NAME (CAUSE)` or `off (CAUSE)`. Each line on standard input does something: `set` brings the screen reader
to the element, `back` gives the focus back, `again` has the element presented anew; what became of it is printed too.
With --set, that is done once at the start. It needs the package `varlink`: pip install varlink.
"""

import argparse
import os
import sys
import threading

import varlink

VALUE = "here"


def say(text):
    print(text, flush=True)


def show(change):
    where = f"on {change['element']['name']!r}" if change.get("value") else "off"
    assumed = ", assumed" if change["assumed"] else ""
    say(f"{where} ({change['cause']}{assumed})")


def obey(address, state, commands):
    """Sets the value, on a connection of its own: a stream occupies the one that it is on."""
    with varlink.Client.new_with_address(address) as client, client.open("io.focusd.Focus") as focusd:
        for command in commands:
            command = command.strip()
            wish = {"set": {"value": VALUE}, "again": {"value": VALUE, "again": True}, "back": {}}.get(command)
            if wish is None:
                say(f"unknown: {command}; there are set, again and back")
                continue
            outcome = focusd.SetValue(state=state, **wish)["outcome"]
            say(f"{command}: {outcome['result']}" + (f", {outcome['reason']}" if outcome.get("reason") else ""))


def main():
    parser = argparse.ArgumentParser(description="Binds a value to an element, prints its changes, sets it.")
    parser.add_argument("selector")
    parser.add_argument("--set", action="store_true", help="bring the screen reader there at once")
    parser.add_argument("--socket", default=f"{os.environ.get('XDG_RUNTIME_DIR', '')}/focusd/io.focusd.Focus")
    arguments = parser.parse_args()
    address = "unix:" + arguments.socket

    try:
        with varlink.Client.new_with_address(address) as client, client.open("io.focusd.Focus") as focusd:
            prototypes = [{"value": VALUE, "selector": arguments.selector}]
            for reply in focusd.Bind(prototypes=prototypes, _more=True):
                if reply.get("change"):
                    show(reply["change"])
                if reply.get("instance"):  # the first reply
                    start = ["set"] if arguments.set else []
                    commands = (line for lines in (start, sys.stdin) for line in lines)
                    threading.Thread(target=obey, args=(address, reply["state"], commands), daemon=True).start()
    except varlink.VarlinkError as error:
        sys.exit(f"focusd says {error.error()}: {error.parameters()}")
    except (OSError, varlink.ConnectionError) as error:
        sys.exit(f"focusd cannot be reached at {arguments.socket}: {error}")


try:
    main()
except KeyboardInterrupt:
    pass
