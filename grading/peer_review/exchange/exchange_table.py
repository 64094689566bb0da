"""Each student's part in the exchange among peers, for staff: what the site knows, and what the repository shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, F, IntegerField, TextField, Value, When
from django.db.models.expressions import Func
from django.db.models.lookups import Exact

from grading.engine.exchange_facts import ExchangeCounts, exchanges_in
from grading.engine.report import EXCHANGE_LOOKUPS
from grading.models import Assignment, Enrollment, Grade


@dataclass(frozen=True, slots=True)
class Filed:
    """What the audit that counts found in the repository: how many of each; null where that was not established."""

    generated: int | None
    received: int | None
    deferrals: int | None
    entries: int | None


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """`filed` is null before a first verdict."""

    student: Enrollment
    site: ExchangeCounts
    filed: Filed | None

    @property
    def exchanged(self) -> bool | None:
        """Whether feedback was given or received; null where the site knows of none and no repository was read."""
        if self.site.exchanged:
            return True
        if self.filed is None or self.filed.generated is None:
            return None
        return bool(self.filed.generated or self.filed.received)

    @property
    def share_answered(self) -> float | None:
        """Of the findings received, 0..1; null without any."""
        return _share(self.site.answered, self.site.findings_received)

    @property
    def share_fixed(self) -> float | None:
        return _share(self.site.fixed, self.site.findings_received)

    @property
    def share_confirmed(self) -> float | None:
        """Of the findings that their own auditor stated about peers."""
        told = self.site.relevance
        return _share(told.confirmed, told.stated) if told else None


def exchange_table(assignment: Assignment) -> list[ExchangeRow]:
    """Everybody of the cohort, in the roster's order. Nine queries."""
    known, filed = exchanges_in(assignment), _filed_in(assignment)
    students = Enrollment.objects.filter(cohort=assignment.cohort_id)
    return [
        ExchangeRow(each, known.get(each.pk, ExchangeCounts()), filed.get(each.pk))
        for each in students
    ]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _filed_in(assignment: Assignment) -> Mapping[int, Filed]:
    grades = Grade.objects.filter(assignment=assignment, audit__isnull=False).order_by()
    rows = grades.values_list(
        "student", *(_length_of(f"audit__{path}") for path in EXCHANGE_LOOKUPS)
    )
    return {student: Filed(*lengths) for student, *lengths in rows}


def _length_of(path: str) -> Case:
    """Of a list of the report; null where there is none."""
    kind: Any = Func(F(path), function="jsonb_typeof", output_field=TextField())
    length = Func(F(path), function="jsonb_array_length", output_field=IntegerField())
    return Case(When(Exact(kind, Value("array")), then=length), default=None)
