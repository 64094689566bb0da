"""Ids and file names of a blind round's reports, as each side of a pairing sees them.

Both sides may publish what they download. What is the same in both files would join them, so ids
of evidence and names of files are keyed by pairing and side.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q

from grading.core.crypto import secret_for
from grading.core.enums import Anonymity
from grading.core.pairing_access import ReportSide, hides_other_side
from grading.models import Enrollment, EvidenceRecord, FeedbackReport, Pairing
from grading.peer_review.redaction.edition_ids import EditionIds, has_ids


def hidden_ids(value: Any, pairing: Pairing) -> Any:
    """Return the JSON or text for the auditor, with the ids of their edition in a blind round."""
    return _ids_of(pairing).hidden(value) if _hides_ids(pairing) else value


def resolved_ids(value: Any, pairing: Pairing) -> Any:
    """Return what the auditor wrote with the true ids, for all other readers.

    One query if it names evidence in a round that hides ids.
    """
    if not _hides_ids(pairing) or not has_ids(value):
        return value
    records = EvidenceRecord.objects.filter(audit__feedback_report__pairing=pairing)
    return _ids_of(pairing).resolved(value, records.values_list("key", flat=True).distinct())


def export_key(report: FeedbackReport, side: ReportSide) -> UUID:
    """Return the key in the names of a report's downloads.

    `pairing.round` must be loaded. It is the report's own only for staff and where both sides may
    know each other.
    """
    pairing = report.pairing
    if side == "staff" or pairing is None or pairing.round.anonymity == Anonymity.OPEN:
        return report.pk
    secret = secret_for(f"names of the reports of pairing {pairing.pk} for its {side}")
    return UUID(bytes=hmac.digest(secret, report.pk.bytes, hashlib.sha256)[:16])


def is_exported(keys: Iterable[UUID], student: Enrollment) -> bool:
    """Return whether one of the keys names a report that this student could download."""
    named = set(keys)
    reports = FeedbackReport.objects.filter(Q(author=student) | Q(subject=student))
    return any(
        report.pk in named
        or export_key(report, "author" if report.author_id == student.pk else "subject") in named
        for report in reports.select_related("pairing__round").only("author", "pairing__round")
    )


def _hides_ids(pairing: Pairing) -> bool:
    return hides_other_side(pairing.round.anonymity, "auditor")


def _ids_of(pairing: Pairing) -> EditionIds:
    return EditionIds(secret_for(f"ids of evidence in pairing {pairing.pk}"))
