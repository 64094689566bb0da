"""Notes that the staff of an organization write to each other about a submission."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.models.submission import Submission
from grading.models.tenant import TenantModel


class StaffNote(TenantModel):
    """Note of a staff member about one attempt. Students never see it.

    Only its author changes or withdraws it. A withdrawn note keeps its row and its time, and loses
    its text. `author` is null when the account is gone.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="staff_notes")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    text = models.TextField(blank=True)
    written_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["written_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) & ~Q(text="")
                | Q(withdrawn_at__isnull=False, text=""),
                name="staff_note_has_text_until_withdrawn",
            )
        ]

    def __str__(self) -> str:
        return f"Note {self.pk} on {self.submission_id}"
