"""Children of a fork server, for what is asked often: the look at a report while its student waits.

A server is started at the first question of a process and ends with it. What is confined by it is confined as by
launch.py, and more (forkserver.py). Where none can be had, ServerGone says so, and a child of one's own does the same.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import IO

from courtroom.analysis.sandbox.bubblewrap import Reach, around, bare_environment, bubblewrap
from courtroom.analysis.sandbox.child_io import ChildLimits
from courtroom.analysis.sandbox.fork_server import CALLS, FILE

SERVER = Path(__file__).with_name("fork_server.py")
# Its imports on a machine that is very busy; after that, how long it may take to tell of an end.
PATIENCE_SECONDS = 10.0


class ServerGone(Exception):
    """There is no fork server, or it went before its child had ended."""


class ForkedChild:
    """A child of a fork server, to be talked with like a subprocess.Popen; `line` tells its end, and asks for it."""

    def __init__(self, pipes: tuple[int, int, int], line: socket.socket) -> None:
        self.stdin: IO[bytes] | None = os.fdopen(pipes[0], "wb", buffering=0)
        self.stdout: IO[bytes] | None = os.fdopen(pipes[1], "rb", buffering=0)
        self.stderr: IO[bytes] | None = os.fdopen(pipes[2], "rb", buffering=0)
        self._line = line
        self._ended: int | None = None

    def poll(self) -> int | None:
        """As Popen.poll. Raises ServerGone."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """As Popen.wait, but never longer than the server's patience. Raises ServerGone."""
        if self._ended is None:
            told = self._told_within(timeout)
            self._line.close()
            if not told:
                raise ServerGone
            (self._ended,) = struct.unpack("i", told)
        return self._ended

    def _told_within(self, timeout: float | None) -> bytes:
        try:
            self._line.settimeout(PATIENCE_SECONDS if timeout is None else timeout)
            return self._line.recv(struct.calcsize("i"))
        except (BlockingIOError, TimeoutError) as waiting:
            if timeout is None:
                raise ServerGone from waiting
            raise subprocess.TimeoutExpired("a forked child", timeout) from None
        except OSError as error:  # the line was closed before: the server had gone
            raise ServerGone from error

    def kill(self) -> None:
        """It has no family: it could not start a process."""
        with contextlib.suppress(OSError):  # it has ended, and its line is closed
            self._line.shutdown(socket.SHUT_WR)


class _ForkServer:
    """The process beside us that forks, and the socket on which it is asked to. Both may raise ServerGone."""

    def __init__(self, module: str, paths: Sequence[str]) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                _command(module, paths, theirs.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=bare_environment(),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._control.settimeout(PATIENCE_SECONDS)
        if not self._is_ready():
            self.close()
            raise ServerGone

    def _is_ready(self) -> bool:
        try:
            return self._control.recv(16) != b""
        except OSError:  # it takes too long, or could not even start
            return False

    def fork(self, limits: ChildLimits, file: IO[bytes]) -> ForkedChild:
        """A child that reads its request from its stdin, and finds the open file as its descriptor FILE."""
        ours, theirs = _pipes()
        line, its_line = socket.socketpair()
        numbers = [limits.memory_bytes, limits.cpu_seconds, limits.file_bytes]
        try:
            given = [*theirs, file.fileno(), its_line.fileno()]
            socket.send_fds(self._control, [json.dumps(numbers).encode()], given)
        except OSError as error:
            line.close()
            for descriptor in ours:
                os.close(descriptor)
            raise ServerGone from error
        finally:
            its_line.close()
            for descriptor in theirs:
                os.close(descriptor)
        return ForkedChild(ours, line)

    def leave(self) -> None:
        """In a forked process: let go of what is the parent's."""
        self._control.close()

    def close(self) -> None:
        """The server hears that nobody asks any more, and ends with all its children."""
        self._control.close()
        try:
            self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


# None where one did not get ready: this machine is not asked for it again.
_servers: dict[str, _ForkServer | None] = {}
_lock = Lock()


def forked(
    module: str, paths: Sequence[str], limits: ChildLimits, file: IO[bytes]
) -> tuple[ForkedChild, int]:
    """A confined child that has `module` imported, and the number that the open file has there. Raises ServerGone."""
    server = _server(module, paths)
    try:
        return server.fork(limits, file), FILE
    except ServerGone:  # since it was asked last
        _dismiss(module, server)
        return _server(module, paths).fork(limits, file), FILE


def _server(module: str, paths: Sequence[str]) -> _ForkServer:
    if sys.platform != "linux" or os.uname().machine not in CALLS:
        raise ServerGone
    with _lock:
        if module not in _servers:
            _servers[module] = None
            _servers[module] = _ForkServer(module, paths)
        server = _servers[module]
    if server is None:
        raise ServerGone
    return server


def _dismiss(module: str, server: _ForkServer | None) -> None:
    """The next question starts a new one."""
    with _lock:
        if _servers.get(module) is server:
            _servers.pop(module, None)
    if server is not None:
        server.close()


@atexit.register
def dismiss_all() -> None:
    """End every fork server of this process."""
    for module, server in list(_servers.items()):
        _dismiss(module, server)


def _leave_to_parent() -> None:
    """A forked process shares no server with its parent, whose end the server could else not notice."""
    global _lock  # noqa: PLW0603 -- a thread that is not here may have held it
    _lock = Lock()
    for server in filter(None, _servers.values()):
        server.leave()
    _servers.clear()


os.register_at_fork(after_in_child=_leave_to_parent)


def _command(module: str, paths: Sequence[str], control: int) -> list[str]:
    wrapper = bubblewrap()
    setting = json.dumps({"module": module, "paths": list(paths)})
    command = [sys.executable, "-I", "-S", "-B", str(SERVER), str(control), setting]
    reach = Reach(reads=tuple(map(Path, paths)))
    return [*around(wrapper, reach, shared=True), *command] if wrapper else command


def _pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Our ends and the child's ends of its stdin, stdout and stderr."""
    (its_in, our_in), (our_out, its_out), (our_err, its_err) = os.pipe(), os.pipe(), os.pipe()
    return (our_in, our_out, our_err), (its_in, its_out, its_err)
