"""The rounds of a cohort at a glance, for staff."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Q

from grading.enums import REPORTED_STATES
from grading.models import Assignment, Cohort, FeedbackReport, Pairing, PairingRound, RoundMember


@dataclass(frozen=True, slots=True)
class RoundLine:
    """`students` take part, `pairs` stand; `reported` of these have a report, `opened` one that its subject opened."""

    round: PairingRound
    students: int
    pairs: int
    reported: int
    opened: int


def rounds_by_assignment(cohort: Cohort) -> list[tuple[Assignment, list[RoundLine]]]:
    """Every assignment with its rounds, newest first. Five queries, each over one table or two."""
    assignments = list(Assignment.objects.filter(cohort=cohort).select_related("organization", "cohort"))
    rounds = list(PairingRound.objects.filter(assignment__in=assignments).order_by("-number"))
    keys = [each.pk for each in rounds]
    members = RoundMember.objects.filter(round__in=keys, left_at=None).order_by()
    pairs = Pairing.objects.filter(round__in=keys, ended_at=None).order_by()
    students = dict(members.values_list("round").annotate(many=Count("pk")))
    standing = dict(pairs.values_list("round").annotate(many=Count("pk")))
    reported = _reported(keys)
    lines = [
        RoundLine(each, students.get(each.pk, 0), standing.get(each.pk, 0), *reported.get(each.pk, (0, 0)))
        for each in rounds
    ]
    return [(one, [line for line in lines if line.round.assignment_id == one.pk]) for one in assignments]


def _reported(rounds: list[int]) -> Mapping[int, tuple[int, int]]:
    """Of each round's pairs that stand, how many have a report, and how many one that was opened."""
    there = Q(audit=None) | Q(audit__state__in=REPORTED_STATES)
    reports = FeedbackReport.objects.filter(there, pairing__round__in=rounds, pairing__ended_at=None)
    rows = (
        reports.order_by()
        .values_list("pairing__round")
        .annotate(
            reported=Count("pairing", distinct=True),
            opened=Count("pairing", distinct=True, filter=Q(read_at__isnull=False)),
        )
    )
    return {key: (reported, opened) for key, reported, opened in rows}
