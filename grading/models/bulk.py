"""Bulk runs over many audits, with their progress; see enums.BulkVerb."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from grading.core.enums import BulkItemState, BulkState, BulkVerb
from grading.models.rubric import RubricVersion
from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel, TenantPart


class BulkRun(TenantModel):
    """Bulk run. `done` counts ended items, `failed` those without a result, `changed` new results.

    The counts follow from its items (bulk/progress.py); cancelled items are not done.
    `rubric_version` applies to everything afterwards. `estimate_usd` is the estimate before the
    start, null without a price.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="bulk_runs")
    verb = models.CharField(max_length=12, choices=BulkVerb.choices)
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=BulkState.choices, default=BulkState.RUNNING)
    total = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    # Eight decimals: one call may cost less than a ten-thousandth of a dollar.
    estimate_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(verb__in=BulkVerb.values), name="bulk_verb_known"),
            models.CheckConstraint(
                condition=Q(state__in=BulkState.values), name="bulk_state_known"
            ),
            models.CheckConstraint(
                condition=Q(done__lte=F("total"), failed__lte=F("done"), changed__lte=F("done")),
                name="bulk_counts_fit",
            ),
            models.CheckConstraint(
                condition=Q(state=BulkState.RUNNING, finished_at=None)
                | ~Q(state=BulkState.RUNNING) & Q(finished_at__isnull=False),
                name="bulk_finished_has_a_time",
            ),
            # Two at once over the same audits would race for their reports.
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(state=BulkState.RUNNING),
                name="one_bulk_run_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_verb_display()} {self.total} audits"


class BulkItem(TenantPart):
    """Work of a bulk run on one attempt, in the order of `position`.

    `audit` holds the verdict when the run started, or is null; `renewed` is the new audit, null if
    only the rules are applied. Scores are the court's own, without overrides. `tries` counts how
    often a worker took it; `code` and `message` say why it failed.
    """

    run = models.ForeignKey(BulkRun, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    # By name: audit.py imports this module.
    audit = models.ForeignKey(
        "grading.Audit", on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    renewed = models.OneToOneField(
        "grading.Audit", on_delete=models.CASCADE, null=True, blank=True, related_name="bulk_item"
    )
    state = models.CharField(
        max_length=10, choices=BulkItemState.choices, default=BulkItemState.WAITING
    )
    tries = models.PositiveSmallIntegerField(default=0)
    score_before = models.FloatField(null=True, blank=True)
    score_after = models.FloatField(null=True, blank=True)
    criteria_changed = models.PositiveSmallIntegerField(default=0)
    changed = models.BooleanField(default=False)
    code = models.CharField(max_length=60, blank=True)
    message = models.TextField(blank=True)

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            # Also serves the search for what comes next.
            models.UniqueConstraint(fields=["run", "position"], name="bulk_item_place_once"),
            models.UniqueConstraint(
                fields=["run", "submission"], name="bulk_item_once_per_attempt"
            ),
            models.CheckConstraint(
                condition=Q(state__in=BulkItemState.values), name="bulk_item_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state=BulkItemState.FAILED) & ~Q(code="")
                | ~Q(state=BulkItemState.FAILED) & Q(code=""),
                name="bulk_item_failure_has_a_code",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_state_display()}: attempt {self.submission_id}"
