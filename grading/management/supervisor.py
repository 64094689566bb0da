"""Supervisor of child processes: restarts them, and ends them with all their descendants."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

STOP_SECONDS = 10
LONGEST_PAUSE = 30.0
# A child that ran this long starts again without the growing pause.
STEADY_SECONDS = 30.0
# From linux/prctl.h.
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Process(Protocol):
    """The part of Popen that a supervisor uses."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> object: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


@dataclass(slots=True)
class Child:
    """One program. `due` is the time of its next start; a `lasting` one is started again when it
    ends.
    """

    name: str
    command: list[str]
    lasting: bool
    due: float = 0.0
    pause: float = 0.5
    started: float = 0.0
    process: Process | None = None


def start_program(
    command: list[str], output: IO[bytes] | None = None, errors: IO[bytes] | None = None
) -> Process:
    """Start a program in its own session; without files it prints to our own terminal.

    A terminal's Ctrl-C reaches only the supervisor, which ends the children in order.
    """
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        start_new_session=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509 -- there are no threads
    )


class Supervisor:
    """Start and watch children from one thread: call `tend` often, `stop` once."""

    def __init__(
        self,
        report: Callable[[str], object],
        steady_seconds: float = STEADY_SECONDS,
        start: Callable[[list[str]], Process] = start_program,
        start_once: Callable[[list[str]], Process] = start_program,
    ) -> None:
        self.stopping = False
        self.report = report
        self._steady_seconds = steady_seconds
        self._start, self._start_once = start, start_once
        self._children: list[Child] = []
        # Orphans of a killed child become our own children, so that `stop` finds them.
        _prctl(PR_SET_CHILD_SUBREAPER, 1)

    def keep(self, name: str, command: list[str]) -> None:
        """Run the command now, and again whenever it ends."""
        self._add(Child(name, command, lasting=True))

    def once(self, name: str, command: list[str]) -> None:
        """Run the command now, once; report a failure."""
        self._add(Child(name, command, lasting=False))

    @property
    def is_settled(self) -> bool:
        """Return whether every one-time task has ended."""
        return all(child.lasting for child in self._children)

    def tend(self) -> None:
        """Handle children that ended, and start those that are due."""
        for child in list(self._children):
            if child.process is None:
                if time.monotonic() >= child.due:
                    self._launch(child)
            elif (code := child.process.poll()) is not None:
                self._ended(child, code)
        self._reap_orphans()

    def stop(self) -> None:
        """Send SIGTERM to every child; after 10 s, SIGKILL to every remaining descendant."""
        running = [child.process for child in self._children if child.process is not None]
        # All are asked first, so that they end side by side within one deadline.
        for process in running:
            process.terminate()

        deadline = time.monotonic() + STOP_SECONDS
        for process in running:
            _wait(process, deadline - time.monotonic())

        _kill_descendants()
        self._children.clear()

    def _add(self, child: Child) -> None:
        self._children.append(child)
        self._launch(child)

    def _launch(self, child: Child) -> None:
        child.started = time.monotonic()
        child.process = (self._start if child.lasting else self._start_once)(child.command)

    def _reap_orphans(self) -> None:
        """Reap orphans that we inherited, such as git's helpers of an unfinished clone."""
        own = {child.process.pid for child in self._children if child.process is not None}
        while (pid := _ended_child()) is not None and pid not in own:
            os.waitpid(pid, 0)

    def _ended(self, child: Child, code: int) -> None:
        child.process = None
        if not child.lasting:
            self._children.remove(child)
            if code:
                self.report(f"{child.name} failed with code {code}; its output says why.")
            return

        steady = time.monotonic() - child.started > self._steady_seconds
        child.pause = 0.5 if steady else min(child.pause * 2, LONGEST_PAUSE)
        child.due = time.monotonic() + child.pause
        self.report(f"{child.name} ended with code {code}; it starts again in {child.pause:.1f} s.")


def _wait(process: Process, seconds: float) -> None:
    try:
        process.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _ended_child() -> int | None:
    """Return a child that has ended and is not reaped yet, without reaping it."""
    if sys.platform != "linux":
        # Only Linux makes us the parent of orphans.
        return None

    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None

    return ended.si_pid if ended else None


def _kill_descendants() -> None:
    """Kill and reap our children until none are left.

    Their children become ours when they die.
    """
    while children := _children_of(os.getpid()):
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _children_of(parent: int) -> list[int]:
    """Return the children of a process from Linux's /proc; elsewhere none."""
    children = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            # It has just ended.
            continue
        if int(fields[1]) == parent:
            children.append(int(status.parent.name))

    return children


def die_with_parent() -> None:
    """Ask the kernel, in a new child, to end it when its parent dies."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value)
