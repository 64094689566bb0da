"""Writing, editing, withdrawing and answering comments: refusals, and the values stored."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django_scopes import scope

from grading.comments import actions
from grading.comments.places import WORK, Place, on_criterion, on_lines, on_page
from grading.comments.queries import comments_on, new_comments, waiting_answers
from grading.comments.releases import hide_comments, release_comments
from grading.core.errors import CommentRefused
from grading.core.permissions import may
from grading.core.request_cache import request_cache
from grading.models import Activity, Audit, AuditContents, BankedComment, Comment, Grade, Notice
from tests.factories.comments import BankedCommentFactory, CommentFactory
from tests.factories.grades import GradeFactory
from tests.factories.people import staff_user
from tests.factories.work import AuditFactory, CriterionVerdictFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("entered")]


@pytest.fixture
def entered(audit: Audit):
    CriterionVerdictFactory.create(audit=audit)
    with scope(organization=audit.organization):
        AuditContents.objects.create(
            organization=audit.organization, audit=audit, files={"src/graph.py": 40}, pages=3
        )
        yield


@pytest.fixture
def by(audit: Audit) -> User:
    return staff_user(audit.organization)


def written(audit: Audit, by: User, place: Place = WORK, **fields: Any) -> Comment:
    return actions.write_comment(
        submission=audit.submission, place=place, by=by, **{"text": "Well built.", **fields}
    )


def refusal(do: Any, **fields: Any) -> tuple[str, str]:
    with pytest.raises(CommentRefused) as refused:
        do(**fields)
    return refused.value.field, refused.value.code


@pytest.mark.parametrize(
    ("place", "text", "field", "code"),
    [
        (WORK, " \n", "text", "text_missing"),
        (WORK, "x" * 2001, "text", "text_too_long"),
        (on_criterion("unheard_of"), "Good.", "place", "criterion_unknown"),
        (on_lines("src/graph.py", 40, 41), "Good.", "place", "place_missing"),
        (on_lines("src/other.py", 1), "Good.", "place", "place_missing"),
        (on_page(4), "Good.", "place", "place_missing"),
    ],
)
def test_comment_without_words_or_place_is_refused(audit, by, place, text, field, code):
    assert refusal(
        actions.write_comment, submission=audit.submission, place=place, text=text, by=by
    ) == (field, code)
    assert not Comment.objects.exists()


def test_comment_is_a_draft_at_its_place(audit, by):
    places = [WORK, on_criterion("git_forensics"), on_lines("src/graph.py", 3, 5), on_page(2)]
    comments = [written(audit, by, place) for place in places]
    assert [(str(row), row.is_draft, row.commit) for row in comments] == [
        ("The whole work: Well built.", True, ""),
        ("A criterion: Well built.", True, ""),
        ("Lines of code: Well built.", True, "a" * 40),
        ("A page of the PDF: Well built.", True, ""),
    ]
    listed = comments_on(audit.submission, by)
    assert [str(row.place) for row in listed.own] == [
        "The whole work",
        "Criterion “Git forensics”",
        "PDF page 2",
        "src/graph.py:3-5",
    ]
    assert Activity.objects.filter(verb="comment.written").count() == 4


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"place": "criterion"},
        {"place": "code", "path": "a.py"},
        {"place": "code", "path": "a.py", "first_line": 3, "last_line": 2},
        {"place": "work", "page": 2},
        {"place": "page"},
        {"place": "unheard"},
        {"released_at": timezone.now()},
        {"withdrawn_at": timezone.now()},
        {"answer_waits": True},
    ],
)
def test_impossible_comment_is_refused_by_the_database(audit, fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        CommentFactory.create(submission=audit.submission, **fields)


def test_student_sees_a_comment_only_between_its_release_and_its_withdrawal(audit, ada, by):
    comment = written(audit, by)

    def read() -> list[tuple[str, bool]]:
        listed = comments_on(audit.submission, ada.user).comments
        return [(row.comment.text, row.is_new) for row in listed]

    assert read() == []
    assert release_comments(submission=audit.submission, by=by) == 1
    assert release_comments(submission=audit.submission, by=by) == 0
    assert read() == [("Well built.", True)]
    assert list(new_comments(ada.user)) == [comment]
    comment.refresh_from_db()
    actions.withdraw_comment(comment=comment, by=by)
    assert read() == []
    assert Activity.objects.get(verb="comment.withdrawn").detail["text"] == "Well built."
    email = Notice.objects.get()
    assert (email.user, "Well built" in email.body) == (ada.user, False)


def test_draft_is_edited_and_deleted_but_a_released_comment_only_withdrawn(audit, by):
    comment = written(audit, by)
    assert refusal(actions.withdraw_comment, comment=comment, by=by) == ("", "comment_gone")
    actions.edit_comment(comment=comment, text="Built well.", by=by)
    assert (comment.text, comment.edited_at is not None) == ("Built well.", True)

    release_comments(submission=audit.submission, by=by)
    for do, fields in ((actions.edit_comment, {"text": "x"}), (actions.delete_draft, {})):
        assert refusal(do, comment=comment, by=by, **fields) == ("", "comment_gone")

    other = written(audit, by)
    actions.delete_draft(comment=other, by=by)
    assert Comment.objects.count() == 1


def test_comment_of_a_withdrawn_release_is_hidden_and_kept(audit, ada, by):
    comment = written(audit, by)
    release_comments(submission=audit.submission, by=by)
    comment.refresh_from_db()
    actions.answer_comment(comment=comment, text="Thank you.", by=ada.user, is_staff=False)
    grade: Grade = GradeFactory.create(audit=audit)
    hide_comments(grade=grade, by=by)
    comment.refresh_from_db()

    assert comments_on(audit.submission, ada.user).comments == ()
    assert refusal(actions.delete_draft, comment=comment, by=by) == ("", "comment_gone")
    # An edit of words that a student has read is in the log with the words before.
    actions.edit_comment(comment=comment, text="Other words.", by=by)
    assert Activity.objects.get(verb="comment.edited").detail["before"] == "Well built."
    release_comments(submission=audit.submission, by=by)
    listed = comments_on(audit.submission, ada.user).comments
    assert [[reply.text for reply in row.replies] for row in listed] == [["Thank you."]]


def test_answer_waits_until_staff_reply_or_mark_it_as_read(audit, ada, by):
    comment = written(audit, by)
    assert refusal(
        actions.answer_comment, comment=comment, text="x", by=ada.user, is_staff=False
    ) == ("", "comment_gone")
    release_comments(submission=audit.submission, by=by)

    def answer(text: str, person: User, *, is_staff: bool) -> list[Comment]:
        actions.answer_comment(comment=comment, text=text, by=person, is_staff=is_staff)
        return list(waiting_answers())

    assert answer("Why?", ada.user, is_staff=False) == [comment]
    assert answer("Because.", by, is_staff=True) == []
    assert answer("I see.", ada.user, is_staff=False) == [comment]
    actions.settle_answer(comment=comment, by=by)
    assert not waiting_answers().exists()
    assert [letter.subject for letter in Notice.objects.order_by("pk")] == [
        "New comments on “The auditor”",
        "A reply to a comment on “The auditor”",
    ]


def test_sixth_answer_in_a_row_is_refused(audit, ada, by):
    comment = CommentFactory.create(submission=audit.submission, released=True)
    for number in range(5):
        actions.answer_comment(comment=comment, text=str(number), by=ada.user, is_staff=False)
    sixth = {"comment": comment, "text": "5", "by": ada.user, "is_staff": False}
    assert refusal(actions.answer_comment, **sixth) == ("text", "answers_too_many")
    actions.answer_comment(comment=comment, text="Wait.", by=by, is_staff=True)
    actions.answer_comment(**sixth)
    assert comment.replies.count() == 7


def test_comment_from_the_bank_counts_its_use(audit, by):
    entry = BankedCommentFactory.create(rubric=audit.rubric_version.rubric)
    assert written(audit, by, banked=entry).banked == entry
    assert BankedComment.objects.get().uses == 1


def test_later_attempt_shows_comments_of_the_earlier_one_as_such(audit, ada, by):
    written(audit, by, on_criterion("git_forensics"))
    later = AuditFactory.create(
        submission=SubmissionFactory.create(
            assignment=audit.submission.assignment, student=ada, attempt=2
        )
    )
    listed = comments_on(later.submission, by)
    assert [(row.attempt, row.is_earlier, row.audit) for row in listed.comments] == [
        (1, True, audit.pk)
    ]
    again = AuditFactory.create(submission=audit.submission)
    assert [(row.is_earlier, row.audit) for row in comments_on(audit.submission, by).comments] == [
        (False, again.pk)
    ]


@pytest.mark.parametrize(
    ("count", "reader", "queries"), [(1, "by", 2), (4, "by", 2), (4, "ada", 3)]
)
def test_comments_of_a_work_take_a_fixed_number_of_queries(
    audit, ada, by, count, reader, queries, django_assert_num_queries
):
    for _ in range(count):
        CommentFactory.create(submission=audit.submission, released=True)
    person = {"by": by, "ada": ada.user}[reader]
    with request_cache():
        may(person, audit.organization, "staff")
        with django_assert_num_queries(1):
            comments_on(audit.submission, person)
