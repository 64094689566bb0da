"""What counts for a student, what was released of it, and what people changed by hand."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.models.audit import Audit
from grading.models.cohort import Enrollment
from grading.models.rubric import RubricVersion
from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel


class Grade(TenantModel):
    """What counts for one student at one assignment: one audit's verdict with the overrides of its submission.

    It follows the student's latest verdict unless somebody `pinned` it to an attempt. The columns below `pinned`
    are worked out anew by grades/actions.py whenever a verdict, an override or an appeal changes: scores as
    they count, overrides included, and flags that a list can filter by. `widest_spread` is the widest between the
    judges of one criterion, `unverified` that evidence or citations were dropped because they could not be verified.
    `released` is what the student was told: a frozen value (grades/queries/final_scores.py), null before; `changed` says
    that it is no longer what counts.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="grades")
    student = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="grades")
    audit = models.ForeignKey(Audit, on_delete=models.PROTECT, related_name="+")
    pinned = models.BooleanField(default=False)
    overall_score = models.FloatField(null=True, blank=True)
    points_earned = models.FloatField(null=True, blank=True)
    points_possible = models.FloatField(null=True, blank=True)
    overridden = models.PositiveSmallIntegerField(default=0)
    needs_review = models.BooleanField(default=False)
    suspected = models.BooleanField(default=False)
    unverified = models.BooleanField(default=False)
    failed_judges = models.PositiveSmallIntegerField(default=0)
    widest_spread = models.PositiveSmallIntegerField(default=0)
    released = models.JSONField(null=True, blank=True)
    released_at = models.DateTimeField(null=True, blank=True)
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    changed = models.BooleanField(default=False)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "student"], name="one_grade_per_student"),
            models.CheckConstraint(
                condition=Q(released=None, released_at=None)
                | Q(released__isnull=False, released_at__isnull=False),
                name="released_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.student_id}: {self.overall_score if self.overall_score is not None else 'no score'}"


class SupersededReport(TenantModel):
    """A report that an audit had before a re-synthesis gave it another: nobody's verdict is lost."""

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="superseded_reports")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="+")
    report = models.JSONField()
    digest = models.CharField(max_length=64)
    superseded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-superseded_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["audit", "digest"], name="superseded_report_once")
        ]

    def __str__(self) -> str:
        return self.digest


class Override(TenantModel):
    """A person's score for one criterion of a submission, with the reason. The verdict beside it stays as it is.

    It belongs to the submission and the criterion, so that no re-synthesis, re-judging or re-audit loses it.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="overrides")
    criterion_id = models.CharField(max_length=200)
    score = models.PositiveSmallIntegerField()
    verdict_score = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.TextField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "criterion_id"],
                condition=Q(withdrawn_at=None),
                name="one_override_per_criterion",
            ),
            models.CheckConstraint(
                condition=Q(score__gte=1, score__lte=5), name="override_score_1_to_5"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="override_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.score}"
