"""Comments of staff on a submission, the answers to them, and the bank of comments of a rubric."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from grading.core.enums import CommentPlace
from grading.models.rubric import Rubric
from grading.models.submission import Submission
from grading.models.tenant import TenantModel

LONGEST = 2000


class BankedComment(TenantModel):
    """Comment that staff use again, for all versions of a rubric.

    `criterion_id` is "" where it fits any criterion. `points` propose a change of a criterion's
    score; they change nothing by themselves. `uses` counts the comments that were made from it.
    """

    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="banked_comments")
    criterion_id = models.CharField(max_length=200, blank=True)
    label = models.CharField(max_length=80)
    text = models.TextField()
    points = models.SmallIntegerField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-uses", "label", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["rubric", "criterion_id", "label"],
                # An archived label is free again.
                condition=Q(archived_at=None),
                name="banked_label_once",
            ),
            models.CheckConstraint(condition=~Q(label="") & ~Q(text=""), name="banked_has_words"),
            models.CheckConstraint(
                condition=Q(points=None) | Q(points__gte=-4, points__lte=4),
                name="banked_points_four_at_most",
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Comment(TenantModel):
    """Comment of staff on a submission, at one place of it.

    `place` says which of the columns below it are filled; lines are counted from 1, and `commit` is
    the submission's. It belongs to the submission and not to an audit, so that every re-audit keeps
    it. A draft has no `released_at`: students see nothing of it. A release that is taken back makes
    a draft of it again; `first_released_at` stays, and what a student could read is never deleted
    but withdrawn. `answer_waits` means that the student answered and no staff did since.

    On a team's work a release shows it to the members whose grades are released, unless `to_team`:
    released by itself, to all (core/comment_access.py).
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="comments")
    place = models.CharField(max_length=9, choices=CommentPlace.choices)
    criterion_id = models.CharField(max_length=200, blank=True)
    criterion_name = models.CharField(max_length=300, blank=True)
    path = models.CharField(max_length=1000, blank=True)
    commit = models.CharField(max_length=64, blank=True)
    first_line = models.PositiveIntegerField(null=True, blank=True)
    last_line = models.PositiveIntegerField(null=True, blank=True)
    page = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField()
    banked = models.ForeignKey(
        BankedComment, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True, blank=True)
    first_released_at = models.DateTimeField(null=True, blank=True)
    released_at = models.DateTimeField(null=True, blank=True)
    to_team = models.BooleanField(default=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # The last release or reply of staff: newer than its opening, it is new to the student.
    news_at = models.DateTimeField(null=True, blank=True)
    answer_waits = models.BooleanField(default=False)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="comment_has_words"),
            models.CheckConstraint(
                condition=Q(place=CommentPlace.CRITERION) & ~Q(criterion_id="")
                | ~Q(place=CommentPlace.CRITERION) & Q(criterion_id="", criterion_name=""),
                name="comment_on_a_criterion_names_it",
            ),
            models.CheckConstraint(
                # Each comparison with null passes a check: null is refused by name.
                condition=Q(
                    place=CommentPlace.CODE,
                    first_line__isnull=False,
                    first_line__gte=1,
                    last_line__isnull=False,
                    last_line__gte=F("first_line"),
                )
                & ~Q(path="")
                | ~Q(place=CommentPlace.CODE)
                & Q(path="", commit="", first_line=None, last_line=None),
                name="comment_on_code_has_lines",
            ),
            models.CheckConstraint(
                condition=Q(place=CommentPlace.PAGE, page__isnull=False, page__gte=1)
                | ~Q(place=CommentPlace.PAGE) & Q(page=None),
                name="comment_on_a_page_has_its_number",
            ),
            models.CheckConstraint(
                condition=Q(place__in=CommentPlace.values), name="comment_place_known"
            ),
            models.CheckConstraint(
                condition=Q(released_at=None)
                | Q(first_released_at__isnull=False, released_at__gte=F("first_released_at")),
                name="comment_released_was_first_released",
            ),
            # A draft that nobody was shown is deleted, not withdrawn.
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | Q(first_released_at__isnull=False),
                name="comment_withdrawn_was_released",
            ),
            models.CheckConstraint(
                condition=Q(answer_waits=False) | Q(first_released_at__isnull=False),
                name="comment_answered_was_released",
            ),
        ]
        indexes = [
            # The attention bar counts these on every page of staff.
            models.Index(
                fields=["organization"],
                condition=Q(answer_waits=True, withdrawn_at=None),
                name="comment_answer_waits",
            ),
        ]

    @property
    def is_draft(self) -> bool:
        return self.released_at is None

    @property
    def is_visible(self) -> bool:
        """Return whether its student sees it."""
        return self.released_at is not None and self.withdrawn_at is None

    @property
    def is_shown_with_grades(self) -> bool:
        """Return whether each member of the team sees it with the release of their own grade."""
        return self.submission.team_id is not None and self.is_visible and not self.to_team

    def __str__(self) -> str:
        return f"{self.get_place_display()}: {self.text[:60]}"


class CommentReply(TenantModel):
    """Words under a released comment: an answer of the student, or further words of staff."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="replies")
    by_student = models.BooleanField()
    text = models.TextField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="reply_has_words")]

    def __str__(self) -> str:
        return self.text[:60]
