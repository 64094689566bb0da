"""How many hand-ins of one student are looked at together: each keeps a thread of the site, and a child or a socket.

Nothing that is looked at is stored yet, so no attempt is used up, and no audit waits, that would bound it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from grading.core.errors import SubmissionRefused
from grading.models import Enrollment

MOST_LOOKS = 2  # a second click, or a look beside a hand-in


@contextmanager
def limited_probe(student: Enrollment) -> Iterator[None]:
    """In here a look of theirs is under way. A lock of the connection, which no transaction is kept open for and which
    goes with the connection. Raises SubmissionRefused looks_running.
    """
    places = [f"look {place} at what {student.pk} hands in" for place in range(MOST_LOOKS)]
    held = next((place for place in places if _asked("pg_try_advisory_lock", place)), None)
    if held is None:
        sentence = f"{MOST_LOOKS} hand-ins of yours are being looked at just now: wait for what they come to."
        raise SubmissionRefused("", "looks_running", sentence)
    try:
        yield
    finally:
        _asked("pg_advisory_unlock", held)


def _asked(function: str, place: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended(%s, 0))", [place])
        return bool(cursor.fetchone()[0])
