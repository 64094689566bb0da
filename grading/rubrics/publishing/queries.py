"""Assignments that may use a version, with the audits whose verdicts count."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Q
from django.utils import timezone

from grading.core.enums import JUDGED_STATES
from grading.models import Assignment, Audit, Grade, RubricVersion
from grading.rubrics.publishing.forms import Candidate


def candidates_for(version: RubricVersion) -> list[Candidate]:
    """Return the assignments of current cohorts that use another version now.

    Those of the same rubric come first. Two queries. A cohort that is over takes no more
    submissions; its verdicts are applied to on its assignment's own page.
    """
    is_current = Q(cohort__ends_on=None) | Q(cohort__ends_on__gte=timezone.now().date())
    rows = Assignment.objects.filter(is_current, organization=version.organization_id)
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
