"""What a program has asked for under a key of its own, so that asking again does nothing twice."""

from django.conf import settings
from django.db import models

from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel


class IdempotencyKey(TenantModel):
    """One hand-in under one key of one person. `fingerprint` is a SHA-256 of what was sent with it.

    `submission` is null while it is being accepted; a refusal takes the row away again.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64)
    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "user", "key"], name="key_once_per_person"
            )
        ]

    def __str__(self) -> str:
        return self.key
