"""Folder of a server that takes no lock of its own."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from auditor_site.localservices.places import Place, ephemeral_place
from auditor_site.localservices.server import take_lock
from auditor_site.localservices.valkey import Valkey


@contextmanager
def held_place() -> Iterator[Place]:
    """Make a temporary folder and lock it, and remove it at the end.

    Every run that begins on this machine removes folders without a lock that are a minute old.
    """
    place = ephemeral_place()
    lock = take_lock(Valkey(place).lock)
    assert lock is not None
    try:
        yield place
    finally:
        shutil.rmtree(place.home, ignore_errors=True)
        os.close(lock)
