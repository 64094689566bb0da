"""A student's objection to one criterion of a released grade."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import PENDING_APPEALS, AppealState
from grading.models.audit import Audit
from grading.models.submission import Submission
from grading.models.tenant import Membership, TenantModel


class Appeal(TenantModel):
    """Appeal of a student. `verdict` is the criterion's row of the released grade when it was
    filed.

    It belongs to the submission and the criterion, so that every recomputation keeps it. `cited`
    are ids of evidence, `places` further places (path and line, or a page of the PDF). Once it has
    an `escalated_at`, an owner answers it, even after re-judging. `assigned_to` is the teacher whom
    it was handed to; who teaches no more holds none (queries.HELD).
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="appeals")
    criterion_id = models.CharField(max_length=200)
    criterion_name = models.CharField(max_length=300)
    state = models.CharField(max_length=10, choices=AppealState.choices, default=AppealState.OPEN)
    text = models.TextField()
    cited = models.JSONField(default=list, blank=True)
    places = models.TextField(blank=True)
    # A copy: the released verdict changes when the grade is released again.
    verdict = models.JSONField()
    report_digest = models.CharField(max_length=64)
    rejudged_in = models.ForeignKey(
        Audit, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    escalated_at = models.DateTimeField(null=True, blank=True)
    assigned_to = models.ForeignKey(
        Membership, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    answer = models.TextField(blank=True)
    new_score = models.PositiveSmallIntegerField(null=True, blank=True)
    filed_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["filed_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=AppealState.values), name="appeal_state_known"
            ),
            # Decided appeals do not count: a later verdict on the criterion may be appealed again.
            models.UniqueConstraint(
                fields=["submission", "criterion_id"],
                condition=Q(state__in=PENDING_APPEALS),
                name="one_pending_appeal_per_criterion",
            ),
            models.CheckConstraint(
                condition=Q(state__in=PENDING_APPEALS, decided_at=None)
                | ~Q(state__in=PENDING_APPEALS) & Q(decided_at__isnull=False),
                name="appeal_decided_has_a_time",
            ),
            models.CheckConstraint(
                condition=~Q(state=AppealState.ESCALATED) | Q(escalated_at__isnull=False),
                name="appeal_escalated_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state=AppealState.CHANGED, new_score__gte=1, new_score__lte=5)
                | ~Q(state=AppealState.CHANGED) & Q(new_score=None),
                name="appeal_changed_has_a_score",
            ),
        ]

    @property
    def is_pending(self) -> bool:
        return self.state in PENDING_APPEALS

    @property
    def is_higher(self) -> bool:
        """Return whether the new score is higher than the released one."""
        return (self.new_score or 0) > (self.verdict.get("score") or 0)

    def __str__(self) -> str:
        return f"{self.criterion_name} ({self.get_state_display()})"
