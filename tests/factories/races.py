"""Actions at the same time, each in a thread with a connection of its own."""

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
from tests.waiting import PATIENCE_SECONDS, eventually

WAITING = """
SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE NOT granted AND datname = current_database()
"""


def alone(act: Callable[[], Any]) -> Any:
    """Run the action in a thread of its own, and close its connection."""
    try:
        with everywhere():
            return act()
    finally:
        connection.close()


def at_once(act: Callable[[], Any], *, times: int = 2) -> list[Any]:
    """Run the action in several threads at the same moment; return their results."""
    start = Barrier(times)

    def run() -> Any:
        start.wait(PATIENCE_SECONDS)
        return alone(act)

    with ThreadPoolExecutor(times) as pool:
        return [future.result() for future in [pool.submit(run) for _ in range(times)]]


@contextmanager
def held(model: Any) -> Iterator[None]:
    """Lock all rows of the model during the block."""
    with everywhere(), transaction.atomic():
        list(model.objects.select_for_update().values_list("pk"))
        yield


def waiting_for_a_row() -> int:
    """Return how many connections of this database wait for a lock."""
    with connection.cursor() as cursor:
        # A transaction would keep its snapshot of the statistics.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(WAITING)
        return int(cursor.fetchone()[0])


def in_turn(model: Any, *acts: Callable[[], Any]) -> list[Any]:
    """Run the actions in this order, all waiting for the model's rows or each other; return
    results.
    """
    with ThreadPoolExecutor(len(acts)) as pool:
        with held(model):
            futures = []
            for act in acts:
                futures.append(pool.submit(alone, act))
                eventually(lambda: waiting_for_a_row() == len(futures))
        return [future.result() for future in futures]


def while_deleted(cohort: Cohort, act: Callable[[], Any], *, by: User) -> None:
    """Run the action while the cohort is being deleted.

    The deletion has locked all but the attempts. Errors of the action are raised.
    """
    with everywhere():
        fingerprint = inventory_of(cohort).fingerprint
    in_turn(
        Audit,
        lambda: delete_cohort(cohort=cohort, typed=cohort.slug, fingerprint=fingerprint, by=by),
        act,
    )
