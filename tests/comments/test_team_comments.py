"""Comments on a team's work are shown to each member with the release of their own grade."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.http import Http404
from django_scopes import scope

from grading import workflow
from grading.comments.actions import answer_comment
from grading.comments.queries import comments_on, new_comments, visible_to
from grading.comments.releases import release_comments
from grading.core.permissions import access_comment
from grading.courses.teams.actions import assign_students
from grading.grades.exports.actions import results_of
from grading.grades.exports.csv_layouts import ExportChoice
from grading.grades.exports.queries import first_students
from grading.grades.releases import release_grades, withdraw_release
from grading.models import Activity, Audit, Comment, Enrollment, Grade, Notice, Team
from tests.factories.comments import CommentFactory
from tests.factories.example_report import report_json
from tests.factories.people import everywhere, staff_user, student
from tests.factories.races import alone, in_turn
from tests.factories.released import assignment_of, verdict_of
from tests.factories.teams import team_with
from tests.factories.work import AuditFactory, SubmissionFactory, claimed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


class Pair:
    """Ada and Ben with a verdict on their team's work, and a draft of a comment on it."""

    def __init__(self) -> None:
        self.assignment = assignment_of(team_formation="staff")
        self.ada, self.ben = (student(self.assignment.cohort, name=n) for n in ("Ada", "Ben"))
        self.teacher = staff_user(self.assignment.organization)
        self.team = team_with(self.assignment, self.ada, self.ben, name="Blue")
        self.submission = SubmissionFactory.create(
            assignment=self.assignment, student=self.ada, team=self.team
        )
        self.audit: Audit = AuditFactory.create(submission=self.submission)
        with scope(organization=self.assignment.organization):
            workflow.finish_audit(
                lease=claimed(self.audit), verdict=verdict_of(report_json(criteria=3))
            )
            self.comment: Comment = CommentFactory.create(submission=self.submission)

    def release(self, *members: Enrollment) -> None:
        grades = list(Grade.objects.filter(student__in=members))
        release_grades(assignment=self.assignment, grades=grades, by=self.teacher)

    def withdraw(self, member: Enrollment) -> None:
        grade = Grade.objects.get(student=member)
        withdraw_release(grade=grade, reason="A mistake.", by=self.teacher)

    def readers(self) -> list[str]:
        """Return who sees the comment; page, list, number and address must agree on it."""
        return [str(member) for member in (self.ada, self.ben) if self.is_read_by(member)]

    def is_read_by(self, member: Enrollment) -> bool:
        user = member.user
        assert user
        try:
            access_comment(user, self.comment.pk)
            opens = True
        except Http404:
            opens = False
        on_page = bool(comments_on(self.submission, user).comments)
        numbers = {visible_to(user).count(), new_comments(user).count(), int(opens), int(on_page)}
        assert len(numbers) == 1
        return opens


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair()
    with scope(organization=made.assignment.organization):
        yield made


def test_release_to_a_member_shows_the_comments_to_that_member_alone(pair: Pair) -> None:
    pair.release(pair.ada)
    assert pair.readers() == ["Ada"]
    pair.release(pair.ben)
    assert pair.readers() == ["Ada", "Ben"]
    bodies = Notice.objects.filter(kind="released").values_list("body", flat=True)
    assert ["There are comments on your work." in body for body in bodies] == [True, True]


def test_comment_of_after_a_members_release_waits_for_their_next(pair: Pair) -> None:
    pair.comment.delete()
    pair.release(pair.ada, pair.ben)
    pair.comment = CommentFactory.create(submission=pair.submission)
    pair.withdraw(pair.ada)
    pair.release(pair.ada)
    assert pair.readers() == ["Ada"]


def test_withdrawal_hides_the_comments_from_that_member_alone(pair: Pair) -> None:
    pair.release(pair.ada, pair.ben)
    pair.withdraw(pair.ada)
    assert pair.readers() == ["Ben"]
    assert not Comment.objects.get().is_draft
    assert Activity.objects.get(verb="comment.hidden").detail == {"comments": 1}

    pair.release(pair.ada)
    assert pair.readers() == ["Ada", "Ben"]


def test_comment_that_no_member_sees_any_more_is_a_draft_again(pair: Pair) -> None:
    pair.release(pair.ada)
    pair.withdraw(pair.ada)
    assert (pair.readers(), Comment.objects.get().is_draft) == ([], True)
    pair.release(pair.ben)
    assert pair.readers() == ["Ben"]


def test_comments_released_by_themselves_are_for_all_members(pair: Pair) -> None:
    assert release_comments(submission=pair.submission, by=pair.teacher) == 1
    assert pair.readers() == ["Ada", "Ben"]
    assert Notice.objects.filter(kind="released").count() == 2

    pair.release(pair.ada)
    pair.withdraw(pair.ada)
    assert pair.readers() == ["Ben"]


def test_comments_that_one_member_sees_can_be_released_to_the_others(pair: Pair) -> None:
    pair.release(pair.ada)
    assert release_comments(submission=pair.submission, by=pair.teacher) == 1
    assert pair.readers() == ["Ada", "Ben"]
    assert release_comments(submission=pair.submission, by=pair.teacher) == 0


def test_reply_of_staff_is_mailed_to_who_sees_the_comment(pair: Pair) -> None:
    pair.release(pair.ben)
    Notice.objects.all().delete()
    answer_comment(comment=pair.comment, text="More of it.", by=pair.teacher, is_staff=True)
    assert [row.user for row in Notice.objects.all()] == [pair.ben.user]


def test_new_member_sees_earlier_comments_with_their_own_release(pair: Pair) -> None:
    pair.release(pair.ada, pair.ben)
    carl = student(pair.assignment.cohort, name="Carl")
    assign_students(
        assignment=pair.assignment,
        students=[carl],
        team=pair.team,
        reason="Late.",
        by=pair.teacher,
    )
    assert not pair.is_read_by(carl)
    pair.release(carl)
    assert pair.is_read_by(carl)


def test_export_counts_the_comments_that_each_member_sees(pair: Pair) -> None:
    pair.release(pair.ada)
    mine = CommentFactory.create(submission=pair.submission)

    def numbers() -> list[int | None]:
        choice = ExportChoice(everything=True)
        rows = results_of(pair.assignment, first_students(pair.assignment, 2), choice)
        return [row.comments for row in rows]

    assert numbers() == [1, 0]
    release_comments(submission=pair.submission, by=pair.teacher)
    assert numbers() == [2, 2]
    Comment.objects.filter(pk=mine.pk).update(released_at=None)
    pair.withdraw(pair.ada)
    assert numbers() == [0, 1]


@pytest.mark.django_db(transaction=True)
def test_releases_for_two_members_at_once_show_the_comments_to_both() -> None:
    with everywhere():
        pair = Pair()
    in_turn(Team, lambda: pair.release(pair.ada), lambda: pair.release(pair.ben))
    with everywhere():
        assert pair.readers() == ["Ada", "Ben"]
        bodies = Notice.objects.filter(kind="released").values_list("body", flat=True)
        assert ["There are comments on your work." in body for body in bodies] == [True, True]


@pytest.mark.django_db(transaction=True)
def test_withdrawal_beside_a_release_hides_nothing_from_the_other_member() -> None:
    with everywhere():
        pair = Pair()
    alone(lambda: pair.release(pair.ada))
    in_turn(Team, lambda: pair.release(pair.ben), lambda: pair.withdraw(pair.ada))
    with everywhere():
        assert pair.readers() == ["Ben"]
