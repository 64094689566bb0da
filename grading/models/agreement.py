"""Blind grading of a sample, for measuring how far people agree with the court."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel


class BlindSample(TenantModel):
    """Random sample of submissions to grade by hand.

    `submissions` are ids, in an order that `seed` determines.
    """

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="blind_samples"
    )
    seed = models.PositiveIntegerField()
    submissions = models.JSONField()
    drawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    drawn_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-drawn_at", "-pk"]

    def __str__(self) -> str:
        return f"{len(self.submissions)} submissions of {self.assignment_id}"


class BlindGrade(TenantModel):
    """One person's score of one criterion, given without seeing the court's.

    It may change until it is `sealed`: from then on the person has seen the verdict.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="blind_grades"
    )
    criterion_id = models.CharField(max_length=200)
    score = models.PositiveSmallIntegerField()
    # CASCADE: a score without its grader measures nobody's agreement.
    graded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    graded_at = models.DateTimeField(auto_now=True)
    # Once true it stays: nobody can unsee a verdict.
    sealed = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "criterion_id", "graded_by"],
                name="one_blind_grade_per_person",
            ),
            models.CheckConstraint(
                condition=Q(score__gte=1, score__lte=5), name="blind_score_1_to_5"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.score}"
