"""Teams of an assignment and their members."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from grading.core.join_codes import spoken_form
from grading.models.cohort import Enrollment
from grading.models.submission import Assignment
from grading.models.tenant import TenantModel


class Team(TenantModel):
    """Students who hand in together for one assignment.

    `representative` is the student of all its submissions, so that attempts, findings and appeals
    keep one key. It is fixed with the first submission, even if that student leaves later.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(max_length=60)
    # Letters and digits of grading.core.join_codes, without hyphens.
    code = models.CharField(max_length=12)
    representative = models.ForeignKey(
        Enrollment, on_delete=models.PROTECT, related_name="represented_teams"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint("assignment", Lower("name"), name="team_name_once"),
            models.UniqueConstraint(fields=["assignment", "code"], name="team_code_once"),
            models.UniqueConstraint(
                fields=["assignment", "representative"], name="team_representative_once"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="team_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def spoken_code(self) -> str:
        return spoken_form(self.code)


class TeamMember(TenantModel):
    """Student's time in a team, until `left_at` if set.

    Attempts of this time count for the student's grade; with `earlier_counts` those before
    `joined_at` too. After they left, nothing counts unless `keeps_grade`.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="members")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="+")
    student = models.ForeignKey(
        Enrollment, on_delete=models.PROTECT, related_name="team_memberships"
    )
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)
    earlier_counts = models.BooleanField(default=True)
    keeps_grade = models.BooleanField(default=True)

    class Meta:
        ordering = ["joined_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "student"],
                condition=Q(left_at=None),
                name="one_team_per_student",
            ),
            # Somebody who comes back gets their row back.
            models.UniqueConstraint(fields=["team", "student"], name="team_member_once"),
            # A check on null passes: a member has not left.
            models.CheckConstraint(
                condition=Q(left_at__gte=F("joined_at")), name="team_member_left_after_joining"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.student_id} in team {self.team_id}"
