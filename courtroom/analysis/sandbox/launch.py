"""What runs first inside a confined process: limit oneself, then become a program or answer one request.

confine.py starts this file by path with `python -I -S -B`: it may import the standard library only, and sets
the limits after the fork but before any program or hostile byte is touched. (`preexec_fn` would do the same
with less, but is not safe in a process that has threads.) An audit starts it some ten times, so it imports little:
`signal` itself, for the enumerations around `_signal`, and ctypes took as long as all the rest of Python's start.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # -- typeshed knows only signal
import os
import resource
import sys

OPEN_FILES = 256
PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
# By machine: its number for the kernel's audit, and for socket(); io_uring, which can open one too, is 425 on both.
MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
IO_URING_SETUP, X32_CALLS = 425, 0x40000000
# kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo: of these a process may reach itself, as abort() does. Then
# pidfd_send_signal, pidfd_open, pidfd_getfd, ptrace, process_vm_readv, process_vm_writev.
SIGNALLING = {"x86_64": (62, 200, 234, 129, 297), "aarch64": (129, 130, 131, 138, 240)}
REACHING = {"x86_64": (424, 434, 438, 101, 310, 311), "aarch64": (424, 434, 438, 117, 270, 271)}
# A pipe that has an owner signals them when it is written to: F_SETOWN, F_SETSIG, F_SETOWN_EX of fcntl.
FCNTL, OWNING = {"x86_64": 72, "aarch64": 25}, (8, 10, 15)
# Classic BPF: load a word of (call number, machine), compare, answer.
LOAD, IF_EQUAL, IF_AT_LEAST, ANSWER = 0x20, 0x15, 0x35, 0x06
# Bytes into what the kernel shows of a call.
MACHINE_AT, CALL_AT, FIRST_ARGUMENT_AT, SECOND_ARGUMENT_AT = 4, 0, 16, 24
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | 1  # the second is an error: not permitted


def main(arguments: list[str]) -> None:
    """`arguments`: memory bytes, cpu seconds, file bytes, the parent's pid (0 behind walls), 1 for a network,
    then run ARGV... or answer.
    """
    memory, cpu, file_bytes, parent, network = (int(number) for number in arguments[:5])
    limit_oneself(memory, cpu, file_bytes)
    if parent:
        die_with(parent)
    if not network:
        # A machine that cannot do it goes without; the site's start says so (standing.network_is_closed).
        open_no_socket()
    if arguments[5] == "run":
        _become(arguments[6:])
    leave_others_alone()
    answer()


def limit_oneself(memory: int, cpu: int, file_bytes: int) -> None:
    """Bytes, seconds, bytes; for good, and for all that this process starts."""
    _limit(resource.RLIMIT_AS, memory)
    _limit(
        resource.RLIMIT_CPU, cpu, grace=1
    )  # SIGXCPU first, which says why; SIGKILL a second later
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_CORE, 0)


def _limit(kind: int, value: int, grace: int = 0) -> None:
    """Lower one limit, never above what this process was itself allowed."""
    _, hard = resource.getrlimit(kind)
    ceiling = value + grace if hard == resource.RLIM_INFINITY else min(value + grace, hard)
    resource.setrlimit(kind, (min(value, ceiling), ceiling))


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when the thread that started it ends; leave if it already has."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent process has gone")


def open_no_socket() -> bool:
    """Have the kernel refuse every new socket, to this process and all it starts; whether it will."""
    _, socket_call = MACHINES.get(os.uname().machine, (0, 0))
    return refuse((socket_call, IO_URING_SETUP))


def leave_others_alone() -> bool:
    """Have the kernel refuse every signal to another process, its memory and its descriptors; whether it will.

    Without walls the parent is near: the web process, or the worker. git that a child starts ends when its input does.
    """
    machine = os.uname().machine
    if machine not in SIGNALLING:
        return False
    return refuse(
        REACHING[machine],
        but=(FCNTL[machine], OWNING),
        to_others=(SIGNALLING[machine], os.getpid()),
    )


def refuse(
    calls: tuple[int, ...],
    *,
    but: tuple[int, tuple[int, ...]] | None = None,
    to_others: tuple[tuple[int, ...], int] = ((), 0),
) -> bool:
    """Have the kernel refuse these system calls from now on; whether it will. No root is needed for that.

    `but` is one more call, allowed except where its second argument is one of those; `to_others` are calls that are
    refused unless their first argument is this number.
    """
    import ctypes
    import struct

    machine, _ = MACHINES.get(os.uname().machine, (0, 0))
    if sys.platform != "linux" or not machine:
        return False
    within = _of_one_call(*but) if but else []
    aimed, own = to_others
    far = len(calls) + len(aimed) + len(within)
    # A jump counts the steps it leaves out. Two that allow and refuse; behind them, what may reach but oneself.
    steps = [
        (LOAD, 0, 0, MACHINE_AT),
        (IF_EQUAL, 0, far + 3, machine),  # another machine's numbers are refused outright
        (LOAD, 0, 0, CALL_AT),
        (IF_AT_LEAST, far + 1, 0, X32_CALLS),
        *((IF_EQUAL, far - place, 0, call) for place, call in enumerate(calls)),
        *(
            (IF_EQUAL, len(aimed) - place + len(within) + 1, 0, call)
            for place, call in enumerate(aimed)
        ),
        *within,
        (ANSWER, 0, 0, ALLOWED),
        (ANSWER, 0, 0, REFUSED),
        (LOAD, 0, 0, FIRST_ARGUMENT_AT),
        (IF_EQUAL, 0, 1, own),
        (ANSWER, 0, 0, ALLOWED),
        (ANSWER, 0, 0, REFUSED),
    ]
    table = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HP", len(steps), ctypes.addressof(table))  # struct sock_fprog
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    failed: int = libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)
    return not failed


def _become(argv: list[str]) -> None:
    """Replace this process. Python ignores two signals that a program expects to die of: give them back."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 -- the argument list is the caller's, no shell reads it
    except OSError as error:
        sys.exit(f"{argv[0]} cannot be started: {error.strerror}")


def _of_one_call(call: int, refused: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """Steps that stand right before the first that allow and refuse."""
    many = len(refused)
    return [
        (IF_EQUAL, 0, many + 1, call),
        (LOAD, 0, 0, SECOND_ARGUMENT_AT),
        *((IF_EQUAL, many - place, 0, value) for place, value in enumerate(refused)),
    ]


def answer() -> None:
    """Read {module, paths, request} from stdin, write {answer} or {error} to stdout, as JSON."""
    import importlib
    import json

    envelope = json.load(sys.stdin.buffer)
    private = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up in the answer
    sys.path[:] = envelope["paths"]
    errors = importlib.import_module("courtroom.models.errors")
    try:
        reply = {"answer": importlib.import_module(envelope["module"]).answer(envelope["request"])}
    except MemoryError:
        reply = {
            "error": ["ChildFailed", "child_memory", "Reading it took more memory than allowed."]
        }
    except errors.CourtroomError as error:
        reply = {"error": [type(error).__name__, error.code, error.message]}
    with os.fdopen(private, "w", encoding="utf-8") as out:
        json.dump(reply, out)


if __name__ == "__main__":
    main(sys.argv[1:])
