"""What a preview reads: what counts for everybody at an assignment, and the reports it rests on."""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.db.models import Q

from grading.core.enums import JUDGED_STATES, REPORTED_STATES, AuditKind, RubricState
from grading.models import Assignment, Audit, Grade, RubricVersion

REPORTS_AT_ONCE = 20  # a parsed report takes a megabyte


def counting_grades(assignment: Assignment) -> list[Grade]:
    """One for each student with a verdict, in the roster's order."""
    grades = Grade.objects.filter(assignment=assignment).select_related("student", "audit")
    return list(
        grades.defer("released", "audit__report").order_by("student__name", "student__email")
    )


def audits_to_apply_to(assignment: Assignment) -> list[Audit]:
    """Those that count and hold a verdict, with their submissions; reports left out."""
    judged = Grade.objects.filter(assignment=assignment, audit__state__in=JUDGED_STATES)
    audits = Audit.objects.filter(pk__in=judged.values("audit")).select_related("submission")
    return list(audits.defer("report").order_by("created_at", "pk"))


def reports_of(audits: Iterable[UUID]) -> Iterator[tuple[UUID, dict[str, Any]]]:
    """Each audit's report (automaton-auditor/report@1), a few in memory at a time, in no order."""
    reported = Audit.objects.filter(pk__in=list(audits)).values_list("pk", "report")
    for audit, report in reported.iterator(chunk_size=REPORTS_AT_ONCE):
        if report is not None:
            yield audit, report


def versions_of(grades: Iterable[Grade]) -> dict[int, RubricVersion]:
    """The versions that the grades' audits were judged under, by their keys."""
    return RubricVersion.objects.in_bulk({grade.audit.rubric_version_id for grade in grades})


def versions_to_try(assignment: Assignment) -> list[RubricVersion]:
    """Those of the assignment's rubric, newest first, then every other draft; documents left out."""
    own = Q(rubric=assignment.rubric_version.rubric_id)
    found = RubricVersion.objects.filter(own | Q(state=RubricState.DRAFT)).select_related("rubric")
    rubric = assignment.rubric_version.rubric_id
    return sorted(found.defer("document"), key=lambda version: version.rubric_id != rubric)


def stored_works(assignment: Assignment) -> list[Audit]:
    """What a check can be tried on: of each submission its newest audit with a report, by student and attempt."""
    own = Audit.objects.filter(submission__assignment=assignment, state__in=REPORTED_STATES)
    newest = own.exclude(kind=AuditKind.PEER).order_by("submission_id", "-created_at", "pk")
    works = newest.distinct("submission_id").defer("report").select_related("submission__student")
    return sorted(
        works, key=lambda audit: (str(audit.submission.student), -audit.submission.attempt)
    )


def assignments_with_rubrics() -> list[Assignment]:
    """All of the organization's, the newest first, each with its cohort and its version."""
    rows = Assignment.objects.select_related("cohort", "rubric_version").defer(
        "rubric_version__document"
    )
    return list(rows.order_by("-created_at", "pk"))


def all_versions() -> list[RubricVersion]:
    """Of every rubric of the organization, the newest first."""
    rows = RubricVersion.objects.select_related("rubric").defer("document")
    return list(rows.order_by("rubric__name", "rubric", "-number"))
