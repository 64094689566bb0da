"""What there is of a cohort, kind by kind: for the preview of its archive and of its deletion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.files.storage import default_storage
from django.db.models import QuerySet

from grading.enums import OPEN_STATES, BulkState
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    BlindGrade,
    BlindSample,
    BulkItem,
    BulkRun,
    Cohort,
    CriterionVerdict,
    Enrollment,
    EvidenceRecord,
    Grade,
    ModelUsage,
    OpinionRecord,
    Override,
    Submission,
    SupersededReport,
)

_WORK, _AUDIT = "submission__assignment__cohort", "audit__submission__assignment__cohort"
# Whatever stands on something else comes before it. A tenant's table that belongs to a cohort and is missing here fails
# tests/grading/test_cohort_deletion.py.
KINDS: tuple[tuple[str, Any, str], ...] = (
    ("appeals", Appeal, _WORK),
    ("scores given by hand", Override, _WORK),
    ("blind scores", BlindGrade, _WORK),
    ("blind samples", BlindSample, "assignment__cohort"),
    ("attempts of bulk runs", BulkItem, _WORK),
    ("grades", Grade, "assignment__cohort"),
    ("superseded reports", SupersededReport, _AUDIT),
    ("pieces of evidence", EvidenceRecord, _AUDIT),
    ("opinions of judges", OpinionRecord, _AUDIT),
    ("verdicts on criteria", CriterionVerdict, _AUDIT),
    ("bills of models", ModelUsage, _AUDIT),
    ("audits with their reports", Audit, _WORK),
    ("bulk runs", BulkRun, "assignment__cohort"),
    ("attempts handed in", Submission, "assignment__cohort"),
    ("assignments", Assignment, "cohort"),
    ("students on the roster", Enrollment, "cohort"),
)


@dataclass(frozen=True, slots=True)
class Holdings:
    """`kinds` are (words, how many), the outermost first. `missing` counts uploads whose file is gone."""

    kinds: tuple[tuple[str, int], ...]
    uploads: int
    upload_bytes: int
    missing: int
    running: int

    @property
    def fingerprint(self) -> str:
        """Of what is shown: another hand-in, verdict or appeal changes it."""
        return "-".join(str(number) for _words, number in self.kinds) + f"-{self.uploads}"


def holdings_of(cohort: Cohort) -> Holdings:
    """As many queries whatever is in it; the sizes are asked of the storage, file by file."""
    sizes = [_size(name) for name in uploads_of(cohort)]
    return Holdings(
        kinds=tuple((words, rows_of(cohort, model, path).count()) for words, model, path in reversed(KINDS)),
        uploads=len(sizes),
        upload_bytes=sum(size for size in sizes if size is not None),
        missing=sizes.count(None),
        running=running_in(cohort),
    )


def rows_of(cohort: Cohort, model: Any, path: str) -> QuerySet[Any]:
    found: QuerySet[Any] = model.objects.filter(**{path: cohort}).order_by()
    return found


def running_in(cohort: Cohort) -> int:
    """Audits that wait or run, and bulk runs that have not ended."""
    audits = Audit.objects.filter(submission__assignment__cohort=cohort, state__in=OPEN_STATES)
    runs = BulkRun.objects.filter(assignment__cohort=cohort, state=BulkState.RUNNING)
    return audits.count() + runs.count()


def uploads_of(cohort: Cohort) -> Iterator[str]:
    """The names of the files in private storage."""
    handed_in = Submission.objects.filter(assignment__cohort=cohort).exclude(pdf="")
    return handed_in.values_list("pdf", flat=True).iterator()


def _size(name: str) -> int | None:
    try:
        return default_storage.size(name)
    except FileNotFoundError:
        return None
