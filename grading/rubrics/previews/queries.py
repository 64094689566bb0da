"""Queries of a preview: the counting grades of an assignment and their reports."""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from grading.core.enums import JUDGED_STATES, RubricState
from grading.models import Assignment, Audit, Grade, RubricVersion

# A parsed report takes about 1 MB of memory.
REPORTS_AT_ONCE = 20


def counting_grades(assignment: Assignment) -> list[Grade]:
    """Return one grade for each student with a verdict, in roster order."""
    grades = Grade.objects.filter(assignment=assignment).select_related("student", "audit")
    return list(
        grades.defer("released", "audit__report").order_by("student__name", "student__email")
    )


def audits_to_apply_to(assignment: Assignment) -> list[Audit]:
    """Return the counting audits that have a verdict, with submissions, without reports."""
    judged = Grade.objects.filter(assignment=assignment, audit__state__in=JUDGED_STATES)
    audits = Audit.objects.filter(pk__in=judged.values("audit")).select_related("submission")
    return list(audits.defer("report").order_by("created_at", "pk"))


def reports_of(audits: Iterable[UUID]) -> Iterator[tuple[UUID, dict[str, Any]]]:
    """Yield audits with their reports (automaton-auditor/report@1), in no particular order.

    Only REPORTS_AT_ONCE of them are in memory at a time.
    """
    reported = Audit.objects.filter(pk__in=list(audits)).values_list("pk", "report")
    # Rows are fetched in parts only in a transaction.
    with transaction.atomic(savepoint=False):
        for audit, report in reported.iterator(chunk_size=REPORTS_AT_ONCE):
            if report is not None:
                yield audit, report


def versions_of(grades: Iterable[Grade]) -> dict[int, RubricVersion]:
    """Return the versions under which the grades' audits were judged, by key."""
    return RubricVersion.objects.in_bulk({grade.audit.rubric_version_id for grade in grades})


def versions_to_try(assignment: Assignment) -> list[RubricVersion]:
    """Return the versions of the assignment's rubric, newest first, then all other drafts.

    Documents are left out.
    """
    own = Q(rubric=assignment.rubric_version.rubric_id)
    rows = RubricVersion.objects.filter(own | Q(state=RubricState.DRAFT)).select_related("rubric")
    rubric = assignment.rubric_version.rubric_id
    return sorted(rows.defer("document"), key=lambda version: version.rubric_id != rubric)


def all_versions() -> list[RubricVersion]:
    """Return the versions of every rubric of the organization, newest first."""
    rows = RubricVersion.objects.select_related("rubric").defer("document")
    return list(rows.order_by("rubric__name", "rubric", "-number"))
