"""Comments are shown with the grade, or alone; a release that is withdrawn hides them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django_scopes import scope

from grading.comments.queries import comments_on
from grading.grades.releases import withdraw_release
from grading.models import Activity, Assignment, Comment, Enrollment, Notice, Submission
from tests.factories.comments import CommentFactory, CommentReplyFactory
from tests.factories.grade_works import attempt, judged, release, the_grade
from tests.factories.graded_work import signed_in
from tests.factories.people import staff_user, student

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("entered", "redis")]


@pytest.fixture
def entered(assignment: Assignment):
    with scope(organization=assignment.organization):
        yield


@pytest.fixture
def teacher_user(assignment: Assignment) -> User:
    return staff_user(assignment.organization)


def draft_on(submission: Submission, **fields: object) -> Comment:
    made: Comment = CommentFactory.create(submission=submission, **fields)
    return made


def texts(submission: Submission, reader: User | None) -> list[str]:
    assert reader
    return [row.comment.text for row in comments_on(submission, reader).comments]


def test_release_of_the_grade_shows_drafts_up_to_its_attempt(
    assignment: Assignment, ada: Enrollment, teacher_user: User
) -> None:
    first, second = attempt(assignment, ada), attempt(assignment, ada, 2)
    judged(first, 2, 4)
    judged(second, 4, 4)
    third = attempt(assignment, ada, 3)
    other = attempt(assignment, student(assignment.cohort))
    for number, submission in enumerate((first, second, third, other), 1):
        draft_on(submission, text=f"Comment {number}")
    release(assignment, teacher_user)

    visible = Comment.objects.filter(released_at__isnull=False).order_by("text")
    assert [row.text for row in visible] == ["Comment 1", "Comment 2"]
    assert texts(second, ada.user) == ["Comment 2", "Comment 1"]
    assert "There are comments on your work." in Notice.objects.get().body
    assert "Comment" not in Notice.objects.get().body.replace("comments", "")
    assert Activity.objects.filter(verb="comment.released").count() == 2


def test_release_without_drafts_does_not_tell_of_comments(
    assignment: Assignment, ada: Enrollment, teacher_user: User
) -> None:
    judged(attempt(assignment, ada), 2, 4)
    release(assignment, teacher_user)
    assert "comments" not in Notice.objects.get().body


def test_withdrawn_release_hides_its_comments_until_the_next(
    assignment: Assignment, ada: Enrollment, teacher_user: User
) -> None:
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    comment = draft_on(submission)
    release(assignment, teacher_user)
    CommentReplyFactory.create(comment=comment)
    withdraw_release(grade=the_grade(), reason="A mistake.", by=teacher_user)
    assert texts(submission, ada.user) == []
    assert Activity.objects.get(verb="comment.hidden").detail == {"comments": 1}

    release(assignment, teacher_user)
    assert texts(submission, ada.user) == ["Well built."]
    assert comment.replies.count() == 1


def test_release_page_counts_the_drafts_that_go_along(
    assignment: Assignment, ada: Enrollment, teacher_user: User
) -> None:
    submission = attempt(assignment, ada)
    judged(submission, 2, 4)
    draft_on(submission)
    draft_on(submission)
    slugs = f"/o/{assignment.organization.slug}/c/{assignment.cohort.slug}/a/{assignment.slug}"
    page = signed_in(teacher_user).get(f"{slugs}/grades/release/?grade={the_grade().pk}")
    assert "2 drafts of comments" in page.content.decode()
