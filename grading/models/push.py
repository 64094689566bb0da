"""Repositories of students whose pushes are submissions, and what became of each push."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import Forge, PushAnswer, PushState
from grading.models.cohort import Enrollment
from grading.models.repository_access import RepositoryAccess
from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel, TenantPart


class PushLink(TenantModel):
    """Branch of a repository whose pushes a student submits to an assignment.

    Pushes arrive by the GitHub App, with the student's `access` (`repository_id` is GitHub's), or at
    an address with this `key`, signed with a secret of the link (grading/core/crypto.py). `owner` is
    the account that linked it: with it, the access or the place on the roster, the link goes.
    """

    key = models.UUIDField(default=uuid4, unique=True, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="push_links")
    student = models.ForeignKey(Enrollment, on_delete=models.CASCADE, related_name="push_links")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    access = models.ForeignKey(
        RepositoryAccess, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    repository_id = models.BigIntegerField(null=True, blank=True)
    address = models.CharField(max_length=500)
    host = models.CharField(max_length=260)
    path = models.CharField(max_length=500)
    branch = models.CharField(max_length=250)
    pdf_path = models.CharField(max_length=500, blank=True)
    answer = models.CharField(max_length=8, choices=PushAnswer.choices)
    sealed_secret = models.TextField(blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "student"], name="push_link_once"),
            models.CheckConstraint(
                condition=Q(answer__in=PushAnswer.values), name="push_answer_known"
            ),
            models.CheckConstraint(
                condition=Q(access=None, repository_id=None) & ~Q(sealed_secret="")
                | Q(access__isnull=False, repository_id__isnull=False, sealed_secret=""),
                name="push_link_has_its_secret_or_its_access",
            ),
        ]
        indexes = [
            models.Index(
                fields=["repository_id"],
                condition=Q(repository_id__isnull=False),
                name="push_link_by_github_repository",
            )
        ]

    def __str__(self) -> str:
        return f"{self.host}/{self.path}"


class Push(TenantPart):
    """Push to a linked branch, as its host signed it, and what became of it.

    `pushed_at` is the time that counts for due dates (submissions/pushes/receiving.py), `first_at`
    the arrival of the first push of its burst. A waiting push is submitted at `next_at`. The answer
    on the commit is due at `answer_at`; `answer_id` is that of GitHub's check run, `answer_sha256`
    the digest of what was sent last.
    """

    link = models.ForeignKey(PushLink, on_delete=models.CASCADE, related_name="pushes")
    forge = models.CharField(max_length=8, choices=Forge.choices)
    delivery = models.CharField(max_length=200)
    body_sha256 = models.CharField(max_length=64)
    before = models.CharField(max_length=40, blank=True)
    commit = models.CharField(max_length=40)
    pushed_at = models.DateTimeField()
    first_at = models.DateTimeField()
    created_at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=PushState.choices, default=PushState.WAITING)
    next_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    submission = models.ForeignKey(
        Submission, on_delete=models.SET_NULL, null=True, blank=True, related_name="pushes"
    )
    code = models.CharField(max_length=60, blank=True)
    sentence = models.TextField(blank=True)
    answer_at = models.DateTimeField(null=True, blank=True)
    answer_tries = models.PositiveSmallIntegerField(default=0)
    answer_id = models.BigIntegerField(null=True, blank=True)
    answer_sha256 = models.CharField(max_length=64, blank=True)
    answer_error = models.TextField(blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "pushes"
        constraints = [
            models.UniqueConstraint(fields=["link", "delivery"], name="push_delivered_once"),
            models.CheckConstraint(
                condition=Q(state__in=PushState.values), name="push_state_known"
            ),
            models.CheckConstraint(condition=Q(forge__in=Forge.values), name="push_forge_known"),
        ]
        indexes = [
            models.Index(
                fields=["next_at"], condition=Q(state=PushState.WAITING), name="push_waiting"
            ),
            models.Index(
                fields=["answer_at"], condition=Q(answer_at__isnull=False), name="push_answer_due"
            ),
        ]

    def __str__(self) -> str:
        return self.commit[:8]
