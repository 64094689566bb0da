"""Comments that a student sees: on a team's work each member's own release decides."""

from __future__ import annotations

from django.db.models import Exists, IntegerField, OuterRef, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from grading.core.team_access import mates_of
from grading.models import Comment, Enrollment, Grade

# A draft and a withdrawn comment are shown to no student.
RELEASED = Q(released_at__isnull=False, withdrawn_at=None)


def is_shown_to_user(user: int) -> Q:
    """Match the comments that are released for this user, on work that they may read."""
    return _is_shown_by(Q(student__user=user))


def is_shown_to(student: Enrollment | OuterRef) -> Q:
    """Match the comments that are released for this student, on work that they may read.

    An OuterRef names a column of the query of comments.
    """
    return _is_shown_by(Q(student=student))


def _is_shown_by(whose: Q) -> Q:
    grades = Grade.objects.filter(whose, assignment=OuterRef("submission__assignment"))
    attempt = Cast(KeyTextTransform("attempt", "released"), IntegerField())
    released = grades.annotate(upto=attempt).filter(
        released_at__gte=OuterRef("released_at"), upto__gte=OuterRef("submission__attempt")
    )
    hidden = grades.filter(comments_hidden_at__gte=OuterRef("released_at"))
    by_itself = Q(to_team=True) & ~Q(Exists(hidden))
    return RELEASED & (Q(submission__team=None) | by_itself | Q(Exists(released)))


def students_who_see(comment: Comment) -> list[Enrollment]:
    """Return who gets the mails on a released comment: of a team those who see it."""
    students = mates_of(comment.submission)
    if comment.submission.team_id is None:
        return students
    this = Comment.objects.filter(pk=comment.pk)
    return [student for student in students if this.filter(is_shown_to(student)).exists()]
