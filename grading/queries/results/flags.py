"""What wants a person's look, said once: the list of grades, the release of all that is unflagged, the sample and the
first page use the same words.
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


def flags_of(graded: Any) -> tuple[str, ...]:
    """The flags, in the order of FLAGS, of a grade (queries/results/grades.grades_of), or of a row that carries a
    grade's columns under their own names (rows_of there), null where there is no grade."""
    set_ = {
        "spread": (graded.widest_spread or 0) >= FAR_APART,
        "review": graded.needs_review,
        "integrity": graded.suspected,
        "unverified": graded.unverified,
        "judge": graded.failed_judges,
        "appeal": getattr(graded, "appealed", False),
    }
    return tuple(flag for flag in FLAGS if set_[flag])


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
