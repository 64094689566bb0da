"""Idempotency keys of API requests."""

from django.conf import settings
from django.db import models

from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel


class IdempotencyKey(TenantModel):
    """Key of one submission request of one person. `fingerprint` is the SHA-256 of the request.

    `submission` is null while the request is processed; a refusal deletes the row.
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
