"""How many audits waited at once, worked out from when each came to the queue and when it left it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from django.db.models import Case, DateTimeField, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from grading.enums import AuditState
from grading.models import Audit

Wait = tuple[datetime, datetime | None]


def waits_since(since: datetime) -> list[Wait]:
    """When each audit came to the queue, and when it left it: null for what still waits. One query.

    What a worker gave back counts as waiting until the run that ended it, as in the times that are told beside it.
    """
    there = waiting_since(since).order_by().values_list("queued_at", "left")
    return list(there)


def waiting_since(since: datetime) -> QuerySet[Any]:
    """The audits that were in the queue at that moment or came to it later; each with when it `left`."""
    waits_still = When(state=AuditState.QUEUED, then=Value(None, output_field=DateTimeField()))
    left = Case(waits_still, default=Coalesce(F("started_at"), F("finished_at")))
    waits = Audit.objects.filter(queued_at__isnull=False).annotate(left=left)
    return waits.filter(Q(state=AuditState.QUEUED) | Q(left__gt=since))


def longest_in(waits: Iterable[Wait], begins: Sequence[datetime]) -> list[int]:
    """How many waited at once at the most, in each stretch between these moments; the last one still goes on."""
    listed = list(waits)
    moves = [(came, 1) for came, _left in listed] + [(left, -1) for _came, left in listed if left is not None]
    moves.sort()  # who leaves as somebody comes has left before
    length, place, longest = 0, 0, []
    for begin, end in pairwise([*begins, datetime.max.replace(tzinfo=UTC)]):
        while place < len(moves) and moves[place] <= (begin, -1):
            length, place = length + moves[place][1], place + 1
        most = length
        while place < len(moves) and moves[place] <= (end, -1):
            length, place = length + moves[place][1], place + 1
            most = max(most, length)
        longest.append(most)
    return longest
