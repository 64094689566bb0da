"""Feed a confined process, read its output until its end, and report how it ended.

Nothing of it is left behind: neither a process of its group nor an open pipe. Every bad end is a
ChildFailed: child_timeout, child_memory, child_output or child_died.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from courtroom.models.errors import ChildFailed

STDERR_KEPT = 64 * 1024
CHUNK = 64 * 1024
TICK_SECONDS = 0.1
# A wrapper reports a signal as a shell does. Only those that end a confined process are read back:
# programs use other numbers above 128 as exit codes of their own.
SIGNAL_EXIT_CODES = {
    128 + number: -number
    for number in (signal.SIGXCPU, signal.SIGXFSZ, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT)
}


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
    """Result of a program that ended by itself. `stderr` is its last 64 KiB."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Child(subprocess.Popen[bytes]):
    """A process that leads a group of its own; `kill` ends the whole group."""

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """Leave no process of its group and no open pipe behind."""
        self.kill()
        try:
            self.wait()
        finally:
            for pipe in (self.stdin, self.stdout, self.stderr):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()


def converse(
    child: Child, limits: ChildLimits, stdin: bytes, watch: Callable[[], None] | None = None
) -> Completed:
    """Return its output and exit code. `watch` is called ten times a second and may raise."""
    deadline = time.monotonic() + limits.wall_seconds
    try:
        stdout, stderr = _Pipes(child, stdin, limits.output_bytes).drain(deadline, watch)
        exit_code = child.wait(timeout=max(0.0, deadline - time.monotonic()))
    except (subprocess.TimeoutExpired, TimeoutError):
        raise _timeout(limits) from None
    finally:
        child.end()

    returncode = SIGNAL_EXIT_CODES.get(exit_code, exit_code)
    _raise_for_signal(returncode, stderr, limits)
    return Completed(returncode, stdout, stderr)


class _Pipes:
    """Feeds and reads a child at once, so that neither side can block the other."""

    def __init__(self, child: Child, stdin: bytes, output_bytes: int) -> None:
        self.child = child
        self.unsent = memoryview(stdin)
        self.output_bytes = output_bytes
        self.stdout, self.stderr = bytearray(), bytearray()
        self.selector = selectors.DefaultSelector()

    def drain(self, deadline: float, watch: Callable[[], None] | None) -> tuple[bytes, bytes]:
        """Return stdout and stderr when both are closed.

        Raises TimeoutError at the deadline (monotonic seconds).
        """
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
        assert stdin and stdout  # noqa: S101, PT018 -- all three were opened as pipes
        assert stderr  # noqa: S101
        os.set_blocking(stdin.fileno(), False)
        self.selector.register(stdin, selectors.EVENT_WRITE, self._send)
        self.selector.register(stdout, selectors.EVENT_READ, self._read_stdout)
        self.selector.register(stderr, selectors.EVENT_READ, self._read_stderr)

    def _step(self, seconds: float) -> None:
        ready = self.selector.select(seconds)
        for key, _ in ready:
            key.data(key.fileobj)
        # When the child has ended, a process it started may keep the pipes open.
        if not ready and self.child.poll() is not None:
            self.child.kill()

    def _send(self, pipe: IO[bytes]) -> None:
        try:
            sent = os.write(pipe.fileno(), self.unsent[:CHUNK])
        except BrokenPipeError:  # it reads no more; its exit code tells the reason
            sent = len(self.unsent)
        self.unsent = self.unsent[sent:]
        if not self.unsent:
            self._close(pipe)

    def _read_stdout(self, pipe: IO[bytes]) -> None:
        self.stdout += self._read(pipe)
        if len(self.stdout) > self.output_bytes:
            raise ChildFailed(
                "child_output", f"Its output exceeded the limit of {self.output_bytes} bytes."
            )

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


def _raise_for_signal(returncode: int, stderr: bytes, limits: ChildLimits) -> None:
    if returncode >= 0:
        return
    if -returncode == signal.SIGXCPU:
        raise _timeout(limits)
    if -returncode == signal.SIGXFSZ:
        raise ChildFailed(
            "child_output", f"It wrote a file of more than {limits.file_bytes} bytes."
        )
    if -returncode == signal.SIGKILL:
        raise ChildFailed("child_memory", "The system stopped it, probably for lack of memory.")

    raise died(f"It was stopped by signal {-returncode}", stderr)


def _timeout(limits: ChildLimits) -> ChildFailed:
    wall, cpu = limits.wall_seconds, limits.cpu_seconds
    return ChildFailed(
        "child_timeout", f"It did not finish within {wall:g} s ({cpu} s of processor time)."
    )


def died(reason: str, stderr: bytes) -> ChildFailed:
    """Return a failure with our reason; the child's last output is only a note for the log."""
    failure = ChildFailed("child_died", f"{reason}.")
    failure.add_note(stderr[-2000:].decode(errors="replace"))
    return failure
