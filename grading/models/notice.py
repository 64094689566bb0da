"""Emails: the outbox, and the kinds that people have turned off."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import DAILY_NOTICES, NoticeKind
from grading.models.cohort import Enrollment
from grading.models.invitation import Invitation
from grading.models.submission import Assignment
from grading.models.tenant import TenantModel, TenantPart


class Notice(TenantPart):
    """One email to one person about one object. It is sent once.

    An invitation goes to `address` instead, which may have no account. `path` is the target of its
    link. It holds no score. `held_at` is the time when a daily limit kept it from being sent, which
    is final. `tries` counts how often it was given to
    the mail server; `tried_at` is also set, without counting, if the server could not be reached.

    With `digest_after` it waits for the person's daily email of that time. `digest` is the email
    that it was put into, at its `sent_at`.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    invitation = models.ForeignKey(
        Invitation, on_delete=models.CASCADE, null=True, blank=True, related_name="letters"
    )
    address = models.EmailField(max_length=254, blank=True)
    kind = models.CharField(max_length=16, choices=NoticeKind.choices)
    subject = models.CharField(max_length=200)
    body = models.TextField()
    path = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    held_at = models.DateTimeField(null=True, blank=True)
    digest_after = models.DateTimeField(null=True, blank=True)
    digest = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="carried"
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=NoticeKind.values), name="notice_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(kind=NoticeKind.INVITATION, user=None, invitation__isnull=False)
                | Q(user__isnull=False, invitation=None, address=""),
                name="notice_has_one_recipient",
            ),
            models.CheckConstraint(
                condition=Q(digest_after=None) | Q(kind__in=[kind.value for kind in DAILY_NOTICES]),
                name="notice_of_this_kind_may_wait",
            ),
        ]
        indexes = [
            # Only unsent rows: the outbox stays quick however many emails were sent.
            models.Index(
                fields=["created_at"], condition=Q(sent_at=None, held_at=None), name="notice_unsent"
            ),
            # The daily limits count an organization's tries, and an address's invitations.
            models.Index(fields=["organization", "tried_at"], name="notice_tried"),
            models.Index(fields=["address"], condition=~Q(address=""), name="notice_address"),
            models.Index(
                fields=["organization", "held_at"],
                condition=Q(held_at__isnull=False),
                name="notice_held",
            ),
        ]

    def __str__(self) -> str:
        return self.subject


class NoticeOptOut(TenantModel):
    """Kind of email that a person has turned off for an organization."""

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


class DueReminder(TenantModel):
    """Reminder that a student got of a due date of theirs, so many hours before it."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="+")
    student = models.ForeignKey(Enrollment, on_delete=models.CASCADE, related_name="+")
    hours = models.PositiveSmallIntegerField()
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "student", "hours", "due_at"], name="due_reminder_once"
            ),
            models.CheckConstraint(condition=Q(hours__in=(24, 72)), name="due_reminder_hours"),
        ]

    def __str__(self) -> str:
        return f"{self.student_id}: {self.hours} hours before {self.due_at}"


class NoticeDaily(TenantModel):
    """Kind of email that a person gets once a day for an organization, instead of singly.

    Of STAFF_DAILY, which is always daily, the row means that it was turned on; `next_at` is the
    time of the next one.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=NoticeKind.choices)
    next_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "user", "kind"], name="daily_once"),
            models.CheckConstraint(
                condition=Q(kind__in=[kind.value for kind in DAILY_NOTICES], next_at=None)
                | Q(kind=NoticeKind.STAFF_DAILY, next_at__isnull=False),
                name="daily_kind_may_be_daily",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.kind}"
