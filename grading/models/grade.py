"""Grades, their releases and overrides."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.models.audit import Audit
from grading.models.cohort import Enrollment
from grading.models.rubric import RubricVersion
from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel, TenantPart


class Grade(TenantModel):
    """Grade of one student for one assignment: one audit's verdict with the overrides of its
    submission.

    It follows the assignment's counting policy unless it is `pinned` to an attempt by staff.
    `chosen` is the attempt that the student chose where the policy lets them. The columns below it
    are computed again by grades/actions.py whenever a verdict, an override or an appeal
    changes: scores with overrides, and flags for filtering. `widest_spread` is the widest between
    the judges of one criterion; `unverified` means that evidence or citations were dropped because
    they could not be verified. `released` is the frozen verdict that the student got
    (grades/queries/final_scores.py), null before a release; `changed` means that it is out of date.
    `adjusted_from` is the overall score before a GradeAdjustment, null without one.
    `comments_hidden_at` is when the release to a member of a team was last withdrawn: comments of
    before are hidden from them until the next.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="grades")
    student = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="grades")
    # PROTECT: no grade may vanish with the audit that it is based on.
    audit = models.ForeignKey(Audit, on_delete=models.PROTECT, related_name="+")
    pinned = models.BooleanField(default=False)
    chosen = models.ForeignKey(
        Submission, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    overall_score = models.FloatField(null=True, blank=True)
    points_earned = models.FloatField(null=True, blank=True)
    points_possible = models.FloatField(null=True, blank=True)
    adjusted_from = models.FloatField(null=True, blank=True)
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
    comments_hidden_at = models.DateTimeField(null=True, blank=True)
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
        return (
            f"{self.student_id}: "
            f"{self.overall_score if self.overall_score is not None else 'no score'}"
        )


class GradeAdjustment(TenantModel):
    """Change of one student's own result, with a reason: a member who did more or less of the work.

    `delta` is in points where the rubric has them, else on the scale of 1 to 5. The verdict and the
    scores of the criteria stay; the result stays within its scale.
    """

    grade = models.ForeignKey(Grade, on_delete=models.CASCADE, related_name="adjustments")
    delta = models.FloatField()
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
                fields=["grade"],
                # Withdrawn adjustments stay as history.
                condition=Q(withdrawn_at=None),
                name="one_adjustment_per_grade",
            ),
            models.CheckConstraint(condition=~Q(delta=0), name="adjustment_changes_something"),
            models.CheckConstraint(condition=~Q(reason=""), name="adjustment_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.delta:+g}"


class SupersededReport(TenantPart):
    """Report that a re-synthesis replaced: no verdict is lost."""

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
    """Score that a person gave for one criterion of a submission, with a reason.

    The verdict stays unchanged beside it. It belongs to the submission and the criterion, so that
    re-synthesis, re-judging and re-audits keep it.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="overrides")
    criterion_id = models.CharField(max_length=200)
    score = models.PositiveSmallIntegerField()
    # The court's score when the override was made; null if it gave none.
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
                # Withdrawn overrides stay as history.
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
