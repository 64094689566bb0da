"""Findings that are gone, as far as a reader may know: verdicts may be withheld from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from grading.audits.queries import GradeKey, grades_of, is_withheld
from grading.core.enums import (
    AuditKind,
    FindingState,
    ReleasePolicy,
)
from grading.findings.finding_state import Observation, lifecycle_of
from grading.models import (
    Assignment,
    Finding,
    FindingSighting,
    Grade,
)


def keeps_verdicts(assignment: Assignment) -> bool:
    """Return whether its students see a verdict only after its release."""
    return assignment.release_policy == ReleasePolicy.AFTER_RELEASE


def histories_of(findings: Collection[UUID] | QuerySet[Any]) -> QuerySet[FindingSighting]:
    """Return every sighting of these findings, in the order of their audits, for `gone_in`."""
    sightings = FindingSighting.objects.filter(finding__in=findings).defer("audit__report")
    related = sightings.select_related("submission__assignment", "audit")
    return related.order_by("audit__created_at", "pk")


def gone_as_told(
    history: Collection[FindingSighting], grades: Mapping[GradeKey, Grade]
) -> set[UUID]:
    """Return the findings of this history (`histories_of`, with `finding`) that are gone. No query.

    The column `state` counts every audit; this result agrees with what findings_of shows the owner.
    """
    visible = [row.finding for row in history if not keeps_verdicts(row.submission.assignment)]
    withheld = [row for row in history if keeps_verdicts(row.submission.assignment)]
    fixed = {finding.pk for finding in visible if finding.state == FindingState.FIXED}
    return fixed | gone_in(withheld, grades)


def gone_but_for_withheld(findings: Collection[UUID] | QuerySet[Any]) -> set[UUID]:
    """Return which of these findings are gone, without looking at withheld verdicts. Two queries."""
    rows = list(histories_of(findings))
    return gone_in(rows, grades_of({row.submission for row in rows}))


def audit_sightings(finding: Finding) -> list[FindingSighting]:
    """Return where audits saw it, as far as its owner may know. Two queries."""
    rows = histories_of([finding.pk]).filter(present=True, audit__isnull=False)
    grades = grades_of({row.submission for row in rows})
    return [row for row in rows if _is_visible(row, grades)]


def gone_in(history: Iterable[FindingSighting], grades: Mapping[GradeKey, Grade]) -> set[UUID]:
    """Return the gone findings of sightings from `histories_of`, given the grades. No query."""
    observations: defaultdict[UUID, list[Observation]] = defaultdict(list)
    for row in history:
        if _is_visible(row, grades):
            attempt = row.submission.attempt
            observation = Observation(attempt, row.present, imported=row.audit is None)
            observations[row.finding_id].append(observation)

    return {
        key
        for key, rows in observations.items()
        if any(row.present for row in rows) and lifecycle_of(rows).state == FindingState.FIXED
    }


def _is_visible(row: FindingSighting, grades: Mapping[GradeKey, Grade]) -> bool:
    """Return whether the work's owner may know of this sighting (`row` of `histories_of`)."""
    work = row.submission
    return (
        row.audit is None
        or row.audit.kind == AuditKind.PEER
        or not is_withheld(work, grades.get((work.assignment_id, work.reader_id)))
    )
