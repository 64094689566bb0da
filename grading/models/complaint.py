"""Abuse reports of students about peers' reports."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import ComplaintState
from grading.models.cohort import Enrollment
from grading.models.peers import FeedbackReport
from grading.models.tenant import TenantModel


class Complaint(TenantModel):
    """Abuse report by the subject of a peer's report.

    Only a teacher's decision hides the report (FeedbackReport.hidden_at). The other student does
    not learn who complained.
    """

    report = models.ForeignKey(FeedbackReport, on_delete=models.CASCADE, related_name="complaints")
    student = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    state = models.CharField(
        max_length=9, choices=ComplaintState.choices, default=ComplaintState.OPEN
    )
    made_at = models.DateTimeField(auto_now_add=True)
    answer = models.TextField(blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["made_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["report"],
                condition=Q(state=ComplaintState.OPEN),
                name="one_open_complaint_on_a_report",
            ),
            models.CheckConstraint(
                condition=Q(state__in=ComplaintState.values), name="complaint_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state=ComplaintState.OPEN, decided_at=None)
                # No decision without an answer: the student learns the reason.
                | ~Q(state=ComplaintState.OPEN) & Q(decided_at__isnull=False) & ~Q(answer=""),
                name="complaint_open_or_answered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state}: {self.text[:40]}"
