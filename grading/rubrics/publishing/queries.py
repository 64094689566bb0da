"""Assignments that may use a version, with the audits whose verdicts count."""

from __future__ import annotations

from collections import defaultdict

from grading.core.enums import JUDGED_STATES
from grading.models import Assignment, Audit, Grade, RubricVersion
from grading.rubrics.publishing.forms import Candidate


def candidates_for(version: RubricVersion) -> list[Candidate]:
    """Return the organization's assignments that use another version now.

    Those of the same rubric come first. Two queries.
    """
    rows = Assignment.objects.filter(organization=version.organization_id)
    others = rows.exclude(rubric_version=version).select_related(
        "cohort", "organization", "rubric_version__rubric"
    )
    assignments = list(others.defer("rubric_version__document").order_by("-created_at", "pk"))
    audits = _counting_audits(assignments)
    candidates = [
        Candidate(
            assignment,
            tuple(audits[assignment.pk]),
            is_own=assignment.rubric_version.rubric_id == version.rubric_id,
        )
        for assignment in assignments
    ]
    return sorted(candidates, key=lambda candidate: not candidate.is_own)


def _counting_audits(assignments: list[Assignment]) -> dict[int, list[Audit]]:
    """Return audits_to_apply_to of several assignments, by their keys, in one query."""
    judged = Grade.objects.filter(assignment__in=assignments, audit__state__in=JUDGED_STATES)
    audits = Audit.objects.filter(pk__in=judged.values("audit")).select_related("submission")
    by_assignment: defaultdict[int, list[Audit]] = defaultdict(list)
    for audit in audits.defer("report").order_by("created_at", "pk"):
        by_assignment[audit.submission.assignment_id].append(audit)
    return by_assignment
