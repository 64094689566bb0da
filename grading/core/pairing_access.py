"""What a pairing grants, and from when to when: from the start of its round to the end of the cohort, until it ends."""

from __future__ import annotations

from typing import Literal

from django.db.models import Q, QuerySet
from django.utils import timezone

from grading.core.enums import Anonymity
from grading.models import Pairing, PairingRound

# On which side of a pairing, or of a report, somebody stands.
PairingSide = Literal["auditor", "auditee", "staff"]
ReportSide = Literal["author", "subject", "staff"]
Side = Literal["auditor", "auditee", "author", "subject", "staff"]


def granted_pairings() -> QuerySet[Pairing]:
    """Those that grant their two students something now."""
    now = timezone.now()
    cohort_runs = Q(round__assignment__cohort__ends_on=None) | Q(
        round__assignment__cohort__ends_on__gte=now.date()
    )
    return Pairing.objects.filter(cohort_runs, ended_at=None, round__starts_at__lte=now)


def is_granted(pairing: Pairing) -> bool:
    """The same of one that is loaded with its round, assignment and cohort; no query then."""
    return pairing.ended_at is None and is_running(pairing.round)


def is_running(round: PairingRound) -> bool:
    """From the start of the round to the last day of its cohort, days in UTC as everywhere on the site."""
    now, last = timezone.now(), round.assignment.cohort.ends_on
    return round.starts_at <= now and (last is None or now.date() <= last)


def hides_the_other(anonymity: str, side: Side) -> bool:
    """Whether a reader on this side must not learn who the other is."""
    match side:
        case "auditor" | "author":
            return anonymity == Anonymity.DOUBLE_BLIND
        case "auditee" | "subject":
            return anonymity != Anonymity.OPEN
        case "staff":
            return False
