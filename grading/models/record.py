"""Evidence, opinions and verdicts of audits as rows, stored as they arrive and searchable."""

from django.db import models
from django.db.models import Q

from grading.models.audit import Audit
from grading.models.tenant import TenantPart


class AuditContents(TenantPart):
    """Files and pages that were audited, so that a place that somebody names can be looked up.

    `files` maps each path at the commit to its number of lines, null for a binary file; it is null
    where the list is too long or could not be made. `pages` are the PDF's, null where it was not
    read. A row of its own, because audits are read more often than this list.
    """

    audit = models.OneToOneField(Audit, on_delete=models.CASCADE, related_name="contents")
    files = models.JSONField(null=True, blank=True)
    pages = models.PositiveIntegerField(null=True, blank=True)
    sources = models.BinaryField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"Contents of audit {self.audit_id}"


class EvidenceRecord(TenantPart):
    """One piece of evidence; `key` is its stable id (E-xxxxxxxx), `document` the whole record."""

    # The constraint below has an index that begins with it.
    audit = models.ForeignKey(
        Audit, on_delete=models.CASCADE, related_name="evidence_records", db_index=False
    )
    key = models.CharField(max_length=40)
    detective = models.CharField(max_length=20)
    check_id = models.CharField(max_length=200)
    # False is evidence too: the check looked for it in vain.
    found = models.BooleanField()
    path = models.TextField(blank=True)
    line_start = models.PositiveIntegerField(null=True, blank=True)
    document = models.JSONField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["audit", "key"], name="evidence_once_per_audit")
        ]

    def __str__(self) -> str:
        return self.key


class OpinionRecord(TenantPart):
    """Answer of one judge. `key` identifies the question, so that no answer is paid for twice.

    `score` is null if the judge gave no usable answer; `document` then holds the reason and is
    never reused.
    """

    audit = models.ForeignKey(
        Audit, on_delete=models.CASCADE, related_name="opinion_records", db_index=False
    )
    key = models.CharField(max_length=128)
    judge = models.CharField(max_length=12)
    criterion_id = models.CharField(max_length=200)
    round = models.PositiveSmallIntegerField()
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    document = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            # An institution's latest failures of judges: few rows among many.
            models.Index(
                fields=["organization", "-created_at"],
                condition=Q(score__isnull=True),
                name="opinion_without_score",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["audit", "key"], name="opinion_once_per_audit"),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=1, score__lte=5),
                name="opinion_score_1_to_5",
            ),
        ]

    def __str__(self) -> str:
        return (
            f"{self.judge} on {self.criterion_id}: "
            f"{self.score if self.score is not None else 'no answer'}"
        )


class CriterionVerdict(TenantPart):
    """Result of the Chief Justice for one criterion; no score if in review or left out."""

    audit = models.ForeignKey(
        Audit, on_delete=models.CASCADE, related_name="verdicts", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    criterion_id = models.CharField(max_length=200)
    name = models.CharField(max_length=300)
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    level = models.CharField(max_length=200, blank=True)
    points = models.FloatField(null=True, blank=True)
    max_points = models.FloatField(null=True, blank=True)
    needs_review = models.BooleanField(default=False)
    excluded = models.BooleanField(default=False)

    class Meta:
        ordering = ["audit", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["audit", "criterion_id"], name="verdict_once_per_criterion"
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=1, score__lte=5),
                name="verdict_score_1_to_5",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.score if self.score is not None else 'no score'}"
