"""Traps for hostile submissions: how a test knows that nothing was reached.

A listener on loopback that nobody may call, a file that nobody may make, and the folder of the
audit that nothing may be written outside of.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from courtroom.models.case import Limits
from tests.hostile.child_memory import Starter, measured_children

MEMORY_BYTES = Limits().child_memory_bytes


@dataclass(frozen=True)
class Listener:
    """Accepts and counts. `callers` are the peers' addresses."""

    url: str
    callers: list[object] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Listener]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        listener = Listener(f"http://127.0.0.1:{server.getsockname()[1]}")
        threading.Thread(target=_count, args=(server, listener.callers), daemon=True).start()
        yield listener


def _count(server: socket.socket, callers: list[object]) -> None:
    while True:
        try:
            connection, peer = server.accept()
        except OSError:  # the test is over
            return
        callers.append(peer)
        connection.close()


@dataclass(frozen=True, slots=True)
class Trap:
    """Bait of a submission: an address to call, and a command that leaves a mark."""

    url: str
    mark: Path

    @property
    def command(self) -> str:
        return f"touch {self.mark}"


@dataclass(frozen=True, slots=True)
class Toll:
    """Cost and damage of one case, or of several at once: seconds, bytes of the largest child, calls, files outside,
    payloads.
    """

    kind: str
    seconds: float
    memory: int
    connections: int = 0
    outside: int = 0
    unescaped: int = 0
    cases: int = 1


@contextmanager
def trial(
    kind: str,
    *,
    home: Path,
    listener: Listener,
    starter: Starter,
    deadline: float,
    note: Callable[[Toll], None],
    cases: int = 1,
) -> Iterator[Path]:
    """Everything a case does happens inside. Yields the audit's folder; what else appears in `home`
    is outside.

    `deadline` in seconds. The toll is noted before anything is held against the case.
    """
    folder = home / "audit"
    folder.mkdir()
    before, calls = _listed(home, folder), len(listener.callers)
    started = time.monotonic()
    try:
        with measured_children(starter) as peaks:
            yield folder
    finally:
        toll = Toll(
            kind,
            seconds=time.monotonic() - started,
            memory=peaks.largest,
            connections=len(listener.callers) - calls,
            outside=len(_listed(home, folder) ^ before),
            cases=cases,
        )
        note(toll)
    assert toll.seconds < deadline
    assert (toll.connections, toll.outside, toll.memory <= MEMORY_BYTES) == (0, 0, True)


def _listed(home: Path, folder: Path) -> set[tuple[Path, int]]:
    return {
        (path, path.lstat().st_size if path.is_file() else 0)
        for path in home.rglob("*")
        if folder not in (path, *path.parents)
    }
