"""Rows of a long query in batches, without a cursor or a transaction that is open between them.

For downloads, which last as long as their reader's line. In a transaction, `iterator()` does it.
"""

from collections.abc import Iterator
from typing import TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def in_batches(rows: QuerySet[Row], size: int) -> Iterator[list[Row]]:
    """Yield the rows in the query's order, so that only `size` of them are in memory at a time.

    One query where they fit into one batch; else the other keys are read next. A row that is
    deleted meanwhile is left out.
    """
    first = list(rows[:size])
    if first:
        yield first
    if len(first) < size:
        return
    done = {row.pk for row in first}
    keys = [key for key in rows.values_list("pk", flat=True) if key not in done]
    for start in range(0, len(keys), size):
        batch = keys[start : start + size]
        by_key = rows.in_bulk(batch)
        yield [by_key[key] for key in batch if key in by_key]
