"""Plan who reads what: by student, by criterion, or at random with a seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction

from grading.core.activity_writer import record_activity
from grading.core.errors import ReviewRefused
from grading.grading_queue.queries import WHOLE_WORK, Queue, Work, queue_of, readers_of
from grading.models import Assignment, Enrollment, ReviewShare

Method = Literal["student", "random", "criterion", "none"]
METHODS: dict[str, str] = {
    "student": "by student",
    "random": "at random",
    "criterion": "by criterion",
    "none": "to nobody",
}


def plan_shares(
    *, assignment: Assignment, method: Method, readers: Sequence[User], seed: int, by: User
) -> int:
    """Replace the shares of the assignment; return their number.

    Reviews and flags stay. A student whose work somebody began to review stays with that reader, if
    the plan has them. Raises ReviewRefused readers_missing, reader_unknown, nothing_to_share.
    """
    reader_ids = {user.pk for user in readers_of(assignment)}
    if method != "none" and not readers:
        raise ReviewRefused("readers", "readers_missing", "Choose at least one reader.")
    if not reader_ids.issuperset(reader.pk for reader in readers):
        raise ReviewRefused("readers", "reader_unknown", "Somebody is no longer a member of staff.")

    with transaction.atomic():
        # The lock lets one plan at a time replace the one before it.
        Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        shares = _shares(assignment, method, [reader.pk for reader in readers], seed)
        ReviewShare.objects.filter(assignment=assignment).delete()
        ReviewShare.objects.bulk_create(shares)
        record_activity(
            organization=assignment.organization_id,
            actor=by,
            verb="shares.planned",
            about=assignment,
            readers=len(readers) if method != "none" else 0,
            method=METHODS[method],
            seed=seed if method == "random" else None,
        )
    return len(shares)


def deal(
    students: Sequence[int], readers: Sequence[int], kept: Mapping[int, int]
) -> dict[int, int]:
    """Return the reader of every student, in turn; `kept` ones stay and count for their reader.

    The next student goes to the reader with the fewest, of equal ones to the first.
    """
    counts = Counter(dict.fromkeys(readers, 0))
    dealt = {student: kept[student] for student in students if student in kept}
    counts.update(dealt.values())
    for student in students:
        if student not in dealt:
            reader = min(readers, key=lambda key: (counts[key], readers.index(key)))
            dealt[student] = reader
            counts[reader] += 1
    return dealt


def _shares(
    assignment: Assignment, method: Method, readers: list[int], seed: int
) -> list[ReviewShare]:
    if method == "none":
        return []
    queue = queue_of(assignment)
    rows = (
        _by_criterion(queue, readers)
        if method == "criterion"
        else _by_student(assignment, queue, readers, seed if method == "random" else None)
    )
    if not rows:
        raise ReviewRefused("", "nothing_to_share", "There is nothing to share yet.")
    return [
        ReviewShare(
            organization_id=assignment.organization_id,
            assignment=assignment,
            student_id=student,
            criterion_id=criterion_id,
            reader_id=reader,
        )
        for (student, criterion_id), reader in rows.items()
    ]


def _by_criterion(queue: Queue, readers: list[int]) -> dict[tuple[int | None, str], int]:
    return {
        (None, criterion.id): readers[criterion.place % len(readers)]
        for criterion in queue.criteria
    }


def _by_student(
    assignment: Assignment, queue: Queue, readers: list[int], seed: int | None
) -> dict[tuple[int | None, str], int]:
    """Share the whole roster: who hands in later has a reader already."""
    students = list(
        Enrollment.objects.filter(cohort=assignment.cohort_id)
        .order_by("name", "email", "pk")
        .values_list("pk", flat=True)
    )
    if seed is not None:
        # Sorted first, so that a changed name changes no draw.
        students.sort()
        random.Random(seed).shuffle(students)  # noqa: S311 -- not a secret
    kept = {
        work.student.pk: reader for work in queue.works if (reader := _reviewer_of(work)) in readers
    }
    return {(key, WHOLE_WORK): reader for key, reader in deal(students, readers, kept).items()}


def _reviewer_of(work: Work) -> int:
    """Return who reviewed most of the work; 0, nobody's key, where nothing is reviewed."""
    reviews = [work.review_of(verdict.criterion_id) for verdict in work.verdicts]
    counts = Counter(mark.reviewed_by_id for mark in reviews if mark and mark.reviewed_by_id)
    return max(sorted(counts), key=lambda key: counts[key], default=0)
