"""One locked server process.

A server runs as long as its lock is held: a flock that the server and its forks inherit. Whoever
gets the lock knows that no process of an earlier server is alive, and may remove the files that a
kill -9 left behind.
"""

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import IO, ClassVar

from auditor_site.localservices.places import Place
from auditor_site.localservices.service_error import LocalServiceError

START_SECONDS = 60
STOP_SECONDS = 15
POLL_SECONDS = 0.02
# From linux/prctl.h.
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Server(ABC):
    """One kind of server, at one place."""

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    place: Place

    @property
    def lock(self) -> Path:
        return self.place.sockets / f"{self.name}.lock"

    @property
    def log(self) -> Path:
        return self.place.home / f"{self.name}.log"

    @property
    @abstractmethod
    def url(self) -> str:
        """The address for clients."""

    @property
    @abstractmethod
    def socket(self) -> Path:
        """The unix socket on which it listens."""

    @property
    def standard_input(self) -> str:
        """Text that the server reads from its standard input."""
        return ""

    @abstractmethod
    def leftovers(self) -> list[Path]:
        """Return sockets and process files that only a running server may have."""

    @abstractmethod
    def prepare(self) -> list[str]:
        """Make the data folder if it is missing, and return the command that serves it."""

    @abstractmethod
    def bring_up(self) -> bool:
        """Return whether the starting server answers; then also make its roles and databases."""

    @abstractmethod
    def answers(self) -> bool:
        """Return whether a server answers at `url`."""

    def is_gone(self) -> bool:
        """Return whether no process listens at its socket.

        A server too busy to answer is not gone.
        """
        with (
            socket.socket(socket.AF_UNIX) as client,
            contextlib.suppress(TimeoutError, BlockingIOError),
        ):
            client.settimeout(1)
            try:
                client.connect(str(self.socket))
            except (FileNotFoundError, ConnectionRefusedError):
                return True

        return False


@dataclass(frozen=True, slots=True)
class Running:
    """A server that this process started, with its lock."""

    server: Server
    process: subprocess.Popen[bytes]
    lock: int

    def stop(self) -> None:
        """Shut down fast; no process, socket or lock is left."""
        if self.process.poll() is None:
            self.process.send_signal(self.server.stop_signal)

        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

        _clear(self.server)
        release(self.server, self.lock)


def start(server: Server) -> Running | None:
    """Start the server and wait until it answers.

    Return None if another process's server answers; that process stops it.
    """
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        server.place.prepare()
        lock = take_lock(server.lock)
        if lock is not None:
            return _started(server, lock)
        if server.answers():
            return None
        time.sleep(POLL_SECONDS)

    raise LocalServiceError(
        f"Another process holds {server.lock}, but its {server.name} does not answer."
    )


def take_lock(path: Path) -> int | None:
    """Return the lock's descriptor, or None while another process holds or removes it."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        return None

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The file may have been removed and made again between open and flock.
        if path.stat().st_ino == os.fstat(lock).st_ino:
            return lock
    except (BlockingIOError, FileNotFoundError):
        # Another process has it: close it below, and the caller tries again.
        pass

    os.close(lock)
    return None


def release(server: Server, lock: int) -> None:
    """Remove the lock, then the folder of sockets if it is empty."""
    server.lock.unlink(missing_ok=True)
    os.close(lock)
    # The other server may still have its socket there.
    with contextlib.suppress(OSError):
        server.place.sockets.rmdir()


def die_with_parent(number: signal.Signals) -> None:
    """Ask the kernel, in a new child, to send it `number` when its parent dies (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number))


def _started(server: Server, lock: int) -> Running:
    try:
        _clear(server)
        process = _spawn(server, server.prepare(), lock)
    except BaseException:
        release(server, lock)
        raise

    running = Running(server, process, lock)
    try:
        _wait(running)
    except BaseException:
        running.stop()
        raise

    return running


def _spawn(server: Server, command: list[str], lock: int) -> subprocess.Popen[bytes]:
    """Start the process in its own session, so that a terminal's Ctrl-C reaches the owner only."""
    with _new_log(server.log) as log, tempfile.TemporaryFile() as standard_input:
        standard_input.write(server.standard_input.encode())
        standard_input.seek(0)
        return subprocess.Popen(
            command,
            stdin=standard_input,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=server.place.home,
            pass_fds=(lock,),
            start_new_session=True,
            # One system call, which is safe between fork and exec.
            preexec_fn=lambda: die_with_parent(server.stop_signal),  # noqa: PLW1509
            **server.place.owner.identity,
        )


def _new_log(path: Path) -> IO[bytes]:
    """Open an empty log. A link in its place would make root write elsewhere: it is refused."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    return os.fdopen(os.open(path, flags, 0o600), "wb")


def _wait(running: Running) -> None:
    server, deadline = running.server, time.monotonic() + START_SECONDS
    while not server.bring_up():
        if running.process.poll() is not None:
            raise LocalServiceError(
                f"{server.name} did not start. The end of {server.log}:\n{_tail(server.log)}"
            )
        if time.monotonic() > deadline:
            raise LocalServiceError(
                f"{server.name} did not answer in {START_SECONDS} s; its log is {server.log}."
            )
        time.sleep(POLL_SECONDS)


def _clear(server: Server) -> None:
    for path in server.leftovers():
        path.unlink(missing_ok=True)


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
