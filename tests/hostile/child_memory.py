"""Memory of confined children alone, in the figure that the kernel keeps of each process.

Whatever a process starts counts the memory of that process as its own until its program begins. So
a small program (starter.py) starts the children of a hostile case.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any
from unittest import mock

from courtroom.analysis.sandbox import sandbox
from courtroom.analysis.sandbox.child_io import Child

STARTER = Path(__file__).parent / "starter.py"
NUMBER_BYTES = 20
KIBIBYTE = 1024
PR_SET_CHILD_SUBREAPER = 36
PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


class Starter:
    """The small program, and the conversation with it: a request after the other."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._requests, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its_end:
            command = [sys.executable, "-I", "-S", str(STARTER), str(its_end.fileno())]
            self._program = subprocess.Popen(command, pass_fds=[its_end.fileno()])

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], files: Mapping[int, int]
    ) -> int:
        """Return the number of a new child of this process, in a session of its own.

        `files`: ours by the descriptors under which it has them. It has no others.
        """
        request = {"command": command, "environment": environment, "descriptors": list(files)}
        with self._turn:
            socket.send_fds(self._requests, [json.dumps(request).encode()], list(files.values()))
            return int(self._requests.recv(NUMBER_BYTES))

    def close(self) -> None:
        self._requests.close()
        self._program.wait()


class Peaks:
    """Bytes of the largest child that has ended, with all that it started."""

    def __init__(self) -> None:
        self.largest = 0

    def add(self, kibibytes: int) -> None:
        self.largest = max(self.largest, kibibytes * KIBIBYTE)


class MeasuredChild(Child):
    """Started by the small program; its peak is read where it is waited for."""

    def __init__(self, *arguments: Any, starter: Starter, peaks: Peaks, **options: Any) -> None:
        self._starter, self._peaks = starter, peaks
        super().__init__(*arguments, **options)

    def kill(self) -> None:
        """End the group as it is: bubblewrap keeps no figure of what is killed behind it."""
        if self.returncode is None:
            for kibibytes in map(_peak, _group(self.pid)):
                self._peaks.add(kibibytes)
        super().kill()

    def end(self) -> None:
        """End its group, and wait for what its end has left to this process as well."""
        super().end()
        while self._wait4(-self.pid, 0) != (0, 0):
            pass

    def _execute_child(self, *arguments: Any) -> None:
        """Take the place of subprocess's own, with its arguments."""
        command, _, _, _, passed, _, environment, _, _, _, *pipes = arguments[:16]
        stdin, _, _, stdout, _, stderr = pipes
        files = {0: stdin, 1: stdout, 2: stderr, **{number: number for number in passed}}
        self.pid = self._starter.start(command, environment, files)
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]  # -- subprocess's own

    def _internal_poll(self, _deadstate: int | None = None, **_: Any) -> int | None:
        code: int | None = super()._internal_poll(_deadstate, _waitpid=self._wait4)  # type: ignore[misc]
        return code

    def _try_wait(self, flags: int) -> tuple[int, int]:
        return self._wait4(self.pid, flags)

    def _wait4(self, process: int, flags: int) -> tuple[int, int]:
        try:
            ended, status, usage = os.wait4(process, flags)
        except ChildProcessError:
            return 0, 0
        if ended:
            self._peaks.add(usage.ru_maxrss)
        return ended, status


@contextlib.contextmanager
def measured_children(starter: Starter) -> Iterator[Peaks]:
    """Measure the confined children that start and end inside."""
    peaks = Peaks()
    measured = partial(MeasuredChild, starter=starter, peaks=peaks)
    _adopt_orphans(True)
    try:
        with mock.patch.object(sandbox, "Child", measured):
            yield peaks
    finally:
        _adopt_orphans(False)


def _group(leader: int) -> Iterator[Path]:
    """Yield the folders in /proc of the processes of a group."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(ProcessLookupError):
            if os.getpgid(int(folder.name)) == leader:
                yield folder


def _peak(process: Path) -> int:
    """Return the kibibytes of its largest memory since its program began; 0 once it has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        if peak := PEAK.search((process / "status").read_text()):
            return int(peak[1])
    return 0


def _adopt_orphans(adopts: bool) -> None:
    """Let this process become the parent of processes whose own parent has ended, or no longer."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(adopts), 0, 0, 0)
