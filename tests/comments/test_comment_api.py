"""Comments by the API: drafts of staff, answers of their student, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from django_scopes import scope

from grading.core.enums import ApiScope, Role
from grading.models import AuditContents, Comment, Enrollment, Grade
from tests.factories.comments import BankedCommentFactory, CommentFactory
from tests.factories.graded_work import graded
from tests.factories.people import everywhere, staff_user
from tests.web_client.api_program import Program, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def grade(assignment: Any, ada: Enrollment) -> Grade:
    grade = graded(assignment, ada)
    with scope(organization=grade.organization):
        AuditContents.objects.create(
            organization=grade.organization, audit=grade.audit, files={"src/graph.py": 40}, pages=3
        )
    return grade


@pytest.fixture
def assistant(grade: Grade) -> Program:
    user = staff_user(grade.organization, Role.ASSISTANT)
    return Program(user, grade.organization.slug)


def address_of(grade: Grade) -> str:
    return f"submissions/{grade.audit.submission_id}/comments/"


@pytest.mark.parametrize(
    ("sent", "status", "field"),
    [
        ({}, 400, "text"),
        ({"text": 0}, 400, "text"),
        ({"text": " "}, 422, "text"),
        ({"text": "x" * 2001}, 400, "text"),
        ({"text": "Good.", "place": "chapter"}, 400, "place"),
        ({"text": "Good.", "place": "criterion"}, 422, "criterion"),
        ({"text": "Good.", "place": "page"}, 422, "page"),
        (
            {"text": "Good.", "place": "code", "path": "a", "first_line": 3, "last_line": 2},
            422,
            "last_line",
        ),
        ({"text": "Good.", "place": "criterion", "criterion": "unheard_of"}, 422, "place"),
        (
            {"text": "Good.", "place": "code", "path": "src/graph.py", "first_line": 41},
            422,
            "place",
        ),
        ({"text": "Good.", "place": "page", "page": 4}, 422, "place"),
    ],
)
def test_comment_without_words_or_place_is_refused(grade, assistant, sent, status, field):
    answer = assistant.post(address_of(grade), sent)
    assert (answer.status_code, error_of(answer)["field"]) == (status, field)
    with everywhere():
        assert not Comment.objects.exists()


@pytest.mark.parametrize(
    "place",
    [
        {"place": "work"},
        {"place": "criterion", "criterion": "git_forensics"},
        {"place": "code", "path": "src/graph.py", "first_line": 3, "last_line": 5},
        {"place": "page", "page": 2},
    ],
)
def test_staff_write_a_draft_at_its_place(grade, assistant, place):
    answer = assistant.post(address_of(grade), {"text": "Well built.", **place})
    body = answer.json()
    assert answer.status_code == 201
    assert {name: body[name] for name in place} == place
    assert (body["text"], body["released_at"]) == ("Well built.", None)
    assert assistant.get(address_of(grade)).json()["results"] == [body]


def test_token_without_the_scope_and_student_cannot_write(grade, ada):
    slug, teacher = grade.organization.slug, staff_user(grade.organization)
    reading = Program(teacher, slug, [ApiScope.READ])
    sent = {"text": "Well built."}
    assert reading.post(address_of(grade), sent).status_code == 403
    assert Program(ada.user, slug).post(address_of(grade), sent).status_code == 404


def test_student_answers_a_released_comment_and_staff_reply(grade, ada, assistant):
    comment = CommentFactory.create(submission=grade.audit.submission, released=True)
    draft = CommentFactory.create(submission=grade.audit.submission)
    program = Program(ada.user, grade.organization.slug)
    answers = f"comments/{comment.pk}/answers/"

    assert program.post(f"comments/{draft.pk}/answers/", {"text": "Why?"}).status_code == 404
    blank = program.post(answers, {"text": " "})
    assert (blank.status_code, error_of(blank)["field"]) == (422, "text")

    assert program.post(answers, {"text": "Why?"}).status_code == 201
    replies = assistant.post(answers, {"text": "It is short."}).json()["replies"]
    assert [(row["by_student"], row["text"]) for row in replies] == [
        (True, "Why?"),
        (False, "It is short."),
    ]
    refused = assistant.post(f"comments/{draft.pk}/answers/", {"text": "See you."})
    assert (refused.status_code, error_of(refused)["code"]) == (422, "comment_gone")


def bank_of(grade: Grade) -> str:
    return f"rubrics/{grade.assignment.rubric_version.rubric.slug}/comments/"


@pytest.mark.parametrize(
    ("sent", "status", "field"),
    [
        ({"text": "Good."}, 400, "label"),
        ({"label": "Short"}, 400, "text"),
        ({"label": " ", "text": "Good."}, 422, "label"),
        ({"label": "Short", "text": "Good.", "points": 5}, 400, "points"),
    ],
)
def test_entry_of_the_bank_that_is_incomplete_is_refused(grade, assistant, sent, status, field):
    answer = assistant.post(bank_of(grade), sent)
    assert (answer.status_code, error_of(answer)["field"]) == (status, field)
    assert assistant.get(bank_of(grade)).json()["results"] == []


def test_staff_save_an_entry_and_comment_from_it(grade, assistant):
    sent = {"label": "Tests", "text": "Add tests.", "criterion": "git_forensics", "points": -1}
    saved = assistant.post(bank_of(grade), sent)
    assert (saved.status_code, saved.json()) == (201, sent | {"id": saved.json()["id"], "uses": 0})
    again = assistant.post(bank_of(grade), sent)
    assert (again.status_code, error_of(again)["field"]) == (422, "label")

    comment = {"text": "Add tests, please.", "banked": saved.json()["id"]}
    assert assistant.post(address_of(grade), comment).status_code == 201
    [entry] = assistant.get(bank_of(grade) + "?q=add").json()["results"]
    assert (entry["label"], entry["uses"]) == ("Tests", 1)
    assert assistant.get(bank_of(grade) + "?q=nothing").json()["results"] == []


def test_entry_of_another_bank_is_no_entry(grade, assistant):
    foreign = BankedCommentFactory.create()
    answer = assistant.post(address_of(grade), {"text": "Good.", "banked": foreign.pk})
    assert (answer.status_code, error_of(answer)["code"]) == (422, "entry_unknown")


def test_drafts_are_released_by_a_teacher_alone(grade, ada, assistant):
    CommentFactory.create(submission=grade.audit.submission)
    release = address_of(grade) + "release/"
    teacher = Program(staff_user(grade.organization), grade.organization.slug)
    student = Program(ada.user, grade.organization.slug)

    assert [program.post(release).status_code for program in (assistant, student)] == [404, 404]
    assert student.get(address_of(grade)).json()["results"] == []

    assert [teacher.post(release).json() for _ in range(2)] == [{"released": 1}, {"released": 0}]
    [comment_row] = student.get(address_of(grade)).json()["results"]
    assert comment_row["released_at"]
