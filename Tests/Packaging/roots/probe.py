"""Says what a process may do where it runs: `could` or `could not` for each thing that focusd's sandbox is about."""
import ctypes
import mmap
import os
import socket
import sys


def tell(what, attempt):
    try:
        attempt()
        print("could", what)
    except OSError as error:
        print("could not", what, f"({error.strerror})")


def write(path):
    with open(path, "w") as file:
        file.write("x")
    os.unlink(path)


def interfaces():
    names = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
    if names == ["lo"]:
        raise OSError(0, "only lo")


def unshare():
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


home, port = sys.argv[1], int(sys.argv[2])
tell("write to the home", lambda: write(home + "/probe"))
tell("write to the runtime folder", lambda: write(os.environ["XDG_RUNTIME_DIR"] + "/probe"))
tell("connect over TCP", lambda: socket.create_connection(("127.0.0.1", port), 10).close())
tell("make a socket of the Internet", lambda: socket.socket(socket.AF_INET).close())
tell("make a socket of Unix", lambda: socket.socket(socket.AF_UNIX).close())
tell("see another network than lo", interfaces)
tell("make a user namespace", unshare)
tell("make memory that is written and run", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC).close())
tell("read who another process is", lambda: open("/proc/1/cmdline", "rb").read())
