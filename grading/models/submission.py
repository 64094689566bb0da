"""Assignments and submissions."""

from pathlib import PurePosixPath
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from grading.core.enums import (
    Bench,
    CountingPolicy,
    LatePolicy,
    ReleasePolicy,
    TeamFormation,
)
from grading.models.cohort import Cohort, Enrollment
from grading.models.rubric import RubricVersion
from grading.models.tenant import TenantModel, TenantPart


class Assignment(TenantModel):
    """Assignment of a cohort.

    `appeal_days` run from a grade's release; `max_appeals` limits a student's appeals that are open
    or were not upheld (defaults as in Artemis).
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.PROTECT, related_name="assignments")
    title = models.CharField(max_length=200)
    slug = models.SlugField(max_length=60)
    instructions = models.TextField(blank=True)
    rubric_version = models.ForeignKey(
        RubricVersion, on_delete=models.PROTECT, related_name="assignments"
    )
    opens_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    late_policy = models.CharField(
        max_length=8, choices=LatePolicy.choices, default=LatePolicy.REFUSE
    )
    max_attempts = models.PositiveSmallIntegerField(default=5)
    counting_policy = models.CharField(
        max_length=8, choices=CountingPolicy.choices, default=CountingPolicy.LATEST
    )
    bench = models.CharField(max_length=12, choices=Bench.choices, default=Bench.HEURISTIC)
    release_policy = models.CharField(
        max_length=14, choices=ReleasePolicy.choices, default=ReleasePolicy.PROVISIONAL
    )
    appeal_days = models.PositiveSmallIntegerField(default=7)
    max_appeals = models.PositiveSmallIntegerField(default=3)
    team_formation = models.CharField(
        max_length=8, choices=TeamFormation.choices, default=TeamFormation.NONE
    )
    team_size_max = models.PositiveSmallIntegerField(default=3)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["due_at", "title", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["cohort", "slug"], name="assignment_slug_once"),
            # A check on null passes: either time may be open.
            models.CheckConstraint(
                condition=Q(due_at__gt=F("opens_at")), name="assignment_due_after_opening"
            ),
            models.CheckConstraint(
                condition=Q(max_attempts__gte=1), name="assignment_allows_an_attempt"
            ),
            models.CheckConstraint(
                condition=Q(late_policy__in=LatePolicy.values), name="late_policy_known"
            ),
            models.CheckConstraint(
                condition=Q(counting_policy__in=CountingPolicy.values), name="counting_policy_known"
            ),
            models.CheckConstraint(
                condition=Q(bench__in=Bench.values), name="assignment_bench_known"
            ),
            models.CheckConstraint(
                condition=Q(release_policy__in=ReleasePolicy.values), name="release_policy_known"
            ),
            models.CheckConstraint(
                condition=Q(team_formation__in=TeamFormation.values), name="team_formation_known"
            ),
            models.CheckConstraint(condition=Q(team_size_max__gte=1), name="team_has_room"),
        ]

    def __str__(self) -> str:
        return self.title


def private_pdf_path(submission: "Submission", _name: str) -> str:
    """Return a random file name: nothing that the student typed reaches the file system."""
    return str(PurePosixPath("submissions", str(submission.organization_id), f"{uuid4().hex}.pdf"))


class Submission(TenantPart):
    """One attempt of a student or a team. `counts` is false once its audit has failed: failed audits
    don't use an attempt.

    A team's attempts all have its representative as `student`. `reader` is the member as whom a row
    was read: core/permissions.py and submissions/queries.py set it.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="submissions")
    student = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(
        "grading.Team", on_delete=models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    attempt = models.PositiveSmallIntegerField()
    repo_url = models.CharField(max_length=2000)
    ref = models.CharField(max_length=255, blank=True)
    # 40 hexadecimal digits with SHA-1, 64 with SHA-256.
    resolved_commit = models.CharField(max_length=64, blank=True)
    pdf = models.FileField(upload_to=private_pdf_path, blank=True, max_length=200)
    pdf_name = models.CharField(max_length=255, blank=True)
    pdf_sha256 = models.CharField(max_length=64, blank=True)
    # Nobody asks the store for the sizes of a course's files.
    pdf_bytes = models.PositiveIntegerField(default=0)
    late = models.BooleanField(default=False)
    counts = models.BooleanField(default=True)
    handed_in_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # Not auto_now_add: `late` is decided by the very same moment.
    handed_in_at = models.DateTimeField()

    class Meta:
        ordering = ["-handed_in_at", "pk"]
        constraints = [
            # Also serves attempts_of: one student's attempts at one assignment, in order.
            models.UniqueConstraint(
                fields=["assignment", "student", "attempt"], name="attempt_once"
            ),
            models.CheckConstraint(condition=~Q(repo_url=""), name="submission_has_a_repository"),
            models.CheckConstraint(
                condition=Q(pdf="", pdf_sha256="") | ~Q(pdf="") & ~Q(pdf_sha256=""),
                name="pdf_has_a_digest",
            ),
        ]
        indexes = [
            # The list of the administration, newest first.
            models.Index(fields=["-handed_in_at", "id"], name="submission_newest"),
            # The bytes of an institution's uploads are summed without reading the rows.
            models.Index(fields=["organization"], include=["pdf_bytes"], name="submission_uploads"),
        ]

    # The member of the team who reads this row, if any; no column.
    read_as: Enrollment | None = None

    def __str__(self) -> str:
        return f"{self.repo_url} (attempt {self.attempt})"

    @property
    def owner_name(self) -> str:
        """Name for lists of works: that of the team, else of the student. `team` is loaded."""
        return str(self.team or self.student)

    @property
    def reader(self) -> Enrollment:
        """The member of the team who reads this row, else its student."""
        return self.read_as or self.student

    @property
    def reader_id(self) -> int:
        if self.read_as is not None:
            return self.read_as.pk
        # submissions/queries.py annotates lists with the key.
        key: int | None = vars(self).get("reader_key")
        return key or self.student_id
