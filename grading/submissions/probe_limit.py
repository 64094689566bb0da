"""Limit of concurrent probes per student: each holds a web thread and a child process or a socket.

A probe stores nothing, so neither the attempts nor the open audits limit it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from grading.core.errors import SubmissionRefused
from grading.models import Enrollment

# Two, so that a second click or a check beside a submission is not refused.
MAX_PROBES = 2


@contextmanager
def limited_probe(student: Enrollment) -> Iterator[None]:
    """Hold one of the student's probe slots. Raises SubmissionRefused looks_running."""
    # Session-level advisory locks need no open transaction and end with the connection.
    slots = [f"look {number} at what {student.pk} hands in" for number in range(MAX_PROBES)]
    held = next((slot for slot in slots if _call_lock("pg_try_advisory_lock", slot)), None)

    if held is None:
        sentence = f"{MAX_PROBES} of your submissions are being checked. Wait for their results."
        raise SubmissionRefused("", "looks_running", sentence)
    try:
        yield
    finally:
        _call_lock("pg_advisory_unlock", held)


def _call_lock(function: str, slot: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended(%s, 0))", [slot])
        return bool(cursor.fetchone()[0])
