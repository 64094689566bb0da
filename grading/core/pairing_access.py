"""Access granted by a pairing: from the start of its round to the end of the cohort."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.db.models import Q, QuerySet
from django.utils import timezone

from grading.core.enums import Anonymity
from grading.models import Pairing, PairingRound

# Side of a reader of a pairing, or of a report.
PairingSide = Literal["auditor", "auditee", "staff"]
ReportSide = Literal["author", "subject", "staff"]
Side = Literal["auditor", "auditee", "author", "subject", "staff"]


def granted_pairings(now: datetime | None = None) -> QuerySet[Pairing]:
    """Return the pairings that are active now, or at the given time."""
    now = now or timezone.now()

    # The same rule as in is_granted, written for the database.
    cohort_runs = Q(round__assignment__cohort__ends_on=None) | Q(
        round__assignment__cohort__ends_on__gte=now.date()
    )
    return Pairing.objects.filter(cohort_runs, ended_at=None, round__starts_at__lte=now)


def is_granted(pairing: Pairing) -> bool:
    """Return whether a pairing is active now; no query if round, assignment and cohort are loaded."""
    return pairing.ended_at is None and is_running(pairing.round)


def is_running(round: PairingRound) -> bool:
    """Return whether now is between the round's start and the cohort's last day (UTC)."""
    now, last = timezone.now(), round.assignment.cohort.ends_on
    return round.starts_at <= now and (last is None or now.date() <= last)


def hides_other_side(anonymity: str, side: Side) -> bool:
    """Return whether a reader on this side must not learn who is on the other side."""
    match side:
        case "auditor" | "author":
            return anonymity == Anonymity.DOUBLE_BLIND
        case "auditee" | "subject":
            return anonymity != Anonymity.OPEN
        case "staff":
            return False
