"""One migrated database for all workers of a run; each worker clones it, because migrating takes
seconds.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.db import connection
from pytest_django import DjangoDbBlocker


@contextmanager
def template_of_all_workers(shared: Path, blocker: DjangoDbBlocker) -> Iterator[str]:
    """Yield the template's name. The first worker migrates while the others wait, and drops it at
    its end.

    A worker that starts after that migrates again. `shared` is a folder of this run's workers only.
    """
    name = f"test_{connection.settings_dict['NAME']}_template"
    with _alone(shared / "migrated") as state:
        mine = not state.read()
        if mine:
            with blocker.unblock():
                _migrate(name)
            state.write(name)

    yield name
    if mine:
        with _alone(shared / "migrated") as state, blocker.unblock():
            _drop(name)
            state.truncate(0)


@contextmanager
def _alone(file: Path) -> Iterator[IO[str]]:
    """Yield the file, opened at its beginning and locked against other workers."""
    with file.open("a+", encoding="ascii") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        opened.seek(0)
        yield opened


def _migrate(name: str) -> None:
    with _database(name):
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)


def _drop(name: str) -> None:
    with _database(name):
        connection.settings_dict["NAME"] = name
        connection.creation.destroy_test_db(verbosity=0)


@contextmanager
def _database(name: str) -> Iterator[None]:
    """Make this the test database, and disconnect afterwards, because a template may have no
    connections.
    """
    settings = connection.settings_dict
    before, own = settings["NAME"], settings["TEST"]["NAME"]
    settings["TEST"]["NAME"] = name

    try:
        yield
    finally:
        connection.close()
        settings["NAME"], settings["TEST"]["NAME"] = before, own
