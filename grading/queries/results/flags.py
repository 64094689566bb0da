"""What wants a person's look, said once: the list of grades, the release of all that is unflagged, the sample and the first
page use the same words.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from grading.enums import PENDING_APPEALS
from grading.models import Appeal, Grade

FAR_APART = 3  # of five: beyond the spread at which the courtroom hears judges again
FLAGS = {
    "spread": "judges far apart",
    "review": "needs review",
    "integrity": "words to the grader",
    "unverified": "unverified claims",
    "judge": "a judge gave no answer",
    "appeal": "appealed",
}


def flags_of(grade: Grade) -> tuple[str, ...]:
    """The flags of one of queries/results/grades.grades_of, in the order of FLAGS."""
    set_ = {
        "spread": grade.widest_spread >= FAR_APART,
        "review": grade.needs_review,
        "integrity": grade.suspected,
        "unverified": grade.unverified,
        "judge": grade.failed_judges > 0,
        "appeal": bool(getattr(grade, "appealed", False)),
    }
    return tuple(flag for flag in FLAGS if set_[flag])


def flags_set_in(row: Any) -> dict[str, bool]:
    """The same of a row that carries a grade's columns beside its own (queries/results/grades.rows_of)."""
    return {
        "spread": (row.spread or 0) >= FAR_APART,
        "review": bool(row.review),
        "integrity": bool(row.suspected),
        "unverified": bool(row.unverified),
        "judge": bool(row.failed_judges),
        "appeal": row.appealed,
    }


def has_flag(flag: str, grade: str = "grade__") -> Q:
    """`grade` leads from a row to its grade; "" where the rows are grades."""
    return {
        "spread": Q(**{f"{grade}widest_spread__gte": FAR_APART}),
        "review": Q(**{f"{grade}needs_review": True}),
        "integrity": Q(**{f"{grade}suspected": True}),
        "unverified": Q(**{f"{grade}unverified": True}),
        "judge": Q(**{f"{grade}failed_judges__gt": 0}),
        "appeal": Q(appealed=True),
    }[flag]


def is_flagged(grade: str = "grade__") -> Q:
    """Any of them."""
    flagged = Q()
    for each in FLAGS:
        flagged |= has_flag(each, grade)
    return flagged


def flagged_among(grades: QuerySet[Grade]) -> QuerySet[Grade]:
    """Those with any of FLAGS, at whatever assignment."""
    theirs = {"submission__assignment": OuterRef("assignment"), "submission__student": OuterRef("student")}
    waits = Exists(Appeal.objects.filter(state__in=PENDING_APPEALS, **theirs))
    return grades.annotate(appealed=waits).filter(is_flagged(""))
