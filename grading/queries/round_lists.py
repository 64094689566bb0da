"""The rounds of a cohort at a glance, for staff."""

from __future__ import annotations

from django.db.models import Count, Exists, IntegerField, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from grading.enums import REPORTED_STATES
from grading.models import Assignment, Cohort, FeedbackReport, Pairing, PairingRound


def assignments_with_rounds(cohort: Cohort) -> QuerySet[Assignment]:
    """Every assignment with its `rounds`, newest first, each with `students` who take part, `pairs` that stand, and of
    these how many have a report (`reported`) that its subject has opened (`opened`). Two queries."""
    pairs = Pairing.objects.filter(round=OuterRef("pk"), ended_at=None).order_by()
    rounds = PairingRound.objects.order_by("-number").annotate(
        students=Count("members", filter=Q(members__left_at=None), distinct=True),
        pairs=_many(pairs),
        reported=_many(pairs.filter(Exists(_reports()))),
        opened=_many(pairs.filter(Exists(_reports().exclude(read_at=None)))),
    )
    found = Assignment.objects.filter(cohort=cohort).select_related("organization", "cohort")
    return found.prefetch_related(Prefetch("rounds", queryset=rounds))


def _reports() -> QuerySet[FeedbackReport]:
    there = Q(audit=None) | Q(audit__state__in=REPORTED_STATES)
    return FeedbackReport.objects.filter(there, pairing=OuterRef("pk"))


def _many(pairs: QuerySet[Pairing]) -> Coalesce:
    """How many of a round's pairs, as a column; 0 without any."""
    counted = pairs.values("round").annotate(many=Count("pk")).values("many")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
