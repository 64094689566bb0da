"""One migrated database for all workers of a run, each of which clones it: its migrations take
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
    """Its name. Who asks first migrates while the others wait, and takes it away at its end; who
    comes later still begins anew. `shared` is a folder of this run's workers and of nobody else's.
    """
    name = f"test_{connection.settings_dict['NAME']}_template"
    with _alone(shared / "migrated") as said:
        mine = not said.read()
        if mine:
            with blocker.unblock():
                _migrate(name)
            said.write(name)
    yield name
    if mine:
        with _alone(shared / "migrated") as said, blocker.unblock():
            _drop(name)
            said.truncate(0)


@contextmanager
def _alone(file: Path) -> Iterator[IO[str]]:
    """The file, from its beginning, while no other worker has it."""
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
    """This is the test database; nobody is connected to it afterwards, as to be cloned it must be."""
    settings = connection.settings_dict
    before, own = settings["NAME"], settings["TEST"]["NAME"]
    settings["TEST"]["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        settings["NAME"], settings["TEST"]["NAME"] = before, own
