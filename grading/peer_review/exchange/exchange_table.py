"""Feedback exchange by student, for staff: counts of the site and of the repository."""

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
class RepositoryCounts:
    """Counts in the repository by the audit that counts; None where not established."""

    generated: int | None
    received: int | None
    deferrals: int | None
    entries: int | None


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """Counts of one student; `filed` is None before a first verdict."""

    student: Enrollment
    site: ExchangeCounts
    filed: RepositoryCounts | None

    @property
    def exchanged(self) -> bool | None:
        """True if a report was received, which is what can be implemented; None if unknown.

        Unknown means that the site has none and the repository was not read.
        """
        if self.site.received:
            return True
        if self.filed is None or self.filed.received is None:
            return None
        return bool(self.filed.received)

    @property
    def share_answered(self) -> float | None:
        """Share of the received findings, 0..1; None without any."""
        return _share(self.site.answered, self.site.findings_received)

    @property
    def share_fixed(self) -> float | None:
        return _share(self.site.fixed, self.site.findings_received)

    @property
    def share_confirmed(self) -> float | None:
        """Share of the findings about peers by the student's own auditor, 0..1."""
        relevance = self.site.relevance
        return _share(relevance.confirmed, relevance.stated) if relevance else None


def exchange_table(assignment: Assignment) -> list[ExchangeRow]:
    """Return every student of the cohort, in the order of the roster. Nine queries."""
    site, filed = exchanges_in(assignment), _repository_counts(assignment)
    students = Enrollment.objects.filter(cohort=assignment.cohort_id)
    return [
        ExchangeRow(student, site.get(student.pk, ExchangeCounts()), filed.get(student.pk))
        for student in students
    ]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _repository_counts(assignment: Assignment) -> Mapping[int, RepositoryCounts]:
    grades = Grade.objects.filter(assignment=assignment, audit__isnull=False).order_by()
    rows = grades.values_list(
        "student", *(_length_of(f"audit__{path}") for path in EXCHANGE_LOOKUPS)
    )
    return {student: RepositoryCounts(*lengths) for student, *lengths in rows}


def _length_of(path: str) -> Case:
    """Return the length of a list in the report; null where there is none."""
    kind: Any = Func(F(path), function="jsonb_typeof", output_field=TextField())
    length = Func(F(path), function="jsonb_array_length", output_field=IntegerField())
    # The condition comes first: jsonb_array_length raises an error for anything but an array.
    return Case(When(Exact(kind, Value("array")), then=length), default=None)
