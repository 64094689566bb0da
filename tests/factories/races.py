"""Several at once, each in a thread with a connection of its own; and who of them waits for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction

from grading.courses.archive.actions import delete_cohort
from grading.courses.archive.cohort_inventory import inventory_of
from grading.models import Audit, Cohort
from tests.factories.people import everywhere
from tests.faults.site import eventually

WAITING = """
SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE NOT granted AND datname = current_database()
"""


def alone(act: Callable[[], Any]) -> Any:
    """What it comes to, in a thread of its own, whose connection nobody else would close."""
    try:
        with everywhere():
            return act()
    finally:
        connection.close()


def at_once(act: Callable[[], Any], *, times: int = 2) -> list[Any]:
    """What each of several threads got that did the same thing at the same moment."""
    start = Barrier(times)

    def one() -> Any:
        start.wait(10)
        return alone(act)

    with ThreadPoolExecutor(times) as pool:
        return [future.result() for future in [pool.submit(one) for _ in range(times)]]


@contextmanager
def held(model: Any) -> Iterator[None]:
    """Whoever comes next for its rows has to wait."""
    with everywhere(), transaction.atomic():
        list(model.objects.select_for_update().values_list("pk"))
        yield


def waiting_for_a_row() -> int:
    """How many of this database's connections wait for what another one holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # which a transaction would keep
        cursor.execute(WAITING)
        return int(cursor.fetchone()[0])


def in_turn(model: Any, *acts: Callable[[], Any]) -> list[Any]:
    """What each comes to, once all of them wait in this order for a row of the model, or for each
    other.
    """
    with ThreadPoolExecutor(len(acts)) as pool:
        with held(model):
            begun = []
            for act in acts:
                begun.append(pool.submit(alone, act))
                eventually(lambda: waiting_for_a_row() == len(begun))
        return [each.result() for each in begun]


def while_deleted(cohort: Cohort, act: Callable[[], Any], *, by: User) -> None:
    """The act, begun when whoever deletes the cohort has locked all of it but the attempts; what it
    raises is raised.
    """
    with everywhere():
        seen = inventory_of(cohort).fingerprint
    in_turn(
        Audit, lambda: delete_cohort(cohort=cohort, typed=cohort.slug, fingerprint=seen, by=by), act
    )
