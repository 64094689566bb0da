"""Letters: an outbox, and who does not want which kind."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import NoticeKind
from grading.models.tenant import TenantModel


class Notice(TenantModel):
    """One letter to one person about one object. It leaves once; what could not be sent yet waits for the reconciler.

    `path` is where its link leads. It holds no score. `tries` counts how often it was handed to the mail server;
    `tried_at` is also set, without counting, when the server could not be reached at all.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=NoticeKind.choices)
    subject = models.CharField(max_length=200)
    body = models.TextField()
    path = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=NoticeKind.values), name="notice_kind_known"
            )
        ]
        indexes = [
            models.Index(fields=["created_at"], condition=Q(sent_at=None), name="notice_unsent")
        ]

    def __str__(self) -> str:
        return self.subject


class NoticeOptOut(TenantModel):
    """This person wants no letters of this kind from this organization."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=NoticeKind.choices)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "user", "kind"], name="opted_out_once"),
            models.CheckConstraint(
                condition=Q(kind__in=NoticeKind.values), name="opt_out_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.kind}"
