"""Both servers, started and stopped together, unless the environment names others."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator

from auditor_site.localservices.places import (
    MEMORY_ROOT,
    SHORT_ROOT,
    Place,
    checkout_place,
    ephemeral_place,
)
from auditor_site.localservices.postgres import Postgres
from auditor_site.localservices.server import Server, start, take_lock
from auditor_site.localservices.valkey import Valkey

KINDS: dict[str, type[Server]] = {"DATABASE_URL": Postgres, "REDIS_URL": Valkey}
# A younger folder may belong to a process that has not taken its locks yet.
SETTLED_SECONDS = 60


@contextlib.contextmanager
def embedded(*, ephemeral: bool = False) -> Iterator[dict[str, str]]:
    """Run the servers that the environment does not name; yield their addresses by variable.

    `ephemeral`: in a temporary folder, without durability, removed afterwards.
    """
    with serving(ephemeral=ephemeral) as servers:
        yield {variable: server.url for variable, server in servers.items()}


@contextlib.contextmanager
def serving(*, ephemeral: bool = False) -> Iterator[dict[str, Server]]:
    """Run the same servers; yield the servers themselves.

    They were started here, or another process of this checkout runs them.
    """
    missing = {variable: kind for variable, kind in KINDS.items() if not _is_named(variable)}
    with contextlib.ExitStack() as stack:
        if not missing:
            yield {}
            return
        place = _temporary(stack) if ephemeral else checkout_place()
        yield {variable: _run(kind(place), stack) for variable, kind in missing.items()}


def _is_named(variable: str) -> bool:
    return any(os.environ.get(name, "").strip() for name in (variable, f"{variable}_FILE"))


def _run(server: Server, stack: contextlib.ExitStack) -> Server:
    running = start(server)
    if running is not None:
        stack.callback(running.stop)
    return server


def _temporary(stack: contextlib.ExitStack) -> Place:
    _sweep()
    place = ephemeral_place()
    stack.callback(shutil.rmtree, place.home, ignore_errors=True)
    return place


def _sweep() -> None:
    """Remove temporary folders of killed processes: a minute old, with no lock held."""
    name = f"auditor-test-{os.geteuid()}-*"
    for folder in (*MEMORY_ROOT.glob(name), *SHORT_ROOT.glob(name)):
        # Another process may sweep at the same time.
        with contextlib.suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime < SETTLED_SECONDS:
                continue
            locks = [take_lock(folder / f"{kind.name}.lock") for kind in KINDS.values()]
            if None not in locks:
                shutil.rmtree(folder, ignore_errors=True)
            for lock in locks:
                if lock is not None:
                    os.close(lock)
