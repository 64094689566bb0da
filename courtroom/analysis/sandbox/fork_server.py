"""A Python with its imports behind it that answers each request by a confined child: a fork in place of 0.2 s.

forked.py starts this file by path with `python -I -S -B`, behind the same walls as any confined process. The
server itself reads no request and no file of a stranger: it passes them on as the open descriptors that they are.
A child limits itself as launch.py does before it touches one, keeps no other descriptor, and because the server
and its other children are near, may beyond that start no process and signal, trace or steer none.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import resource
import selectors
import signal
import socket
import struct
import sys
import traceback
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

PR_SET_DUMPABLE = 4
LONGEST_MESSAGE = 1024
# stdin, stdout, stderr and the file of the child, and the line on which its end is told.
DESCRIPTORS = 5
FILE = 3
# socket and io_uring_setup, then clone, fork, vfork, clone3, execve, execveat, kill, tkill, tgkill, rt_sigqueueinfo,
# rt_tgsigqueueinfo, pidfd_send_signal, pidfd_open, pidfd_getfd, ptrace, process_vm_readv, process_vm_writev,
# prlimit64, unshare, setns, mount, umount2, setpriority, sched_setparam, sched_setscheduler, sched_setaffinity,
# sched_setattr, ioprio_set, migrate_pages, move_pages, process_madvise, process_mrelease, and what outlives a process:
# shmget, semget, msgget, mq_open, add_key, request_key, keyctl; aarch64 has no fork and vfork. From the kernel's
# tables of system calls.
CALLS = {
    "x86_64": (
        41,
        425,
        56,
        57,
        58,
        435,
        59,
        322,
        62,
        200,
        234,
        129,
        297,
        424,
        434,
        438,
        101,
        310,
        311,
        302,
        272,
        308,
        165,
        166,
        141,
        142,
        144,
        203,
        314,
        251,
        256,
        279,
        440,
        448,
        29,
        64,
        68,
        240,
        248,
        249,
        250,
    ),
    "aarch64": (
        198,
        425,
        220,
        435,
        221,
        281,
        129,
        130,
        131,
        138,
        240,
        424,
        434,
        438,
        117,
        270,
        271,
        261,
        97,
        268,
        40,
        39,
        140,
        118,
        119,
        122,
        274,
        30,
        238,
        239,
        440,
        448,
        194,
        190,
        186,
        180,
        217,
        218,
        219,
    ),
}


def main(arguments: list[str]) -> None:
    """`arguments`: the descriptor of the socket to whoever asks, and as JSON where modules are and which answers."""
    setting = json.loads(arguments[1])
    sys.path[:] = setting["paths"]
    from courtroom.analysis.sandbox import launch

    import_module(setting["module"])
    gc.freeze()  # what is imported stays, and a collection in a child would copy it
    os.close(
        os.pidfd_open(os.getpid())
    )  # where a kernel cannot do this or the next, there is no fork server
    if not launch.open_no_socket():
        sys.exit("the kernel refuses no system calls here")
    ctypes.CDLL(None).prctl(
        PR_SET_DUMPABLE, 0, 0, 0, 0
    )  # its memory is nobody's, not even its own user's
    with socket.socket(fileno=int(arguments[0])) as control:
        control.send(b"ready")
        _Server(control).serve()


class _Server:
    """Serves until the other side of `control` is closed; children that still run then die with it."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.asked = True
        self.selector = selectors.DefaultSelector()
        self.selector.register(control, selectors.EVENT_READ, self._fork)

    def serve(self) -> None:
        while self.asked:
            for key, _ in self.selector.select():
                # One that acted before may have ended what this one is about.
                if self.selector.get_map().get(key.fileobj) is key:
                    act: Callable[[], None] = key.data
                    act()

    def _fork(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self.control, LONGEST_MESSAGE, DESCRIPTORS)
        if not message:
            self.asked = False
            return
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            _live(server, json.loads(message), descriptors)
        *its_own, line = descriptors
        for descriptor in its_own:
            os.close(descriptor)
        self._watch(pid, socket.socket(fileno=line))

    def _watch(self, pid: int, line: socket.socket) -> None:
        """A child ends by itself, or is ended when the other side of its line is closed for writing."""
        handle = os.pidfd_open(pid)
        self.selector.register(handle, selectors.EVENT_READ, partial(self._bury, pid, handle, line))
        self.selector.register(line, selectors.EVENT_READ, partial(self._end, handle, line))

    def _end(self, handle: int, line: socket.socket) -> None:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        self.selector.unregister(line)

    def _bury(self, pid: int, handle: int, line: socket.socket) -> None:
        _, status = os.waitpid(pid, 0)
        self.selector.unregister(handle)
        os.close(handle)
        with contextlib.suppress(KeyError):  # it was ended on request
            self.selector.unregister(line)
        with line, contextlib.suppress(ConnectionError):  # nobody may be waiting any more
            line.send(struct.pack("i", os.waitstatus_to_exitcode(status)))


def _live(server: int, numbers: list[int], descriptors: list[int]) -> NoReturn:
    """The life of a child: confined, then launch.answer. `numbers` are its limits."""
    code = 1
    try:
        _confine(server, numbers, descriptors)
        from courtroom.analysis.sandbox import launch

        launch.answer()
        code = 0
    except SystemExit as stopped:
        sys.stderr.write(f"{stopped}\n")
    except BaseException:  # noqa: BLE001 -- told as Python tells the end of a program
        traceback.print_exc()
    finally:
        os._exit(code)


def _confine(server: int, numbers: list[int], descriptors: list[int]) -> None:
    from courtroom.analysis.sandbox import launch

    *own, _line = descriptors
    for target, descriptor in enumerate(own):
        os.dup2(descriptor, target)
    os.closerange(FILE + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.setsid()
    memory, cpu, file_bytes = numbers
    launch.limit_oneself(memory, cpu, file_bytes)
    launch.die_with(server)
    machine = os.uname().machine
    if not launch.refuse(CALLS[machine], but=(launch.FCNTL[machine], launch.OWNING)):
        sys.exit("the kernel refuses no system calls here")


if __name__ == "__main__":
    main(sys.argv[1:])
