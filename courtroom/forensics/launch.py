"""What runs first inside a confined process: limit oneself, then become a program or answer one request.

confine.py starts this file by path with `python -I -S -B`: it may import the standard library only, and sets
the limits after the fork but before any program or hostile byte is touched. (`preexec_fn` would do the same
with less, but is not safe in a process that has threads.)
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

OPEN_FILES = 256
PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """`arguments`: memory bytes, cpu seconds, file bytes, the parent's pid, then run ARGV... or answer."""
    memory, cpu, file_bytes, parent = (int(number) for number in arguments[:4])
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CPU, cpu, grace=1)  # SIGXCPU first, which says why; SIGKILL a second later
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_CORE, 0)
    _die_with(parent)
    if arguments[4] == "run":
        _become(arguments[5:])
    _answer()


def _limit(kind: int, value: int, grace: int = 0) -> None:
    """Lower one limit, never above what this process was itself allowed."""
    _, hard = resource.getrlimit(kind)
    ceiling = value + grace if hard == resource.RLIM_INFINITY else min(value + grace, hard)
    resource.setrlimit(kind, (min(value, ceiling), ceiling))


def _die_with(parent: int) -> None:
    """Ask the kernel to kill this process when the thread that started it ends; leave if it already has."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent process has gone")


def _become(argv: list[str]) -> None:
    """Replace this process. Python ignores two signals that a program expects to die of: give them back."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 -- the argument list is the caller's, no shell reads it
    except OSError as error:
        sys.exit(f"{argv[0]} cannot be started: {error.strerror}")


def _answer() -> None:
    """Read {module, paths, request} from stdin, write {answer} or {error} to stdout, as JSON."""
    import importlib
    import json

    envelope = json.load(sys.stdin.buffer)
    private = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up in the answer
    sys.path[:] = envelope["paths"]
    errors = importlib.import_module("courtroom.errors")
    try:
        answer = importlib.import_module(envelope["module"]).answer(envelope["request"])
        reply = {"answer": answer}
    except MemoryError:
        reply = {"error": ["ChildFailed", "child_memory", "Reading it took more memory than allowed."]}
    except errors.CourtroomError as error:
        reply = {"error": [type(error).__name__, error.code, error.message]}
    with os.fdopen(private, "w", encoding="utf-8") as out:
        json.dump(reply, out)


if __name__ == "__main__":
    main(sys.argv[1:])
