"""A verdict's rows, which lists and figures are read from without opening reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from grading.events import CriterionRow, EvidenceRow
from grading.models import CriterionVerdict, EvidenceRecord


def write_evidence(rows: Iterable[EvidenceRow], *, audit_id: UUID, organization_id: int) -> None:
    """What is on the record already stays as it is."""
    EvidenceRecord.objects.bulk_create(
        [
            EvidenceRecord(
                organization_id=organization_id, audit_id=audit_id, key=row.key,
                detective=row.detective, check_id=row.check, found=row.found, path=row.path,
                line_start=row.line_start, document=row.document,
            )
            for row in rows
        ],
        ignore_conflicts=True,
    )  # fmt: skip


def write_verdicts(rows: Sequence[CriterionRow], *, audit_id: UUID, organization_id: int) -> None:
    """In the place of those that the audit may have had."""
    CriterionVerdict.objects.filter(audit=audit_id).delete()
    CriterionVerdict.objects.bulk_create(
        CriterionVerdict(
            organization_id=organization_id, audit_id=audit_id, position=position,
            criterion_id=row.criterion_id, name=row.name, score=row.score, level=row.level,
            points=row.points, max_points=row.max_points, needs_review=row.needs_review, excluded=row.excluded,
        )
        for position, row in enumerate(rows)
    )  # fmt: skip
