"""Work of readers in the grading queue: reviews, flags, shares and open pages."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.models.cohort import Enrollment
from grading.models.submission import Assignment, Submission
from grading.models.tenant import TenantModel


class ReviewMark(TenantModel):
    """Review and flag of one criterion of a submission, or of the whole work (`criterion_id` "").

    `report_digest` is that of the verdict that was reviewed: after a new verdict the review no
    longer holds, and the flag stays.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="review_marks"
    )
    criterion_id = models.CharField(max_length=200, blank=True)
    report_digest = models.CharField(max_length=64, blank=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    reviewed_at = models.DateTimeField(null=True, blank=True)
    flag_word = models.CharField(max_length=80, blank=True)
    flagged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    flagged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "criterion_id"], name="one_review_mark_per_criterion"
            ),
            models.CheckConstraint(
                condition=Q(reviewed_at=None, report_digest="")
                | Q(reviewed_at__isnull=False) & ~Q(report_digest=""),
                name="review_has_a_verdict",
            ),
            models.CheckConstraint(
                condition=Q(flagged_at__isnull=False) | Q(flag_word=""),
                name="flag_word_has_a_flag",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id} {self.criterion_id}".strip()


class ReviewShare(TenantModel):
    """Share of the work that one reader reads: a student, a criterion, or one of both.

    `student` null means all students, `criterion_id` "" all criteria.
    """

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="review_shares"
    )
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    student = models.ForeignKey(
        Enrollment, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    criterion_id = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "student", "criterion_id"],
                nulls_distinct=False,
                name="review_share_has_one_reader",
            ),
            models.CheckConstraint(
                condition=Q(student__isnull=False) | ~Q(criterion_id=""),
                name="review_share_names_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reader_id}: {self.student_id or 'all'} {self.criterion_id}".strip()


class ReviewPresence(TenantModel):
    """Student whose work a reader had open last; it holds for some seconds after `seen_at`."""

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="review_presences"
    )
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    student = models.ForeignKey(Enrollment, on_delete=models.CASCADE, related_name="+")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "reader"], name="one_open_page_per_reader"
            )
        ]

    def __str__(self) -> str:
        return f"{self.reader_id} at {self.student_id}"
