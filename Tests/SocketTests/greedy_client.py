"""A client that takes as much as it gets. Says READY when it has it, and holds it until its standard input ends.

    greedy_client.py SOCKET hold            something of each kind
    greedy_client.py SOCKET deaf COUNT      streams of which it reads nothing
    greedy_client.py SOCKET unfinished COUNT BYTES   messages that have no end
    greedy_client.py SOCKET share WHAT        as much of one thing as it gets: a line says of which limit it was told
    greedy_client.py SOCKET flood COUNT     calls without end, on so many connections, whose answers it reads

A line on its standard input: `half` ends its writing on all connections; `whole` ends its messages.
"""

import json
import select
import socket
import sys
import threading

place, task, *numbers = sys.argv[1:]
peers = []


def connect():
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(place)
    peers.append(peer)
    return peer


def send(method, more=False, **parameters):
    peer = connect()
    call = {"method": "io.focusd.Focus." + method, "parameters": parameters}
    if more:
        call["more"] = True
    peer.sendall(json.dumps(call).encode() + b"\0")
    return peer


def answer(peer):
    data = b""
    while not data.endswith(b"\0"):
        piece = peer.recv(65536)
        assert piece, "focusd closed the connection"
        data += piece
    return json.loads(data.split(b"\0")[0])["parameters"]


def hold():
    answer(send("GetFocus", more=True))
    session = answer(send("OpenSession", more=True))["session"]
    never = [{"value": value, "selector": f"label[name={value}-never]"} for value in "ab"]
    states = [answer(send("Bind", prototypes=never, session=session))["state"] for _ in range(3)]
    answer(send("Bind", more=True, prototypes=never))
    # These wait for what never comes.
    send("Wait", selector="label[name=never]", condition="present", timeoutMilliseconds=600_000)
    send("SetValue", state=states[0], value="a", timeoutMilliseconds=60_000)
    send("MoveFocus", selector="label[name=never]", timeoutMilliseconds=60_000)
    connect().sendall(b"x" * 100_000)


def ask(peer, method, **parameters):
    peer.sendall(json.dumps({"method": "io.focusd.Focus." + method, "parameters": parameters}).encode() + b"\0")
    return message(peer)


def message(peer):
    data = b""
    while not data.endswith(b"\0"):
        piece = peer.recv(65536)
        assert piece, "focusd closed the connection"
        data += piece
    return json.loads(data[:-1])


def first_answer(waiting):
    """Of calls on many connections, which wait for what never comes, the first that is answered."""
    ready = select.select(waiting, [], [], 60)[0]
    assert ready, "nothing was refused"
    return message(ready[0])


def share(what):
    session = answer(send("OpenSession", more=True))["session"]
    binding = connect()
    one = [{"value": "a", "selector": "label"}]

    def bind(prototypes, **more):
        return ask(binding, "Bind", session=session, prototypes=prototypes, **more)

    def bound(prototypes):
        return bind(prototypes)["parameters"]["state"]

    def until_refused(attempt):
        for number in range(100_000):
            reply = attempt(number)
            if "error" in reply:
                return reply
        raise AssertionError("nothing was refused")

    if what == "calls":
        # What is answered waits for its turn behind a set that waits.
        for _ in range(4):
            state = bound([{"value": "a", "selector": "label[name=never]"}])
            decline = b'{"method":"io.focusd.Focus.DeclineMove","parameters":{"token":"0","reason":""}}\0'
            connect().sendall(set_never(state) + decline * 63)
        return until_refused(lambda _: ask(binding, "DeclineMove", token="0", reason=""))
    if what == "prototypes":
        return until_refused(lambda _: bind(one * 1024))
    if what == "selectorBytes":
        return until_refused(lambda _: bind([{"value": "v" * 1_000_000, "selector": "label"}]))
    if what == "selectorParts":
        return until_refused(lambda _: bind([{"value": "a", "selector": "#a" * 1_000}] * 16))
    if what == "treeSelectors":
        return until_refused(lambda _: bind([{"value": "a", "selector": "panel:has(> label)"}] * 64))
    if what == "views":
        return until_refused(lambda number: bind(one, modes=[f"mode-{number}"]))
    if what == "pendingSets":
        never = [{"value": "a", "selector": "label[name=never]"}]
        states = [bound(never) for _ in range(65)]
        waiting = [connect(), connect()]
        for number, state in enumerate(states):
            if number == 64:
                # All that one connection may have are under way.
                while sum(one["pendingSets"] for one in ask(binding, "ListStates")["parameters"]["states"]) < number:
                    pass
            waiting[number // 64].sendall(set_never(state))
        return first_answer(waiting[1:])
    if what == "moves":
        return first_answer(
            [send("MoveFocus", selector="label[name=never]", timeoutMilliseconds=60_000) for _ in range(17)])
    if what == "searches":
        wait = {"selector": "label[name=never]", "condition": "present", "timeoutMilliseconds": 600_000}
        return first_answer([send("Wait", **wait) for _ in range(33)])
    raise AssertionError(what)


def set_never(state):
    parameters = {"state": state, "value": "a", "timeoutMilliseconds": 60_000}
    return json.dumps({"method": "io.focusd.Focus.SetValue", "parameters": parameters}).encode() + b"\0"


def unfinished(count, size):
    """As much as is taken within a moment of nothing being taken."""
    rest = {}
    for _ in range(count):
        peer = connect()
        peer.setblocking(False)
        rest[peer] = size
    while rest:
        ready = select.select([], list(rest), [], 1)[1]
        if not ready:
            return
        for peer in ready:
            rest[peer] -= peer.send(b" " * min(rest[peer], 65536))
            if rest[peer] == 0:
                del rest[peer]


def end_message(peer):
    try:
        peer.send(b"\0")
    except OSError:
        pass


def flood(count):
    calls = b'{"method":"org.varlink.service.GetInfo"}\0' * 500

    def write(peer):
        try:
            while True:
                peer.sendall(calls)
        except OSError:
            pass

    def read(peer):
        try:
            while peer.recv(1 << 16):
                pass
        except OSError:
            pass

    for _ in range(count):
        peer = connect()
        for work in (write, read):
            threading.Thread(target=work, args=(peer,), daemon=True).start()


if task == "hold":
    hold()
elif task == "deaf":
    for _ in range(int(numbers[0])):
        send("GetFocus", more=True)
elif task == "unfinished":
    unfinished(int(numbers[0]), int(numbers[1]))
elif task == "share":
    print(share(*numbers).get("parameters", {}).get("limit"), flush=True)
elif task == "flood":
    flood(int(numbers[0]))
print("READY", flush=True)
for line in sys.stdin:
    if line.strip() == "half":
        for peer in peers:
            peer.shutdown(socket.SHUT_WR)
    elif line.strip() == "whole":
        # All at once: focusd reads one of them to its end after the other. Spaces alone are no call.
        for peer in peers:
            peer.setblocking(True)
            threading.Thread(target=end_message, args=(peer,), daemon=True).start()
    print("DONE", flush=True)
