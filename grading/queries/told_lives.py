"""Which findings are gone as far as their owners may know: a verdict that is withheld has told nobody anything yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from grading.enums import AuditKind, FindingState, ReleasePolicy
from grading.lives import Word, life_of
from grading.models import Assignment, Finding, FindingSighting, Grade, Submission
from grading.queries.audits import is_withheld


def keeps_verdicts(assignment: Assignment) -> bool:
    """Whether its students learn of a verdict only by a release."""
    return assignment.release_policy == ReleasePolicy.AFTER_RELEASE


def gone_as_told(findings: Iterable[Finding], assignments: Iterable[Assignment]) -> set[UUID]:
    """Of these findings, in works at these assignments. No query, and two where one of them keeps verdicts.

    The column `state` knows every audit; this is what queries/findings.findings_of tells the owner.
    """
    kept = {each.pk for each in assignments if keeps_verdicts(each)}
    listed = list(findings)
    gone = {each.pk for each in listed if each.assignment_id not in kept and each.state == FindingState.FIXED}
    sealed = {each.pk for each in listed if each.assignment_id in kept}
    return gone | (gone_but_for_withheld(sealed) if sealed else set())


def gone_but_for_withheld(findings: Collection[UUID] | QuerySet[Finding, Any]) -> set[UUID]:
    """By what is left without the verdicts that are withheld. Two queries."""
    sightings = FindingSighting.objects.filter(finding__in=findings).defer("audit__report")
    related = sightings.select_related("submission__assignment", "audit")
    rows = list(related.order_by("audit__created_at", "pk"))
    hidden = _withheld({row.submission for row in rows})
    told: defaultdict[UUID, list[Word]] = defaultdict(list)
    for row in rows:
        if row.audit is None or row.audit.kind == AuditKind.PEER or row.submission_id not in hidden:
            word = Word(row.submission.attempt, row.present, imported=row.audit is None)
            told[row.finding_id].append(word)
    seen = {key: words for key, words in told.items() if any(word.present for word in words)}
    return {key for key, words in seen.items() if life_of(words).state == FindingState.FIXED}


def _withheld(submissions: Collection[Submission]) -> set[UUID]:
    grades = Grade.objects.filter(
        assignment__in={each.assignment_id for each in submissions},
        student__in={each.student_id for each in submissions},
    )
    by_place = {
        (grade.assignment_id, grade.student_id): grade
        for grade in grades.select_related("audit").defer("audit__report")
    }
    return {
        each.pk
        for each in submissions
        if is_withheld(each, by_place.get((each.assignment_id, each.student_id)))
    }
