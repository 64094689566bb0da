"""First code of a confined process: limit itself, then become a program or answer one request.

sandbox.py starts this file by path with `python -I -S -B`. It may import the standard library only.
It sets the limits after the fork, before any program or hostile byte is touched. (`preexec_fn` is
not safe in a process that has threads.) An audit starts it up to fifteen times, so it imports
little: `signal`, for its enumerations, and ctypes took as long as all the rest of Python's start.
Behind bubblewrap, programs such as git need no Python: prlimit.py.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # -- typeshed knows only signal
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

OPEN_FILES = 256
# A child that stays ends after so long without a request.
IDLE_SECONDS = 60.0
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
# Numbers of system calls are of the kernel's tables, by machine. First the machine's own number in
# the kernel's audit, and socket(); io_uring can open a socket too.
MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
IO_URING_SETUP, X32_CALLS = 425, 0x40000000
# kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo: allowed to itself, as abort() needs it.
SIGNALLING = {"x86_64": (62, 200, 234, 129, 297), "aarch64": (129, 130, 131, 138, 240)}
# Another process's memory and descriptors: pidfd_send_signal, pidfd_open, pidfd_getfd, ptrace,
# process_vm_readv, process_vm_writev.
REACHING = {"x86_64": (424, 434, 438, 101, 310, 311), "aarch64": (424, 434, 438, 117, 270, 271)}
# Its priority and its processors: setpriority, sched_setparam, sched_setscheduler,
# sched_setaffinity, sched_setattr, ioprio_set, migrate_pages, move_pages.
SLOWING = {
    "x86_64": (141, 142, 144, 203, 314, 251, 256, 279),
    "aarch64": (140, 118, 119, 122, 274, 30, 238, 239),
}
# Memory and names that outlive a process: shmget, semget, msgget, mq_open, add_key, request_key,
# keyctl.
OUTLIVING = {
    "x86_64": (29, 64, 68, 240, 248, 249, 250),
    "aarch64": (194, 190, 186, 180, 217, 218, 219),
}
# What starts a process or a thread: clone, fork, vfork, clone3.
STARTING = {"x86_64": (56, 57, 58, 435), "aarch64": (220, 435)}
# Limits of a process (prlimit64): 0 is the process itself, which may read and lower its own.
LIMITING = {"x86_64": 302, "aarch64": 261}
# A pipe that has an owner signals it at each write: F_SETOWN, F_SETSIG, F_SETOWN_EX of fcntl.
FCNTL, OWNING = {"x86_64": 72, "aarch64": 25}, (8, 10, 15)
# Classic BPF: load a word, compare, answer. A jump counts the steps it skips.
LOAD, IF_EQUAL, IF_AT_LEAST, ANSWER = 0x20, 0x15, 0x35, 0x06
# Bytes into what the kernel shows of a call.
MACHINE_AT, CALL_AT, FIRST_ARGUMENT_AT, SECOND_ARGUMENT_AT = 4, 0, 16, 24
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | 1  # the second is an error: not permitted

# Code, steps to skip when it holds, steps to skip when it does not, value.
Step = tuple[int, int, int, int]


def main(arguments: list[str]) -> None:
    """`arguments`: memory bytes, cpu seconds, file bytes, the parent's pid (0 behind bubblewrap),
    1 for a network, then `run ARGV...`, `answer` or `stay`.
    """
    memory, cpu, file_bytes, parent, network = (int(number) for number in arguments[:5])
    _limit_itself(memory, cpu, file_bytes)
    if parent:
        _die_with(parent)
    if not network:
        # A machine that cannot do it goes without; the site's start says so
        # (availability.network_is_closed).
        _open_no_socket()
    if arguments[5] == "run":
        _become(arguments[6:])

    _leave_others_alone()
    if arguments[5] == "stay":
        _answer_until_idle()
    else:
        _answer()


def _limit_itself(memory: int, cpu: int, file_bytes: int) -> None:
    """Set the limits for good, for this process and all it starts."""
    for kind, (soft, hard) in limits_of(memory, cpu, file_bytes).items():
        resource.setrlimit(kind, (soft, hard))


def limits_of(memory: int, cpu: int, file_bytes: int) -> dict[int, tuple[int, int]]:
    """Return soft and hard limit by kind, of bytes, seconds and bytes.

    None is above what this process was itself allowed.
    """
    values = {
        resource.RLIMIT_AS: (memory, memory),
        # SIGXCPU first, which says why; SIGKILL a second later.
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_FSIZE: (file_bytes, file_bytes),
        resource.RLIMIT_NOFILE: (OPEN_FILES, OPEN_FILES),
        resource.RLIMIT_CORE: (0, 0),
    }
    return {kind: _lowered(kind, soft, hard) for kind, (soft, hard) in values.items()}


def _lowered(kind: int, soft: int, hard: int) -> tuple[int, int]:
    _, own = resource.getrlimit(kind)
    ceiling = hard if own == resource.RLIM_INFINITY else min(hard, own)
    return min(soft, ceiling), ceiling


def _die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent's thread ends; exit if it has."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent process has gone")


def _open_no_socket() -> bool:
    """Make the kernel refuse every new socket, to this process and all it starts.

    False where the kernel has no call filter.
    """
    return _apply(socket_filter())


def socket_filter() -> bytes:
    """Return the filter that refuses every new socket; empty where the kernel has none."""
    _, socket_call = MACHINES.get(os.uname().machine, (0, 0))
    return _call_filter(_refused(socket_call, IO_URING_SETUP))


def _leave_others_alone() -> bool:
    """Make the kernel refuse every reach for another process: signals, memory, priority, limits.

    Without bubblewrap the parent is near: the web process, or the worker. What this process could
    leave in the kernel for the next one is refused too. git that a child starts ends when its
    input does. False where the kernel has no call filter.
    """
    machine = os.uname().machine
    if machine not in MACHINES:
        return False

    rules = [
        *_refused(*REACHING[machine], *SLOWING[machine], *OUTLIVING[machine]),
        *(step for call in SIGNALLING[machine] for step in _only_for(os.getpid(), call)),
        *_only_for(0, LIMITING[machine]),
        *_refused_commands(FCNTL[machine], OWNING),
    ]
    return _apply(_call_filter(rules))


def _start_no_process() -> bool:
    """Make the kernel refuse new processes and threads; False where it has no call filter."""
    return _apply(_call_filter(_refused(*STARTING.get(os.uname().machine, ()))))


def _refused(*calls: int) -> list[Step]:
    return [step for call in calls for step in ((IF_EQUAL, 0, 1, call), (ANSWER, 0, 0, REFUSED))]


def _only_for(process: int, call: int) -> list[Step]:
    """A call whose first argument is a process."""
    return [
        (IF_EQUAL, 0, 4, call),
        (LOAD, 0, 0, FIRST_ARGUMENT_AT),
        (IF_EQUAL, 0, 1, process),
        (ANSWER, 0, 0, ALLOWED),
        (ANSWER, 0, 0, REFUSED),
    ]


def _refused_commands(call: int, commands: tuple[int, ...]) -> list[Step]:
    """A call whose second argument is a command."""
    count = len(commands)
    return [
        (IF_EQUAL, 0, count + 3, call),
        (LOAD, 0, 0, SECOND_ARGUMENT_AT),
        *((IF_EQUAL, count - place, 0, command) for place, command in enumerate(commands)),
        (ANSWER, 0, 0, ALLOWED),
        (ANSWER, 0, 0, REFUSED),
    ]


def _call_filter(rules: list[Step]) -> bytes:
    """Return the filter of these rules as the kernel takes it; empty where it has none.

    Each rule compares the call's number, and answers if it is its own.
    """
    import struct

    machine, _ = MACHINES.get(os.uname().machine, (0, 0))
    if sys.platform != "linux" or not machine:
        return b""

    steps: list[Step] = [
        (LOAD, 0, 0, MACHINE_AT),
        (IF_EQUAL, 1, 0, machine),
        (ANSWER, 0, 0, REFUSED),  # a call with another machine's numbers
        (LOAD, 0, 0, CALL_AT),
        (IF_AT_LEAST, 0, 1, X32_CALLS),
        (ANSWER, 0, 0, REFUSED),
        *rules,
        (ANSWER, 0, 0, ALLOWED),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _apply(call_filter: bytes) -> bool:
    """Apply the filter to this process; False where the kernel cannot. Needs no root."""
    if not call_filter:
        return False

    import ctypes
    import struct

    table = ctypes.create_string_buffer(call_filter)
    count = len(call_filter) // struct.calcsize("HBBI")
    program = struct.pack("HP", count, ctypes.addressof(table))  # struct sock_fprog
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    failed: int = libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)
    return not failed


def _become(argv: list[str]) -> None:
    """Replace this process. Python ignores two signals that a program dies of: give them back."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 -- an argument list, no shell
    except OSError as error:
        sys.exit(f"{argv[0]} cannot be started: {error.strerror}")


def _answer() -> None:
    """Read {module, paths, request} from stdin, write {answer} or {error} to stdout, as JSON."""
    import json

    envelope = json.load(sys.stdin.buffer)
    private = _answers_to()
    sys.path[:] = envelope["paths"]
    reply = _reply(_imported(envelope["module"]).answer, envelope["request"])
    with os.fdopen(private, "w", encoding="utf-8") as out:
        json.dump(reply, out)


def _answer_until_idle() -> None:
    """Read {modules, paths, seconds}, then heads of {name, module, sizes}, each with a request and
    bytes after it.

    Write one line, {name, size}, per request, and a JSON of that size: {answer} or {error}. A fork
    with so many seconds answers; one that fails ends this process.
    """
    import gc
    import json
    import select

    # Without a buffer: the bytes of a request are for its fork alone.
    requests = os.fdopen(0, "rb", buffering=0, closefd=False)
    private = _answers_to()
    envelope = json.loads(requests.readline())
    sys.path[:] = envelope["paths"]
    written_by_fork = _imported("courtroom.analysis.sandbox.forked").written_by_fork
    modules = {name: _loaded(name) for name in envelope["modules"]}
    _hide_from_forks()
    gc.freeze()

    while select.select([0], [], [], IDLE_SECONDS)[0] and (line := requests.readline()):
        head = json.loads(line)

        def work(head: dict[str, Any] = head) -> dict[str, Any]:
            os.close(private)
            with os.fdopen(0, "rb") as pipe:
                request, content = (pipe.read(size) for size in head["sizes"])
            _start_no_process()
            return _reply(modules[head["module"]].answer_content, json.loads(request), content)

        reply = written_by_fork(work, cpu_seconds=envelope["seconds"])
        os.write(private, json.dumps({"name": head["name"], "size": len(reply)}).encode() + b"\n")
        _write_all(private, reply)


def _loaded(name: str) -> Any:
    module = _imported(name)
    getattr(module, "preload", lambda: None)()
    return module


def _hide_from_forks() -> None:
    """Let no process without rights of root read or write this one's memory and descriptors."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _answers_to() -> int:
    """Return a copy of stdout: a library's prints must not end up in the answer."""
    private = os.dup(1)
    os.dup2(2, 1)
    return private


def _imported(module: str) -> Any:
    import importlib

    return importlib.import_module(module)


def _reply(answer: Callable[..., Any], *request: Any) -> dict[str, Any]:
    errors = _imported("courtroom.models.errors")
    try:
        return {"answer": answer(*request)}
    except MemoryError:
        return {
            "error": ["ChildFailed", "child_memory", "Reading it took more memory than allowed."]
        }
    except errors.CourtroomError as error:
        return {"error": [type(error).__name__, error.code, error.message]}


if __name__ == "__main__":
    main(sys.argv[1:])
