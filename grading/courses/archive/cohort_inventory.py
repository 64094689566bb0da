"""What there is of a cohort, kind by kind: for the preview of its archive and of its deletion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.files.storage import default_storage
from django.db.models import Count, QuerySet, Value

from grading.core.enums import OPEN_STATES, BulkState
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    BlindGrade,
    BlindSample,
    BulkItem,
    BulkRun,
    Cohort,
    CommunicationEntry,
    Complaint,
    CriterionVerdict,
    Enrollment,
    EvidenceRecord,
    FeedbackReport,
    Finding,
    FindingHelp,
    FindingResponse,
    FindingSighting,
    Grade,
    IdempotencyKey,
    Opening,
    OpinionRecord,
    Override,
    Pairing,
    PairingRound,
    RoundMember,
    Submission,
    SupersededReport,
)

# In words, the table, and by which field a row belongs here (its last word names whose keys). Whatever stands on
# something else comes before it. A tenant's table that belongs to a cohort and is missing here fails
# tests/courses/test_cohort_deletion.py.
KINDS: tuple[tuple[str, Any, str], ...] = (
    ("appeals", Appeal, "submission"),
    ("scores given by hand", Override, "submission"),
    ("blind scores", BlindGrade, "submission"),
    ("blind samples", BlindSample, "assignment"),
    ("attempts of bulk runs", BulkItem, "submission"),
    ("complaints about reports", Complaint, "report__assignment"),
    ("marks of what was opened", Opening, "student__cohort"),
    ("words on whether findings helped", FindingHelp, "finding__assignment"),
    ("answers to findings", FindingResponse, "finding__assignment"),
    ("sightings of findings", FindingSighting, "submission"),
    ("findings", Finding, "assignment"),
    ("entries of communication logs", CommunicationEntry, "assignment"),
    ("reports of and on peers", FeedbackReport, "assignment"),
    ("pairings", Pairing, "round__assignment"),
    ("places in rounds", RoundMember, "round__assignment"),
    ("rounds of peers", PairingRound, "assignment"),
    ("grades", Grade, "assignment"),
    ("superseded reports", SupersededReport, "audit"),
    ("pieces of evidence", EvidenceRecord, "audit"),
    ("opinions of judges", OpinionRecord, "audit"),
    ("verdicts on criteria", CriterionVerdict, "audit"),
    ("audits with their reports", Audit, "submission"),
    ("bulk runs", BulkRun, "assignment"),
    ("keys of programs that handed in", IdempotencyKey, "assignment"),
    ("attempts handed in", Submission, "assignment"),
    ("assignments", Assignment, "cohort"),
    ("students on the roster", Enrollment, "cohort"),
)


@dataclass(frozen=True, slots=True)
class CohortInventory:
    """`kinds` are (words, how many), the outermost first. `missing` counts uploads whose file is gone."""

    kinds: tuple[tuple[str, int], ...]
    uploads: int
    upload_bytes: int
    missing: int
    running: int

    @property
    def there(self) -> list[tuple[str, int]]:
        return [(words, number) for words, number in self.kinds if number]

    @property
    def none_of(self) -> list[str]:
        return [words for words, number in self.kinds if not number]

    @property
    def fingerprint(self) -> str:
        """Of what is shown: another hand-in, verdict or appeal changes it."""
        return "-".join(str(number) for _words, number in self.kinds) + f"-{self.uploads}"


def inventory_of(cohort: Cohort) -> CohortInventory:
    """As many queries whatever is in it; the sizes are asked of the storage, file by file."""
    sizes = [_size(name) for name in uploads_of(cohort)]
    counts = _counts_of(cohort)
    return CohortInventory(
        kinds=tuple(reversed(counts.items())),
        uploads=len(sizes),
        upload_bytes=sum(size for size in sizes if size is not None),
        missing=sizes.count(None),
        running=count_running(cohort),
    )


def _counts_of(cohort: Cohort) -> dict[str, int]:
    """In one query, whatever kinds there are."""
    kinds = dict(kinds_of(cohort))
    first, *others = (
        rows.annotate(holding=Value(words))
        .values("holding")
        .annotate(many=Count("pk"))
        .values_list("holding", "many")
        for words, rows in kinds.items()
    )
    return dict.fromkeys(kinds, 0) | dict(first.union(*others, all=True))


def kinds_of(cohort: Cohort) -> Iterator[tuple[str, QuerySet[Any]]]:
    """The rows of each kind, in the order in which they can be deleted.

    By keys and not by joins: of a cohort that is new PostgreSQL knows too little to join five tables well, and took
    three seconds to count nine thousand opinions.
    """
    keys: dict[str, list[Any]] = {"cohort": [cohort.pk]}
    for name, model, parent in (
        ("assignment", Assignment, "cohort"),
        ("submission", Submission, "assignment"),
        ("audit", Audit, "submission"),
    ):
        keys[name] = list(
            model.objects.filter(**{f"{parent}__in": keys[parent]})
            .order_by()
            .values_list("pk", flat=True)
        )
    for words, model, parent in KINDS:
        yield (
            words,
            model.objects.filter(**{f"{parent}__in": keys[parent.rpartition("__")[2]]}).order_by(),
        )


def count_running(cohort: Cohort) -> int:
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
