"""Child processes kept running, and ended together with everything that descends from them."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STOP_SECONDS = 10
LONGEST_PAUSE = 30.0
STEADY_SECONDS = 30.0  # a child that ran this long is forgiven its earlier crashes
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


@dataclass(slots=True)
class Child:
    """One program. `due` is when to start it (again); a `lasting` one is started again whenever it
    ends.
    """

    name: str
    command: list[str]
    lasting: bool
    due: float = 0.0
    pause: float = 0.5
    started: float = 0.0
    process: subprocess.Popen[bytes] | None = None


class Supervisor:
    """Starts and tends children from one thread: call `tend` often, `stop` once."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self.stopping = False
        self._say = say
        self._children: list[Child] = []
        # What a killed child leaves behind becomes our own child, so that `stop` finds it.
        _prctl(PR_SET_CHILD_SUBREAPER, 1)

    def keep(self, name: str, command: list[str]) -> None:
        """Runs the command now, and again whenever it ends."""
        self._add(Child(name, command, lasting=True))

    def once(self, name: str, command: list[str]) -> None:
        """Runs the command now, once; a failure is said."""
        self._add(Child(name, command, lasting=False))

    def tend(self) -> None:
        """Notices children that ended, and starts those whose time has come."""
        for child in list(self._children):
            if child.process is None:
                if time.monotonic() >= child.due:
                    _launch(child)
            elif child.process.poll() is not None:
                self._ended(child, child.process.returncode)
        self._reap_orphans()

    def stop(self) -> None:
        """SIGTERM to every child, 10 s to end, then SIGKILL to whatever still descends from this
        process.
        """
        running = [child.process for child in self._children if child.process is not None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for process in running:
            _wait(process, deadline - time.monotonic())
        _kill_descendants()
        self._children.clear()

    def _add(self, child: Child) -> None:
        self._children.append(child)
        _launch(child)

    def _reap_orphans(self) -> None:
        """Buries what fell to us when its parent was killed, such as the helpers of an unfinished
        clone.
        """
        own = {child.process.pid for child in self._children if child.process is not None}
        while (pid := _ended_child()) is not None and pid not in own:
            os.waitpid(pid, 0)

    def _ended(self, child: Child, code: int) -> None:
        child.process = None
        if not child.lasting:
            self._children.remove(child)
            if code:
                self._say(f"{child.name} failed with code {code}; the lines above say why.")
            return
        steady = time.monotonic() - child.started > STEADY_SECONDS
        child.pause = 0.5 if steady else min(child.pause * 2, LONGEST_PAUSE)
        child.due = time.monotonic() + child.pause
        self._say(f"{child.name} ended with code {code}; it starts again in {child.pause:.1f} s.")


def _launch(child: Child) -> None:
    """In its own session: a terminal's Ctrl-C reaches only the supervisor, which ends children in
    order.
    """
    child.started = time.monotonic()
    child.process = subprocess.Popen(
        child.command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_die_with_parent,  # noqa: PLW1509 -- one prctl call, and the supervisor has no threads
    )


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _ended_child() -> int | None:
    """A child that has ended and that nobody has waited for; it stays so."""
    if sys.platform != "linux":
        return None  # only Linux gives us our children's children
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return ended.si_pid if ended else None


def _kill_descendants() -> None:
    """Kills and reaps our children until there are none; theirs become ours as their parents die."""
    while children := _children_of(os.getpid()):
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _children_of(parent: int) -> list[int]:
    """Every process whose parent this is, as Linux's /proc tells; elsewhere none."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
        if int(fields[1]) == parent:
            found.append(int(status.parent.name))
    return found


def _die_with_parent() -> None:
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value)
