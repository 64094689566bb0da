"""Rights to read private repositories, and the students whose work they may open."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import AccessKind
from grading.models.cohort import Enrollment
from grading.models.tenant import TenantModel, TenantPart


class RepositoryAccess(TenantModel):
    """Right to read private repositories at one host: a student's own, or the organization's.

    A student's opens one repository, for submissions of theirs alone, or of their teams with
    `for_teams`. `owner` is their account: with it, or with their place on the roster, the access
    goes. The organization's (without a student) opens what lies below `path`, for the students that
    have a RepositoryGrant.

    `host` has a port where that is not the usual one. `sealed_secret` is the token or the private
    key (grading/core/crypto.py), displayed to nobody; the GitHub App has none. `host_key` counts
    once a person has confirmed it. The ids are GitHub's: names may change there.
    """

    kind = models.CharField(max_length=12, choices=AccessKind.choices)
    student = models.ForeignKey(
        Enrollment,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="repository_accesses",
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    host = models.CharField(max_length=260)
    path = models.CharField(max_length=500, blank=True)
    for_teams = models.BooleanField(default=False)
    username = models.CharField(max_length=100, blank=True)
    sealed_secret = models.TextField(blank=True, editable=False)
    public_key = models.TextField(blank=True)
    host_key = models.TextField(blank=True)
    host_key_confirmed_at = models.DateTimeField(null=True, blank=True)
    installation_id = models.BigIntegerField(null=True, blank=True)
    repository_id = models.BigIntegerField(null=True, blank=True)
    account_id = models.BigIntegerField(null=True, blank=True)
    account_login = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_used_for = models.CharField(max_length=200, blank=True)
    refused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "repository accesses"
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "student", "kind", "host", "path"],
                nulls_distinct=False,
                name="repository_access_once",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=AccessKind.values), name="access_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(student=None, owner=None)
                | (Q(student__isnull=False, owner__isnull=False) & ~Q(path="")),
                name="access_of_a_student_opens_one_repository",
            ),
            models.CheckConstraint(
                condition=(
                    Q(kind=AccessKind.GITHUB_APP, sealed_secret="", student__isnull=False)
                    & Q(installation_id__isnull=False, repository_id__isnull=False)
                    & Q(account_id__isnull=False)
                )
                | (~Q(kind=AccessKind.GITHUB_APP) & ~Q(sealed_secret="")),
                name="access_has_its_secret_or_its_installation",
            ),
        ]
        indexes = [
            # Events of GitHub name the repository.
            models.Index(
                fields=["repository_id"],
                condition=Q(repository_id__isnull=False),
                name="access_by_github_repository",
            )
        ]

    def __str__(self) -> str:
        return self.place

    @property
    def place(self) -> str:
        """Host and path, as people read them."""
        return f"{self.host}/{self.path}" if self.path else f"{self.host} (all repositories)"

    @property
    def is_ready(self) -> bool:
        return self.kind != AccessKind.DEPLOY_KEY or self.host_key_confirmed_at is not None


class RepositoryGrant(TenantPart):
    """Repository that the organization's access may open for this student.

    The student showed that it is theirs by a branch that only they could push (`made_by` is null),
    or staff assigned it.
    """

    access = models.ForeignKey(RepositoryAccess, on_delete=models.CASCADE, related_name="grants")
    student = models.ForeignKey(
        Enrollment, on_delete=models.CASCADE, related_name="repository_grants"
    )
    path = models.CharField(max_length=500)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["path", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["access", "student", "path"], name="grant_once"),
            models.CheckConstraint(condition=~Q(path=""), name="grant_names_a_repository"),
        ]

    def __str__(self) -> str:
        return self.path
