"""Pages of comments: who reads them, and writing without JavaScript."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_scopes import scope

from grading.core.enums import AuditKind, ReleasePolicy, Role
from grading.models import BankedComment, Comment, Enrollment, Grade, Opening
from tests.factories.comments import BankedCommentFactory, CommentFactory, CommentReplyFactory
from tests.factories.graded_work import graded, page_of_audit, signed_in
from tests.factories.people import everywhere, staff_user, student
from tests.factories.work import AuditFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def grade(assignment: Any, ada: Enrollment) -> Grade:
    return graded(assignment, ada)


@pytest.fixture
def staff(assignment: Any) -> User:
    return staff_user(assignment.organization)


def content(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def test_criterion_shows_its_comments_and_a_link_to_write_one(grade, ada, staff):
    CommentFactory.create(
        submission=grade.audit.submission,
        place="criterion",
        criterion_id="git_forensics",
        criterion_name="Git forensics",
        text="Squash less.",
    )
    address = page_of_audit(grade.audit)
    page = content(signed_in(staff), address)
    assert (page.count("Squash less."), page.count(">Write a comment<")) == (1, 2)
    assert "Squash less." not in content(signed_in(ada.user), address)
    assert "Write a comment" not in content(signed_in(ada.user), address)


def test_peers_audit_shows_no_comments(grade, staff):
    CommentFactory.create(submission=grade.audit.submission, text="Squash less.")
    peer = AuditFactory.create(
        submission=grade.audit.submission,
        kind=AuditKind.PEER,
        done=True,
        report=grade.audit.report,
    )
    client = signed_in(staff)
    assert "Squash less." not in content(client, page_of_audit(peer))
    assert client.get(page_of_audit(peer, "comments")).status_code == 404


def test_comment_is_written_without_javascript_from_the_bank(grade, staff):
    rubric = grade.audit.rubric_version.rubric
    entry = BankedCommentFactory.create(
        rubric=rubric, criterion_id="git_forensics", label="Squash", text="Less.", points=-2
    )
    BankedCommentFactory.create(rubric=rubric, label="Squashed", text="Fine.", uses=9)
    BankedCommentFactory.create(rubric=rubric, label="Squash it", criterion_id="another")
    client = signed_in(staff)
    address = f"{page_of_audit(grade.audit, 'comment-new')}?criterion=git_forensics"

    searched = client.post(address, {"text": "So:", "find": "squ", "search": "1"})
    page = searched.content.decode()
    # The same criterion's comes first, then the most used; another criterion's does not fit.
    assert page.index(">Squash (-2)<") < page.index(">Squashed<")
    assert "Squash it" not in page
    inserted = client.post(address, {"text": "So:", "choice": entry.pk, "insert": "1"})
    assert "So:\n\nLess." in inserted.content.decode()

    saved = client.post(address, {"text": "So:\n\nLess.", "banked": entry.pk}, follow=True)
    assert 'proposes 1 of 5 for Git forensics. <a href="' in saved.content.decode()
    with everywhere():
        comment = Comment.objects.get()
        assert (comment.banked, BankedComment.objects.get(pk=entry.pk).uses) == (entry, 1)
        assert grade.audit.submission.overrides.count() == 0
    override = page_of_audit(grade.audit, "override", 0)
    assert 'value="2" selected' in content(client, f"{override}?score=2")


def test_draft_is_edited_by_its_author_and_teachers_only(grade, assignment):
    author, other = (staff_user(assignment.organization, Role.ASSISTANT) for _ in range(2))
    comment = CommentFactory.create(submission=grade.audit.submission, author=author)
    address = f"/o/{assignment.organization.slug}/comments/{comment.pk}/"
    sent = {"do": "save", "text": "Other words."}
    assert signed_in(other).post(address, sent).status_code == 404
    assert signed_in(author).post(address, sent).status_code == 302
    with everywhere():
        assert Comment.objects.get().text == "Other words."


def test_edit_of_words_that_changed_meanwhile_is_refused_once(grade, staff):
    comment = CommentFactory.create(submission=grade.audit.submission)
    address = f"/o/{grade.organization.slug}/comments/{comment.pk}/"
    sent = {"do": "save", "text": "Mine.", "seen": "0" * 32}
    answer = signed_in(staff).post(address, sent).content.decode()
    assert "This changed since you opened the page." in answer
    assert "Mine." in answer
    with everywhere():
        assert Comment.objects.get().text == "Well built."


def test_student_answers_in_place_and_the_list_marks_comments_as_read(grade, ada, staff):
    comment = CommentFactory.create(submission=grade.audit.submission, released=True)
    client, slug = signed_in(ada.user), grade.organization.slug
    page = content(client, page_of_audit(grade.audit, "comments"))
    assert ">new<" in page
    with everywhere():
        assert Opening.objects.get(kind="comments").about == str(grade.audit.submission_id)
    assert ">new<" not in content(client, page_of_audit(grade.audit, "comments"))

    address = f"/o/{slug}/comments/{comment.pk}/"
    fragment = client.post(
        address, {"do": "answer", "answer": "<b>Why?"}, headers={"HX-Request": "true"}
    ).content.decode()
    assert "&lt;b&gt;Why?" in fragment
    assert "<html" not in fragment
    assert client.post(address, {"do": "withdraw"}).status_code == 404
    inbox = content(signed_in(staff), f"/o/{slug}/comments/")
    assert "Ada" in inbox
    assert "1 answer" in inbox


def test_another_student_and_a_withdrawn_comment_are_missing(grade, ada, assignment):
    comment = CommentFactory.create(submission=grade.audit.submission, released=True)
    address = f"/o/{grade.organization.slug}/comments/{comment.pk}/"
    other = student(assignment.cohort).user
    assert signed_in(other).get(address).status_code == 404
    with scope(organization=grade.organization):
        Comment.objects.update(withdrawn_at=comment.released_at)
    assert signed_in(ada.user).get(address).status_code == 404


def test_unknown_verb_and_characters_that_no_text_holds_are_no_error_of_the_site(grade, staff):
    comment = CommentFactory.create(submission=grade.audit.submission, released=True)
    client, slug = signed_in(staff), grade.organization.slug
    unknown = client.post(f"/o/{slug}/comments/{comment.pk}/", {"do": "burn"})
    bank = f"/o/{slug}/rubrics/{grade.audit.rubric_version.rubric.slug}/comments/matches/"
    searches = [
        client.get(bank, {"q": "a\0b"}),
        client.get(bank, {"criterion": "\0"}),
        client.post(page_of_audit(grade.audit, "comment-new"), {"find": "\0", "search": "1"}),
    ]
    statuses = [answer.status_code for answer in searches]
    assert (unknown.status_code, statuses) == (404, [200, 200, 200])


def test_bank_is_searched_filled_from_a_comment_and_archived(grade, staff):
    rubric, client = grade.audit.rubric_version.rubric, signed_in(staff)
    comment = CommentFactory.create(submission=grade.audit.submission, text="Name the state.")
    address = f"/o/{grade.organization.slug}/rubrics/{rubric.slug}/comments/"
    assert "Name the state." in content(client, f"{address}?from={comment.pk}")
    entry = {"label": "Names", "text": "Name the state.", "points": "-1", "criterion_id": "tidy"}
    assert client.post(address, entry).status_code == 302
    taken = client.post(address, entry).content.decode()
    assert "has an entry with this name" in taken
    with everywhere():
        saved = BankedComment.objects.get()
    assert (saved.points, saved.criterion_id, saved.author) == (-1, "tidy", staff)
    assert 'data-points="-1"' in content(client, f"{address}matches/?q=NAME&criterion=tidy")
    assert client.post(f"{address}{saved.pk}/", {"archive": "1"}).status_code == 302
    assert "Names" not in content(client, f"{address}matches/?q=name")
    assert "Names" in content(client, f"{address}?archived=on")


def test_replies_stand_under_their_comment(grade, ada):
    comment = CommentFactory.create(submission=grade.audit.submission, released=True)
    CommentReplyFactory.create(comment=comment, text="First.")
    CommentReplyFactory.create(comment=comment, text="Second.", by_student=False)
    page = content(signed_in(ada.user), page_of_audit(grade.audit, "comments"))
    assert page.index("Well built.") < page.index("First.") < page.index("Second.")


def test_student_reaches_released_comments_while_the_verdict_is_withheld(grade, ada):
    CommentFactory.create(submission=grade.audit.submission)
    with everywhere():
        type(grade.audit.submission.assignment).objects.update(
            release_policy=ReleasePolicy.AFTER_RELEASE
        )
    client, link = signed_in(ada.user), page_of_audit(grade.audit, "comments")
    page = content(client, page_of_audit(grade.audit))
    assert ("Your work was judged" in page, link in page) == (True, False)
    CommentFactory.create(submission=grade.audit.submission, released=True)
    assert "Read the comments on your work\n    (1, 1 new)" in content(
        client, page_of_audit(grade.audit)
    )
