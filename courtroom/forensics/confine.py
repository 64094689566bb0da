"""Run what reads untrusted bytes in a process that cannot take the machine with it.

A confined process has its own session, an environment made from nothing, hard limits on memory, processor
time and file size and no network unless it asks (confinement/launch.py), a cap on its output and a deadline.
It dies with whoever started it. Where bubblewrap works it also sees no file it was not given
(confinement/walls.py).
Every way it can end badly is a ChildFailed: child_timeout, child_memory, child_output or child_died.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from courtroom import errors
from courtroom.errors import ChildFailed, CourtroomError
from courtroom.forensics.confinement.bytecode import compile_for_children
from courtroom.forensics.confinement.walls import NOTHING, PROJECT_ROOT, Reach, around, bubblewrap

if TYPE_CHECKING:
    from courtroom.case import Limits

LAUNCHER = Path(__file__).parent / "confinement" / "launch.py"
STDERR_KEPT = 64 * 1024
CHUNK = 64 * 1024
TICK_SECONDS = 0.1
# A wrapper tells a signal as a shell does; only those that end a confined process are read back, for programs
# use other numbers above 128 as answers of their own.
SIGNALS_TOLD = {128 + number: -number for number in (signal.SIGXCPU, signal.SIGXFSZ, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Bytes and seconds. `file_bytes` bounds each file it writes, `output_bytes` all it prints."""

    memory_bytes: int
    cpu_seconds: int
    file_bytes: int
    wall_seconds: float
    output_bytes: int


@dataclass(frozen=True, slots=True)
class Completed:
    """How a program ended by itself. `stderr` is its last 64 KiB."""

    returncode: int
    stdout: bytes
    stderr: bytes


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
    return _converse(["run", *argv], limits, stdin, env or {}, reach, watch)


def examine(
    module: str, request: Mapping[str, Any], *, limits: ChildLimits, reads: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """Import `module` in a confined Python and call its `answer(request)`; both sides are plain JSON.

    `reads` are the files and folders the request names: behind walls it sees no others of ours.
    A CourtroomError raised inside is raised again here, same class, code and message.
    """
    compile_for_children()
    paths = [str(PROJECT_ROOT), *(path for path in sys.path if path)]
    envelope = json.dumps({"module": module, "paths": paths, "request": dict(request)}).encode()
    reach = Reach(reads=(*map(Path, paths), *reads))
    done = _converse(["answer"], limits, envelope, {}, reach, None)
    if done.returncode != 0:
        raise _died(f"{module} stopped with {_exception_name(done.stderr)}", done.stderr)
    try:
        reply: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        raise _died(f"{module} gave no readable answer", done.stderr) from error
    if "error" in reply:
        raise _error(*reply["error"])
    answer: dict[str, Any] = reply["answer"]
    return answer


def _converse(
    task: Sequence[str],
    limits: ChildLimits,
    stdin: bytes,
    env: Mapping[str, str],
    reach: Reach,
    watch: Callable[[], None] | None,
) -> Completed:
    deadline = time.monotonic() + limits.wall_seconds
    child = subprocess.Popen(
        _command(task, limits, reach),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", **env},
        start_new_session=True,
    )
    try:
        stdout, stderr = _Pipes(child, stdin, limits.output_bytes).drain(deadline, watch)
        child.wait(timeout=max(0.0, deadline - time.monotonic()))
    except (subprocess.TimeoutExpired, TimeoutError):
        raise _timeout(limits) from None
    finally:
        _end(child)
    returncode = SIGNALS_TOLD.get(child.returncode, child.returncode)
    _refuse_signals(returncode, stderr, limits)
    return Completed(returncode, stdout, stderr)


def _command(task: Sequence[str], limits: ChildLimits, reach: Reach) -> list[str]:
    """Behind walls the parent has no number there: the wrapper sees to dying with it."""
    wrapper = bubblewrap()
    parent = 0 if wrapper else os.getpid()
    numbers = (limits.memory_bytes, limits.cpu_seconds, limits.file_bytes, parent, int(reach.network))
    command = [sys.executable, "-I", "-S", "-B", str(LAUNCHER), *map(str, numbers), *task]
    return [*around(wrapper, reach), *command] if wrapper else command


class _Pipes:
    """Feeds and reads a child at once, so that neither side can block the other."""

    def __init__(self, child: subprocess.Popen[bytes], stdin: bytes, output_bytes: int) -> None:
        self.child = child
        self.unsent = memoryview(stdin)
        self.output_bytes = output_bytes
        self.stdout, self.stderr = bytearray(), bytearray()
        self.selector = selectors.DefaultSelector()

    def drain(self, deadline: float, watch: Callable[[], None] | None) -> tuple[bytes, bytes]:
        """Until both outputs are closed; TimeoutError at the deadline (monotonic seconds)."""
        with self.selector:
            self._open()
            while self.selector.get_map():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                self._step(min(left, TICK_SECONDS))
                if watch is not None:
                    watch()
        return bytes(self.stdout), bytes(self.stderr)

    def _open(self) -> None:
        stdin, stdout, stderr = self.child.stdin, self.child.stdout, self.child.stderr
        assert stdin and stdout  # noqa: S101, PT018 -- all three were asked for as pipes
        assert stderr  # noqa: S101
        os.set_blocking(stdin.fileno(), False)
        self.selector.register(stdin, selectors.EVENT_WRITE, self._send)
        self.selector.register(stdout, selectors.EVENT_READ, self._read_stdout)
        self.selector.register(stderr, selectors.EVENT_READ, self._read_stderr)

    def _step(self, seconds: float) -> None:
        ready = self.selector.select(seconds)
        for key, _ in ready:
            key.data(key.fileobj)
        if not ready and self.child.poll() is not None:
            _kill_group(self.child)  # it has gone, but something it started keeps the pipes open

    def _send(self, pipe: IO[bytes]) -> None:
        try:
            sent = os.write(pipe.fileno(), self.unsent[:CHUNK])
        except BrokenPipeError:  # it does not want the rest; how it ended tells why
            sent = len(self.unsent)
        self.unsent = self.unsent[sent:]
        if not self.unsent:
            self._close(pipe)

    def _read_stdout(self, pipe: IO[bytes]) -> None:
        self.stdout += self._read(pipe)
        if len(self.stdout) > self.output_bytes:
            raise ChildFailed("child_output", f"Its output passed the limit of {self.output_bytes} bytes.")

    def _read_stderr(self, pipe: IO[bytes]) -> None:
        self.stderr += self._read(pipe)
        del self.stderr[:-STDERR_KEPT]

    def _read(self, pipe: IO[bytes]) -> bytes:
        chunk = os.read(pipe.fileno(), CHUNK)
        if not chunk:
            self._close(pipe)
        return chunk

    def _close(self, pipe: IO[bytes]) -> None:
        self.selector.unregister(pipe)
        pipe.close()


def _end(child: subprocess.Popen[bytes]) -> None:
    """Leave no process of its group and no open pipe behind."""
    _kill_group(child)
    child.wait()
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def _refuse_signals(returncode: int, stderr: bytes, limits: ChildLimits) -> None:
    if returncode >= 0:
        return
    if -returncode == signal.SIGXCPU:
        raise _timeout(limits)
    if -returncode == signal.SIGXFSZ:
        raise ChildFailed("child_output", f"It wrote a file of more than {limits.file_bytes} bytes.")
    if -returncode == signal.SIGKILL:
        raise ChildFailed("child_memory", "The system stopped it, most likely for want of memory.")
    raise _died(f"It was stopped by signal {-returncode}", stderr)


def _timeout(limits: ChildLimits) -> ChildFailed:
    wall, cpu = limits.wall_seconds, limits.cpu_seconds
    return ChildFailed("child_timeout", f"It was not done after {wall:g} s ({cpu} s of processor time).")


def _died(what: str, stderr: bytes) -> ChildFailed:
    """The sentence is ours; what the child printed last is a note for the log, never for a page."""
    failure = ChildFailed("child_died", f"{what}.")
    failure.add_note(stderr[-2000:].decode(errors="replace"))
    return failure


def _exception_name(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or [""]
    named = re.match(r"[A-Za-z_][\w.]*", lines[-1])
    return named.group() if named else "no message"


def _error(name: str, code: str, message: str) -> CourtroomError:
    kind = getattr(errors, name, CourtroomError)
    error: CourtroomError = kind(code, message)
    return error
