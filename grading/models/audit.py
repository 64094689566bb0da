"""Audits. The row in PostgreSQL is the truth; the queue only hints that there is work."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from grading.core.enums import (
    FINAL_STATES,
    JUDGED_STATES,
    OPEN_STATES,
    REPORTED_STATES,
    AuditKind,
    AuditState,
    Renewal,
)
from grading.models.bulk import BulkRun
from grading.models.rubric import RubricVersion
from grading.models.submission import Submission
from grading.models.tenant import TenantPart


class Audit(TenantPart):
    """One run of the courtroom over one submission.

    `run_attempt` counts how often a worker took it; job `audit-<id>-<run_attempt + 1>` is the next.
    `account` is the student's, so that a person's audits can be counted across organizations; null
    for audits that staff started. While it runs, only the worker that knows `lease_token` may write, until `lease_until`.
    `rubric_version` is the one it is judged by, and by which its report was last synthesised.
    `renewal` and `criteria` (ids; empty for all) say what is not reused from earlier audits of the
    same work. `stage_times` holds the start of each stage by name (ISO 8601). `version` grows with
    every change, for ETags. `screening` is the courtroom's record of what a model said about the
    prose (Screening), reused for the same prose. `report` is the report JSON. `budget_usd` limits
    what this run may spend on models (audits/budgets.py), null without a limit. `queued_at` is the
    time from which it waits. Until `grace_until` no worker may claim it, so that its student can
    withdraw it; null without such a grace. `traceparent` is the context of the trace in which it was
    submitted (W3C Trace Context), empty without one.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="audits")
    kind = models.CharField(max_length=12, choices=AuditKind.choices, default=AuditKind.SELF)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # PROTECT: a verdict without its rubric could not be explained.
    rubric_version = models.ForeignKey(
        RubricVersion, on_delete=models.PROTECT, related_name="audits"
    )
    renewal = models.CharField(max_length=10, choices=Renewal.choices, default=Renewal.MISSING)
    criteria = models.JSONField(default=list, blank=True)
    bulk_run = models.ForeignKey(
        BulkRun, on_delete=models.PROTECT, null=True, blank=True, related_name="audits"
    )
    state = models.CharField(max_length=12, choices=AuditState.choices, default=AuditState.RECEIVED)
    stage = models.CharField(max_length=40, blank=True)
    stage_times = models.JSONField(default=dict, blank=True)
    run_attempt = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    opinions_expected = models.PositiveIntegerField(default=0)
    opinions_done = models.PositiveIntegerField(default=0)
    failure_code = models.CharField(max_length=60, blank=True)
    failure_message = models.TextField(blank=True)
    screening = models.JSONField(null=True, blank=True)
    report = models.JSONField(null=True, blank=True)
    report_digest = models.CharField(max_length=64, blank=True)
    overall_score = models.FloatField(null=True, blank=True)
    budget_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(null=True, blank=True)
    grace_until = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    traceparent = models.CharField(max_length=55, blank=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=AuditState.values), name="audit_state_known"
            ),
            models.CheckConstraint(condition=Q(kind__in=AuditKind.values), name="audit_kind_known"),
            models.CheckConstraint(
                condition=Q(renewal__in=Renewal.values), name="audit_renewal_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    state=AuditState.RUNNING, lease_token__isnull=False, lease_until__isnull=False
                )
                | ~Q(state=AuditState.RUNNING) & Q(lease_token=None, lease_until=None),
                name="audit_leased_while_running",
            ),
            models.CheckConstraint(
                condition=Q(state__in=REPORTED_STATES, report__isnull=False)
                | ~Q(state__in=REPORTED_STATES) & Q(report__isnull=True),
                name="audit_report_when_it_ended_well",
            ),
            models.CheckConstraint(
                condition=Q(state=AuditState.FAILED) & ~Q(failure_code="")
                | ~Q(state=AuditState.FAILED) & Q(failure_code=""),
                name="audit_failure_has_a_code",
            ),
            models.CheckConstraint(
                # A failed audit is no score of zero: it has none.
                condition=Q(overall_score__isnull=True) | Q(state__in=JUDGED_STATES),
                name="audit_failure_is_no_score",
            ),
            models.CheckConstraint(
                condition=Q(state__in=FINAL_STATES, finished_at__isnull=False)
                | ~Q(state__in=FINAL_STATES) & Q(finished_at=None),
                name="audit_finished_has_a_time",
            ),
        ]
        indexes = [
            # The place in the queue, and the reconciler's search for rows without a job.
            models.Index(
                fields=["queued_at"], condition=Q(state=AuditState.QUEUED), name="audit_waiting"
            ),
            # The reconciler's search for workers that died.
            models.Index(
                fields=["lease_until"], condition=Q(state=AuditState.RUNNING), name="audit_leased"
            ),
            # What waits or runs: few rows, however many have ended.
            models.Index(
                fields=["organization"], condition=Q(state__in=OPEN_STATES), name="audit_open"
            ),
            # What ended lately, and how long the last ones took.
            models.Index(fields=["organization", "-finished_at"], name="audit_ended"),
            # The list of the administration, newest first.
            models.Index(fields=["-created_at", "id"], name="audit_newest"),
        ]

    def __str__(self) -> str:
        return f"Audit {self.id} ({self.get_state_display()})"

    @property
    def is_final(self) -> bool:
        """Nothing more will happen to it by itself."""
        return self.state in FINAL_STATES

    @property
    def is_in_grace(self) -> bool:
        """Its student can still withdraw it: no worker may claim it yet."""
        is_waiting = self.state == AuditState.QUEUED
        return is_waiting and self.grace_until is not None and self.grace_until > timezone.now()

    @property
    def has_report(self) -> bool:
        return self.state in REPORTED_STATES
