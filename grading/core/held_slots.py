"""Numbered slots over all processes of the site, held as rows with an end.

Not by advisory locks of a session: behind a pooler no session is one's own, and a machine that is
cut off would hold its locks until the server notices.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

from django.db import connection

# Returns the first free slot, and whether it was taken: another process may be faster.
TAKE = """
WITH free AS (
    SELECT number FROM generate_series(0, %(slots)s - 1) AS slot (number)
    WHERE NOT EXISTS (
        SELECT FROM grading_heldslot AS held
        WHERE held.name = %(name)s AND held.number = slot.number
            AND held.until > clock_timestamp()
    )
    ORDER BY number LIMIT 1
), taken AS (
    INSERT INTO grading_heldslot AS held (name, number, token, until)
    SELECT %(name)s, number, %(token)s, clock_timestamp() + make_interval(secs => %(seconds)s)
    FROM free
    ON CONFLICT (name, number) DO UPDATE SET token = EXCLUDED.token, until = EXCLUDED.until
        WHERE held.until <= clock_timestamp()
    RETURNING number
)
SELECT free.number, taken.number IS NOT NULL FROM free LEFT JOIN taken USING (number)
"""
RELEASE = """
DELETE FROM grading_heldslot WHERE name = %(name)s AND number = %(number)s AND token = %(token)s
"""


@contextmanager
def held_slot(name: str, *, slots: int, seconds: int) -> Iterator[int | None]:
    """Hold one of the slots of this name; yield its number, or at once None if all are held.

    After `seconds` it is free for others, also if this process has died. Call it outside of a
    transaction: others would wait for its end.
    """
    token = uuid4()
    number = _take(name, token, slots=slots, seconds=seconds)
    try:
        yield number
    finally:
        if number is not None:
            with connection.cursor() as cursor:
                cursor.execute(RELEASE, {"name": name, "number": number, "token": token})


def _take(name: str, token: UUID, *, slots: int, seconds: int) -> int | None:
    values: dict[str, str | int | UUID] = {
        "name": name,
        "token": token,
        "slots": slots,
        "seconds": seconds,
    }
    while True:
        with connection.cursor() as cursor:
            cursor.execute(TAKE, values)
            row = cursor.fetchone()
        if row is None:
            return None
        number, is_taken = row
        if is_taken:
            return int(number)
