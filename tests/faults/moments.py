"""Hold an audit at an exact moment: a trigger makes the worker's write wait for a lock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from psycopg.conninfo import make_conninfo

LOCK = 1
STAGES = (
    "exhibits",
    "context_builder",
    "repo_investigator",
    "evidence_aggregator",
    "prosecutor",
    "judge_collector",
    "chief_justice",
)
MOMENTS = ("claim", *STAGES, "commit")
WAITING = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Moment:
    """An audit that waits at its moment; `release` lets it and all later ones pass."""

    def __init__(self, owner: "psycopg.Connection[Any]", eventually: Callable[..., object]) -> None:
        self._owner = owner
        self._eventually = eventually

    def is_reached(self) -> bool:
        return bool(self.backends())

    def wait(self) -> None:
        self._eventually(self.is_reached)

    def backends(self) -> list[int]:
        """Return PostgreSQL's processes that wait here."""
        return [pid for (pid,) in self._owner.execute(WAITING).fetchall()]

    def cut_connections(self) -> None:
        for pid in self.backends():
            self._owner.execute("SELECT pg_terminate_backend(%s)", [pid])

    def release(self) -> None:
        self._owner.execute("SELECT pg_advisory_unlock_all()")


@contextmanager
def held_at(moment: str, eventually: Callable[..., object]) -> Iterator[Moment]:
    """Hold audits at a stage, at `claim` (a worker takes it), or at `commit` (the result's
    transaction).
    """
    with psycopg.connect(as_owner(), autocommit=True) as owner:
        owner.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        owner.execute(
            "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS "
            f"'BEGIN PERFORM pg_advisory_xact_lock_shared({LOCK}); RETURN NEW; END'"
        )
        owner.execute(_trigger(moment))
        try:
            yield Moment(owner, eventually)
        finally:
            owner.execute("SELECT pg_advisory_unlock_all()")
            owner.execute("DROP FUNCTION hold CASCADE")


def as_owner() -> str:
    """Return the address of this test's database for the role that owns the tables."""
    at = connection.settings_dict
    return make_conninfo(
        dbname=at["NAME"],
        user=at["USER"],
        password=at["PASSWORD"],
        host=at["HOST"],
        port=at["PORT"],
    )


def _trigger(moment: str) -> str:
    if moment == "commit":
        return (
            "CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON grading_audit "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
            "WHEN (NEW.report IS NOT NULL AND OLD.report IS NULL) EXECUTE FUNCTION hold()"
        )

    condition = "NEW.state = 'running' AND OLD.state = 'queued'"
    if moment in STAGES:
        condition = f"NEW.stage = '{moment}' AND OLD.stage <> '{moment}'"

    return (
        "CREATE TRIGGER hold BEFORE UPDATE ON grading_audit FOR EACH ROW "
        f"WHEN ({condition}) EXECUTE FUNCTION hold()"
    )
