"""A round as grading/pairing_changes.py wants it: keys of students, and pairs of them."""

from __future__ import annotations

from django.db.models import Q

from grading.enums import AuditState
from grading.models import FeedbackReport, Pairing, PairingRound, RoundMember
from grading.pairing_changes import Board


def board_of(round: PairingRound) -> Board:
    """Three queries. A pair is finished from the moment somebody works on its report: also while its audit runs."""
    members = list(
        RoundMember.objects.filter(round=round).values_list("student", "student__group", "left_at")
    )
    standing = Pairing.objects.filter(round=round, ended_at=None)
    pairs = {
        key: (auditor, auditee) for key, auditor, auditee in standing.values_list("pk", "auditor", "auditee")
    }
    begun = FeedbackReport.objects.filter(
        Q(audit=None) | ~Q(audit__state=AuditState.FAILED), pairing__in=standing
    )
    return Board(
        members=frozenset(student for student, _group, left_at in members if left_at is None),
        pairs=frozenset(pairs.values()),
        finished=frozenset(pairs[key] for key in set(begun.values_list("pairing", flat=True)) & pairs.keys()),
        k=round.peers,
        groups={student: group for student, group, _left_at in members},
    )
