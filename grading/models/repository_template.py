"""Repositories that the site makes at GitHub for students, of an instructor's template."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import CollaboratorState, RepositoryPermission, RepositoryState
from grading.models.cohort import Enrollment
from grading.models.submission import Assignment
from grading.models.team import Team
from grading.models.tenant import TenantModel, TenantPart


class RepositoryTemplate(TenantModel):
    """Template of an assignment, and the organization of GitHub that owns what is made of it.

    `login` is the organization's, which `made_by` showed to own there; `installation_id` is that of
    the site's App. A repository is named `prefix`, a hyphen, and the student or team.
    """

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="repository_template"
    )
    template = models.CharField(max_length=140)
    login = models.CharField(max_length=100)
    installation_id = models.BigIntegerField()
    is_private = models.BooleanField(default=True)
    permission = models.CharField(
        max_length=8, choices=RepositoryPermission.choices, default=RepositoryPermission.PUSH
    )
    prefix = models.CharField(max_length=60)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(permission__in=RepositoryPermission.values),
                name="repository_permission_known",
            ),
        ]

    def __str__(self) -> str:
        return self.template


class StudentRepository(TenantPart):
    """Repository of a student, or of a team by its representative.

    `key` stands in its description at GitHub: a repository of this name without it was not made here.
    It is asked about at `next_at`; null while there is nothing to do. `sentence` says why it failed,
    `words` are GitHub's own.
    """

    template = models.ForeignKey(
        RepositoryTemplate, on_delete=models.CASCADE, related_name="repositories"
    )
    key = models.UUIDField(default=uuid4, unique=True, editable=False)
    student = models.ForeignKey(
        Enrollment, on_delete=models.CASCADE, related_name="made_repositories"
    )
    team = models.ForeignKey(
        Team, on_delete=models.CASCADE, null=True, blank=True, related_name="made_repositories"
    )
    name = models.CharField(max_length=100)
    state = models.CharField(
        max_length=8, choices=RepositoryState.choices, default=RepositoryState.WAITING
    )
    repository_id = models.BigIntegerField(null=True, blank=True)
    full_name = models.CharField(max_length=140, blank=True)
    url = models.CharField(max_length=500, blank=True)
    sentence = models.TextField(blank=True)
    words = models.TextField(blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        verbose_name_plural = "student repositories"
        constraints = [
            models.UniqueConstraint(
                fields=["template", "student"],
                condition=Q(team=None),
                name="student_repository_once",
            ),
            models.UniqueConstraint(fields=["template", "team"], name="team_repository_once"),
            models.UniqueConstraint(fields=["template", "name"], name="repository_name_once"),
            models.CheckConstraint(
                condition=Q(state__in=RepositoryState.values), name="repository_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state=RepositoryState.MADE) | Q(repository_id__isnull=False),
                name="made_repository_has_its_id",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_at"], condition=Q(next_at__isnull=False), name="repository_due"
            ),
        ]

    def __str__(self) -> str:
        return self.full_name or self.name


class RepositoryMember(TenantPart):
    """Student who is invited to a repository, by the account at GitHub that they showed to be theirs.

    `user` is their account here: with it, or with their place on the roster, the row goes.
    """

    repository = models.ForeignKey(
        StudentRepository, on_delete=models.CASCADE, related_name="members"
    )
    student = models.ForeignKey(
        Enrollment, on_delete=models.CASCADE, related_name="repository_memberships"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    account_id = models.BigIntegerField()
    login = models.CharField(max_length=100)
    state = models.CharField(
        max_length=8, choices=CollaboratorState.choices, default=CollaboratorState.WAITING
    )
    url = models.CharField(max_length=500, blank=True)
    words = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "student"], name="repository_member_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=CollaboratorState.values), name="collaborator_state_known"
            ),
        ]

    def __str__(self) -> str:
        return self.login
