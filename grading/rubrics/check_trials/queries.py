"""Submitted works to try the checks of a rubric on."""

from __future__ import annotations

from dataclasses import dataclass

from grading.core.enums import REPORTED_STATES, AuditKind
from grading.models import Assignment, Audit, RubricVersion

MOST_WORKS, MOST_ASSIGNMENTS = 200, 5


@dataclass(frozen=True, slots=True)
class WorkGroup:
    """Works of one assignment, newest first."""

    assignment: Assignment
    audits: tuple[Audit, ...]


def works_to_try_on(version: RubricVersion) -> list[WorkGroup]:
    """Return the newest audits with a report, one per submission, by assignment.

    They are of the newest assignments that use this rubric, else of all of the organization.
    """
    reported = Audit.objects.filter(
        organization=version.organization_id, state__in=REPORTED_STATES
    ).exclude(kind=AuditKind.PEER)
    newest = (
        reported.defer("report")
        .select_related(
            "organization",
            "submission__student",
            "submission__team",
            "submission__assignment__cohort",
        )
        .order_by("-finished_at", "pk")
    )
    using = Assignment.objects.filter(rubric_version__rubric=version.rubric_id).order_by("-pk")
    keys = list(using.values_list("pk", flat=True)[:MOST_ASSIGNMENTS])
    own = newest.filter(submission__assignment__in=keys)
    groups: dict[Assignment, dict[object, Audit]] = {}
    for audit in own[:MOST_WORKS] or newest[:MOST_WORKS]:
        audits = groups.setdefault(audit.submission.assignment, {})
        audits.setdefault(audit.submission_id, audit)
    return [WorkGroup(assignment, tuple(audits.values())) for assignment, audits in groups.items()]
