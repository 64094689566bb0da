"""Run what reads untrusted bytes in a process that cannot take the machine with it.

A confined process has its own session, an environment made from nothing, hard limits on memory,
processor time and file size, no network unless it asks (launch.py), a cap on its output and a
deadline (child_io.py).
It dies with its parent. Where bubblewrap works it sees no file it was not given (bubblewrap.py).
Every bad end is a ChildFailed: child_timeout, child_memory, child_output or child_died.
"""

from __future__ import annotations

import compileall
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

from courtroom.analysis.sandbox.bubblewrap import (
    NOTHING,
    PROJECT_ROOT,
    Reach,
    bare_environment,
    bubblewrap,
    bubblewrap_command,
)
from courtroom.analysis.sandbox.child_io import Child, ChildLimits, Completed, converse, died
from courtroom.analysis.sandbox.niceness import pass_on_niceness
from courtroom.analysis.sandbox.prlimit import limited, no_sockets, prlimit
from courtroom.models import errors
from courtroom.models.errors import CourtroomError

if TYPE_CHECKING:
    from courtroom.models.case import Limits

__all__ = ["ChildLimits", "Completed", "examine", "reading_limits", "run_confined"]

LAUNCHER = Path(__file__).parent / "launch.py"


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
    descriptors: tuple[int, ...] = (),
) -> Completed:
    """Run a program to its end. A non-zero exit is an answer; a killed process is ChildFailed.

    `env` is added to PATH, HOME and LC_ALL; nothing else is inherited, but the open `descriptors`.
    `watch` is called about ten times a second: what it raises ends the process.
    """
    child = start_child(["run", *argv], limits, env or {}, reach, descriptors=descriptors)
    return converse(child, limits, stdin, watch)


def examine(
    module: str, request: Mapping[str, Any], *, limits: ChildLimits, reads: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """Import `module` in a confined Python and call its `answer(request)`; both are plain JSON.

    `reads` are the files and folders of the request: behind bubblewrap it sees no others of ours.
    A CourtroomError raised inside is raised again here, same class, code and message.
    """
    compile_for_children()
    paths = python_paths()
    reach = Reach(reads=(*map(Path, paths), *reads))
    envelope = {"module": module, "paths": paths, "request": dict(request)}

    child = start_child(["answer"], limits, reach=reach)
    done = converse(child, limits, json.dumps(envelope).encode())
    return answer_in(_reply_in(done, module))


def python_paths() -> list[str]:
    """Return where a child finds this package and those it imports."""
    return [str(PROJECT_ROOT), *(path for path in sys.path if path)]


@cache
def compile_for_children() -> None:
    """Compile this package's modules once per process, where the file system allows it.

    The children may write no file, so that every one would compile them again (0.3 s).
    """
    compileall.compile_dir(Path(__file__).parents[1], quiet=2)


def answer_in(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a child's reply. Raises the CourtroomError that it holds instead."""
    if "error" in reply:
        raise _error(*reply["error"])

    answer: dict[str, Any] = reply["answer"]
    return answer


def _reply_in(done: Completed, module: str) -> dict[str, Any]:
    if done.returncode != 0:
        raise died(f"{module} stopped with {_exception_name(done.stderr)}", done.stderr)

    try:
        reply: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        raise died(f"{module} gave no readable answer", done.stderr) from error
    return reply


def start_child(
    task: Sequence[str],
    limits: ChildLimits,
    env: Mapping[str, str] | None = None,
    reach: Reach = NOTHING,
    errors: int = subprocess.PIPE,
    descriptors: tuple[int, ...] = (),
) -> Child:
    """Start a confined process at its task (launch.py). `errors`: the end of its stderr."""
    with _command(task, limits, reach) as (command, filters):
        child = Child(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**bare_environment(), **(env or {})},
            start_new_session=True,
            pass_fds=(*descriptors, *filters),
        )
    pass_on_niceness(child.pid)
    return child


@contextmanager
def _command(
    task: Sequence[str], limits: ChildLimits, reach: Reach
) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """Yield the command and the descriptors that it needs until it has started."""
    wrapper, limiter = bubblewrap(), prlimit()
    # A program that is missing is named by launch.py.
    if not (wrapper and limiter and task[0] == "run" and shutil.which(task[1])):
        yield _launched(wrapper, task, limits, reach), ()
        return

    with nullcontext() if reach.network else no_sockets() as file:
        confined = [*bubblewrap_command(wrapper, reach, file), *limited(limiter, task[1:], limits)]
        yield confined, () if file is None else (file,)


def _launched(
    wrapper: str | None, task: Sequence[str], limits: ChildLimits, reach: Reach
) -> list[str]:
    """Behind bubblewrap the parent has no number: the wrapper sees to dying with it."""
    parent = 0 if wrapper else os.getpid()
    numbers = (
        limits.memory_bytes,
        limits.cpu_seconds,
        limits.file_bytes,
        parent,
        int(reach.network),
    )
    command = [sys.executable, "-I", "-S", "-B", _launcher(), *map(str, numbers), *task]
    return [*bubblewrap_command(wrapper, reach), *command] if wrapper else command


@cache
def _launcher() -> str:
    """Return the path of the launcher's bytecode, or of its source where none can be kept.

    Python compiles a script anew at every start, and an audit starts this one up to fifteen times.
    """
    is_current = compileall.compile_file(LAUNCHER, quiet=2)
    return cache_from_source(str(LAUNCHER)) if is_current else str(LAUNCHER)


def _exception_name(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or [""]
    named = re.match(r"[A-Za-z_][\w.]*", lines[-1])
    return named.group() if named else "no message"


def _error(name: str, code: str, message: str) -> CourtroomError:
    kind = getattr(errors, name, CourtroomError)
    error: CourtroomError = kind(code, message)
    return error
