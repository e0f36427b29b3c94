"""Speaks to focusd with the Python package `varlink`, which nobody here wrote. Says a line for each step."""

import json
import sys

import varlink

socket, target = sys.argv[1:]


def say(step, value):
    print(step, json.dumps(value, ensure_ascii=False, sort_keys=True), flush=True)


def name(reply):
    return (reply["focus"].get("element") or {}).get("name")


with varlink.Client.new_with_address("unix:" + socket) as client:
    with client.open("org.varlink.service") as service:
        info = service.GetInfo()
        say("info", [info["product"], sorted(info["interfaces"])])
        text = service.GetInterfaceDescription("io.focusd.Focus")["description"]
        say("methods", [word.split("(")[0] for word in text.split("method ")[1:]])

    with client.open("io.focusd.Focus") as focus:
        say("focus", name(focus.GetFocus()))
        say("orca", name(focus.GetFocus(technology="orca")))
        technologies = focus.ListTechnologies()["technologies"]
        say("technologies", [[entry["id"], entry["active"]] for entry in technologies])
        try:
            focus.GetFocus(technology="nobody")
        except varlink.VarlinkError as error:
            say("error", [error.error(), error.parameters()])
        try:
            focus.MoveFocus(element="nonsense")
        except varlink.VarlinkError as error:
            say("error", [type(error).__name__, error.parameters()])
        outcome = focus.MoveFocus(element=target, timeoutMilliseconds=20000)["outcome"]
        say("outcome", [outcome["result"], outcome["element"]["name"]])

        changes = focus.GetFocus(_more=True)
        first = next(changes)
        say("watching", [name(first), first["focus"]["cause"], "instance" in first])
        for _ in range(3):
            change = next(changes)
            say("change", [name(change), change["focus"]["cause"], change["focus"]["previous"]["name"]])
    say("end", None)
