"""Numbered slots over all processes of the site, held as advisory locks of PostgreSQL."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def held_slot(name: str, *, slots: int) -> Iterator[int | None]:
    """Hold one of the slots of this name; yield its number, or at once None if all are held."""
    # Session-level locks need no open transaction and end with the connection.
    number = next(
        (slot for slot in range(slots) if _call("pg_try_advisory_lock", name, slot)), None
    )
    try:
        yield number
    finally:
        if number is not None:
            _call("pg_advisory_unlock", name, number)


def _call(function: str, name: str, slot: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended(%s, 0))", [f"slot {slot}: {name}"])
        return bool(cursor.fetchone()[0])
