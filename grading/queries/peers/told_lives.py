"""Which findings are gone as far as their owners may know: a verdict that is withheld has told nobody anything yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from grading.enums import AuditKind, FindingState, ReleasePolicy
from grading.lives import Word, life_of
from grading.models import Assignment, FindingSighting, Grade
from grading.queries.audits.audits import Place, grades_behind, is_withheld


def keeps_verdicts(assignment: Assignment) -> bool:
    """Whether its students learn of a verdict only by a release."""
    return assignment.release_policy == ReleasePolicy.AFTER_RELEASE


def histories_of(findings: Collection[UUID] | QuerySet[Any]) -> QuerySet[FindingSighting]:
    """Every sighting of these findings, in the order of their audits, with what `gone_in` asks of it."""
    sightings = FindingSighting.objects.filter(finding__in=findings).defer("audit__report")
    related = sightings.select_related("submission__assignment", "audit")
    return related.order_by("audit__created_at", "pk")


def gone_as_told(history: Collection[FindingSighting], grades: Mapping[Place, Grade]) -> set[UUID]:
    """Which findings of this history (from `histories_of`, with each `finding`) are gone. No query.

    The column `state` knows every audit; this is what queries/peers/findings.findings_of tells the owner.
    """
    open_ones = [row.finding for row in history if not keeps_verdicts(row.submission.assignment)]
    sealed = [row for row in history if keeps_verdicts(row.submission.assignment)]
    return {each.pk for each in open_ones if each.state == FindingState.FIXED} | gone_in(sealed, grades)


def gone_but_for_withheld(findings: Collection[UUID] | QuerySet[Any]) -> set[UUID]:
    """Which of these findings are gone by what is left without the verdicts that are withheld. Two queries."""
    rows = list(histories_of(findings))
    return gone_in(rows, grades_behind({row.submission for row in rows}))


def gone_in(history: Iterable[FindingSighting], grades: Mapping[Place, Grade]) -> set[UUID]:
    """The same of sightings from `histories_of`, with the grades behind their submissions. No query."""
    told: defaultdict[UUID, list[Word]] = defaultdict(list)
    for row in history:
        submission = row.submission
        grade = grades.get((submission.assignment_id, submission.student_id))
        if row.audit is None or row.audit.kind == AuditKind.PEER or not is_withheld(submission, grade):
            word = Word(submission.attempt, row.present, imported=row.audit is None)
            told[row.finding_id].append(word)
    seen = {key: words for key, words in told.items() if any(word.present for word in words)}
    return {key for key, words in seen.items() if life_of(words).state == FindingState.FIXED}
