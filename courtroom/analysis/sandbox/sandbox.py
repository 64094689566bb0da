"""Run what reads untrusted bytes in a process that cannot take the machine with it.

A confined process has its own session, an environment made from nothing, hard limits on memory, processor
time and file size and no network unless it asks (confinement/launch.py), a cap on its output and a deadline
(confinement/conversation.py). It dies with whoever started it. Where bubblewrap works it also sees no file it
was not given (confinement/walls.py).
Every way it can end badly is a ChildFailed: child_timeout, child_memory, child_output or child_died;
child_busy, that there was no turn for it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

from courtroom.analysis.sandbox.bubblewrap import (
    NOTHING,
    PROJECT_ROOT,
    Reach,
    around,
    bare_environment,
    bubblewrap,
)
from courtroom.analysis.sandbox.bytecode import compile_for_children
from courtroom.analysis.sandbox.child_io import ChildLimits, Completed, converse, died
from courtroom.analysis.sandbox.fork_client import ServerGone, forked
from courtroom.models import errors
from courtroom.models.errors import ChildFailed, CourtroomError

if TYPE_CHECKING:
    from courtroom.models.case import Limits

__all__ = ["ChildLimits", "Completed", "examine", "examine_file", "reading_limits", "run_confined"]

LAUNCHER = Path(__file__).parent / "launch.py"
# Of the children of fork servers: a burst of hand-ins must leave processor and memory to the pages beside them.
_FORKED_AT_ONCE = BoundedSemaphore(4)


def reading_limits(limits: Limits, *, output_bytes: int) -> ChildLimits:
    """The limits of a child that reads and answers: it has no business writing files."""
    return ChildLimits(
        memory_bytes=limits.child_memory_bytes,
        cpu_seconds=limits.child_cpu_seconds,
        file_bytes=0,
        wall_seconds=limits.child_seconds,
        output_bytes=output_bytes,
    )


def run_confined(
    argv: Sequence[str],
    *,
    limits: ChildLimits,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    reach: Reach = NOTHING,
    watch: Callable[[], None] | None = None,
) -> Completed:
    """Run a program to its end. A non-zero exit is an answer; being killed, or killing it, is ChildFailed.

    `env` is added to PATH, HOME and LC_ALL; nothing is inherited. `watch` is called about ten times a second:
    what it raises ends the process.
    """
    return converse(_started(["run", *argv], limits, env or {}, reach), limits, stdin, watch)


def examine(
    module: str, request: Mapping[str, Any], *, limits: ChildLimits, reads: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """Import `module` in a confined Python and call its `answer(request)`; both sides are plain JSON.

    `reads` are the files and folders the request names: behind walls it sees no others of ours.
    A CourtroomError raised inside is raised again here, same class, code and message.
    """
    compile_for_children()
    paths = _paths()
    reach = Reach(reads=(*map(Path, paths), *reads))
    done = converse(
        _started(["answer"], limits, {}, reach), limits, _envelope(module, request, paths)
    )
    return _answer_in(done, module)


def examine_file(
    module: str, file: Path, request: Mapping[str, Any], *, limits: ChildLimits
) -> dict[str, Any]:
    """As `examine`, of one file and without the child's start and imports (confinement/forked.py).

    The request's `file` is what `open` takes: the open file itself, or its path where no fork server can be had.
    A turn is waited for as long as the child may take; after that it is child_busy.
    """
    compile_for_children()
    paths = _paths()
    with _turn(limits.wall_seconds), file.open("rb") as opened:
        try:
            child, number = forked(module, paths, limits, opened)
            done = converse(child, limits, _envelope(module, {**request, "file": number}, paths))
        except ServerGone:
            return examine(module, {**request, "file": str(file)}, limits=limits, reads=(file,))
    return _answer_in(done, module)


@contextmanager
def _turn(seconds: float) -> Iterator[None]:
    if not _FORKED_AT_ONCE.acquire(timeout=seconds):
        raise ChildFailed(
            "child_busy", "Too many files are being looked at just now: try again in a minute."
        )
    try:
        yield
    finally:
        _FORKED_AT_ONCE.release()


def _paths() -> list[str]:
    return [str(PROJECT_ROOT), *(path for path in sys.path if path)]


def _envelope(module: str, request: Mapping[str, Any], paths: Sequence[str]) -> bytes:
    return json.dumps({"module": module, "paths": paths, "request": dict(request)}).encode()


def _answer_in(done: Completed, module: str) -> dict[str, Any]:
    if done.returncode != 0:
        raise died(f"{module} stopped with {_exception_name(done.stderr)}", done.stderr)
    try:
        reply: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        raise died(f"{module} gave no readable answer", done.stderr) from error
    if "error" in reply:
        raise _error(*reply["error"])
    answer: dict[str, Any] = reply["answer"]
    return answer


class _Family(subprocess.Popen[bytes]):
    """A process that leads a group of its own, and is killed with all of it."""

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def _started(
    task: Sequence[str], limits: ChildLimits, env: Mapping[str, str], reach: Reach
) -> _Family:
    return _Family(
        _command(task, limits, reach),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**bare_environment(), **env},
        start_new_session=True,
    )


def _command(task: Sequence[str], limits: ChildLimits, reach: Reach) -> list[str]:
    """Behind walls the parent has no number there: the wrapper sees to dying with it."""
    wrapper = bubblewrap()
    parent = 0 if wrapper else os.getpid()
    numbers = (
        limits.memory_bytes,
        limits.cpu_seconds,
        limits.file_bytes,
        parent,
        int(reach.network),
    )
    command = [sys.executable, "-I", "-S", "-B", str(LAUNCHER), *map(str, numbers), *task]
    return [*around(wrapper, reach), *command] if wrapper else command


def _exception_name(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or [""]
    named = re.match(r"[A-Za-z_][\w.]*", lines[-1])
    return named.group() if named else "no message"


def _error(name: str, code: str, message: str) -> CourtroomError:
    kind = getattr(errors, name, CourtroomError)
    error: CourtroomError = kind(code, message)
    return error
