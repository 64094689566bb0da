"""Findings with a stable identity across audits, and their owners' answers."""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from grading.core.enums import FindingState, ResponseKind
from grading.models.audit import Audit
from grading.models.cohort import Enrollment
from grading.models.peers import FeedbackReport
from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantPart


class Finding(TenantPart):
    """Problem in a student's work, the same one in every audit that sees it.

    Its identity is `key`, a digest of criterion, check and normalised place
    (courtroom/findings.py). `check_id` is empty if an imported report names none; `place` is
    a path, or words without one. The columns from `state` on follow from its sightings in the order
    of attempts, whatever the order of audits. `fixed_commit` is the commit of the first attempt
    without it.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="findings")
    student = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="findings")
    key = models.CharField(max_length=64)
    criterion_id = models.CharField(max_length=200)
    criterion_name = models.CharField(max_length=300)
    check_id = models.CharField(max_length=200, blank=True)
    place = models.CharField(max_length=1024, blank=True)
    title = models.TextField()
    state = models.CharField(max_length=10, choices=FindingState.choices, default=FindingState.OPEN)
    first_submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="+")
    last_submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="+")
    fixed_submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    fixed_commit = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["criterion_id", "place", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "student", "key"], name="finding_once"),
            models.CheckConstraint(
                condition=Q(state__in=FindingState.values), name="finding_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state=FindingState.FIXED, fixed_submission__isnull=False)
                | ~Q(state=FindingState.FIXED) & Q(fixed_submission=None, fixed_commit=""),
                name="finding_fixed_by_an_attempt",
            ),
        ]

    def __str__(self) -> str:
        return self.title[:80]


class FindingSighting(TenantPart):
    """Result of one report for a finding: present (with lines, change and evidence), or gone.

    `audit` is set for the platform's audits, `report` for imported reports; only audits say that a
    finding is gone. `lines` are 1-based lines at the attempt's commit, `evidence` are ids of the
    audit's evidence.
    """

    finding = models.ForeignKey(Finding, on_delete=models.CASCADE, related_name="sightings")
    audit = models.ForeignKey(
        Audit, on_delete=models.CASCADE, null=True, blank=True, related_name="sightings"
    )
    report = models.ForeignKey(
        FeedbackReport, on_delete=models.CASCADE, null=True, blank=True, related_name="sightings"
    )
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="sightings")
    present = models.BooleanField()
    lines = models.JSONField(default=list, blank=True)
    text = models.TextField(blank=True)
    action = models.TextField(blank=True)
    priority = models.CharField(max_length=6, blank=True)
    evidence = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["finding", "audit"],
                condition=Q(audit__isnull=False),
                name="sighted_once_by_an_audit",
            ),
            models.UniqueConstraint(
                fields=["finding", "report"],
                condition=Q(report__isnull=False),
                name="sighted_once_by_a_report",
            ),
            models.CheckConstraint(
                # Only audits say that something is gone: an imported report may be incomplete.
                condition=Q(audit__isnull=False, report=None)
                | Q(audit=None, report__isnull=False, present=True),
                name="sighted_by_one",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.finding_id}: {'there' if self.present else 'gone'}"


class FindingResponse(TenantPart):
    """Answer of the owner to a finding; a later answer replaces it, and the row stays.

    `verified` says whether a fix's commit exists and changes the place; null until that is looked
    up. A fix for which it is false is refused: the earlier answer stands again. `verification`
    explains it. Whether the fault is gone follows from the sightings (findings/queries/).
    """

    finding = models.ForeignKey(Finding, on_delete=models.CASCADE, related_name="responses")
    kind = models.CharField(max_length=10, choices=ResponseKind.choices)
    commit = models.CharField(max_length=64, blank=True)
    reason = models.TextField(blank=True)
    verified = models.BooleanField(null=True, blank=True)
    verification = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    replaced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["finding"], condition=Q(replaced_at=None), name="one_answer_to_a_finding"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=ResponseKind.values), name="response_kind_known"
            ),
            models.CheckConstraint(
                # A fix names its commit; to defer, contest or dismiss needs a reason.
                condition=Q(kind=ResponseKind.FIXED) & ~Q(commit="")
                | Q(kind=ResponseKind.WILL_FIX, commit="")
                | Q(
                    kind__in=(
                        ResponseKind.DEFERRED,
                        ResponseKind.CONTESTED,
                        ResponseKind.DISMISSED,
                    ),
                    commit="",
                )
                & ~Q(reason=""),
                name="response_says_what_it_must",
            ),
        ]

    def __str__(self) -> str:
        return self.get_kind_display()


class FindingHelp(TenantPart):
    """Reply of the owner if a finding was helpful; it can be changed and affects no verdict."""

    finding = models.OneToOneField(Finding, on_delete=models.CASCADE, related_name="help")
    helpful = models.BooleanField()
    said_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return "helpful" if self.helpful else "not helpful"
