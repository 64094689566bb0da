"""Notes among staff: who writes, changes and withdraws them, and whom a mention reaches."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django_scopes import scope

from grading.core.enums import NoticeKind, Role
from grading.core.errors import StaffNoteRefused
from grading.models import Activity, Audit, Membership, Notice, StaffNote
from grading.staff_threads.actions import MAX_CHARACTERS, change_note, withdraw_note, write_note
from grading.staff_threads.queries import colleagues_of, mentioned_in, thread_of
from tests.factories.graded_work import signed_in
from tests.factories.grades import StaffNoteFactory
from tests.factories.people import MembershipFactory, UserFactory, staff_user
from tests.factories.work import SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture(autouse=True)
def entered(audit: Audit) -> Any:
    with scope(organization=audit.organization):
        yield


def colleague(audit: Audit, address: str, role: Role = Role.ASSISTANT) -> Any:
    made = MembershipFactory.create(
        organization=audit.organization, role=role, user=UserFactory.create(), email=address
    )
    return made.user


def thread_address(audit: Audit) -> str:
    return f"/o/{audit.organization.slug}/submissions/{audit.submission_id}/notes/"


def note_address(note: StaffNote) -> str:
    return f"/o/{note.organization.slug}/notes/{note.pk}/"


@pytest.mark.parametrize(
    ("text", "code"),
    [(" \n ", "text_missing"), ("x" * (MAX_CHARACTERS + 1), "text_too_long")],
)
def test_empty_or_too_long_note_is_refused(audit, text, code):
    with pytest.raises(StaffNoteRefused) as refused:
        write_note(submission=audit.submission, text=text, by=staff_user(audit.organization))
    assert (refused.value.field, refused.value.code) == ("text", code)
    assert (StaffNote.objects.count(), Activity.objects.count()) == (0, 0)


def test_note_of_somebody_else_can_neither_be_changed_nor_withdrawn(audit):
    note = StaffNoteFactory.create(submission=audit.submission)
    other = staff_user(audit.organization)
    with pytest.raises(StaffNoteRefused, match="Only its author"):
        change_note(note=note, text="Mine.", by=other)
    with pytest.raises(StaffNoteRefused, match="Only its author"):
        withdraw_note(note=note, by=other)
    note.refresh_from_db()
    assert (note.text, note.edited_at, note.withdrawn_at) == (
        "Compare with the other section.",
        None,
        None,
    )


def test_withdrawn_note_loses_its_text_and_keeps_its_place(audit):
    author = staff_user(audit.organization)
    note = StaffNoteFactory.create(submission=audit.submission, author=author)
    withdraw_note(note=note, by=author)
    note.refresh_from_db()
    assert (note.text, note.withdrawn_at is not None) == ("", True)
    assert [row.pk for row in thread_of(audit.submission).notes] == [note.pk]
    with pytest.raises(StaffNoteRefused, match="was withdrawn"):
        change_note(note=note, text="Again.", by=author)


def test_database_refuses_an_empty_note_and_a_withdrawn_one_with_text(audit):
    note = StaffNoteFactory.create(submission=audit.submission)
    for change in ({"text": ""}, {"withdrawn_at": note.written_at}):
        with pytest.raises(IntegrityError), transaction.atomic():
            StaffNote.objects.filter(pk=note.pk).update(**change)


def test_log_says_who_wrote_and_not_what(audit):
    author = staff_user(audit.organization)
    note, _ = write_note(submission=audit.submission, text="A secret word.", by=author)
    change_note(note=note, text="Another secret word.", by=author)
    withdraw_note(note=note, by=author)
    rows = Activity.objects.order_by("pk")
    assert [(row.verb, row.actor_id, row.detail) for row in rows] == [
        (f"staff_note.{done}", author.pk, {"attempt": 1})
        for done in ("written", "changed", "withdrawn")
    ]
    assert {row.cohort_id for row in rows} == {audit.submission.assignment.cohort_id}


def test_mention_emails_a_colleague_once_without_the_text(audit):
    author, grace = staff_user(audit.organization), colleague(audit, "grace.h@example.org")
    note, mentioned = write_note(
        submission=audit.submission, text="@Grace.H, is this the copy? @grace.h", by=author
    )
    assert [person.user for person in mentioned] == [grace]
    assert change_note(note=note, text="@grace.h: yes, a copy.", by=author) == []
    (notice,) = Notice.objects.all()
    assert (notice.user_id, notice.kind) == (grace.pk, NoticeKind.MENTIONED)
    assert notice.path == thread_address(audit)
    assert notice.body == "You are mentioned in a staff note on attempt 1 at “The auditor”."
    assert notice.subject == "You are mentioned in a staff note: The auditor"


def test_change_emails_only_those_it_newly_mentions(audit):
    author = staff_user(audit.organization)
    colleague(audit, "grace@example.org")
    alan = colleague(audit, "alan@example.org")
    note, _ = write_note(submission=audit.submission, text="@grace", by=author)
    change_note(note=note, text="@grace and @alan", by=author)
    assert Notice.objects.filter(user=alan).count() == 1
    assert Notice.objects.count() == 2


def test_students_strangers_and_oneself_are_not_mentioned(audit, ada):
    author = colleague(audit, "me@example.org")
    handle = ada.user.email.partition("@")[0]
    text = f"@{handle} @nobody @me @property me@grace.example"
    colleague(audit, "grace.example@example.org")
    assert write_note(submission=audit.submission, text=text, by=author)[1] == []
    assert Notice.objects.count() == 0


def test_two_colleagues_with_the_same_first_part_have_different_handles(audit):
    colleague(audit, "sam@example.org")
    colleague(audit, "sam@example.net")
    colleagues = colleagues_of(audit.submission)
    assert [person.handle for person in colleagues.values()] == ["sam", "sam2"]
    assert [person.address for person in mentioned_in("@sam2.", colleagues)] == ["sam@example.net"]


def test_thread_names_the_notes_on_other_attempts_in_two_queries(
    audit, ada, django_assert_num_queries
):
    second = SubmissionFactory.create(
        assignment=audit.submission.assignment, student=ada, attempt=2
    )
    for work in (audit.submission, second, second):
        StaffNoteFactory.create(submission=work)
    with django_assert_num_queries(2):
        thread = thread_of(audit.submission)
    assert len(thread.notes) == 1
    assert [(other.submission.attempt, other.notes) for other in thread.others] == [(2, 2)]


def test_note_from_the_report_page_returns_there(audit):
    client = signed_in(staff_user(audit.organization))
    report = f"/o/{audit.organization.slug}/audits/{audit.pk}/"
    assert f'name="note-back" value="{report}"' in client.get(report).content.decode()
    sent = {"note-text": "Look at <b>commit</b> 3.", "note-back": report}
    answer = client.post(thread_address(audit), sent)
    assert (answer.status_code, answer["Location"]) == (302, f"{report}#staff-thread")
    html = client.get(report).content.decode()
    assert "Look at &lt;b&gt;commit&lt;/b&gt; 3." in html
    assert "Only staff see this" in html


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example/", "javascript:x", "x"])
def test_note_returns_to_no_other_site(audit, back):
    client = signed_in(staff_user(audit.organization))
    answer = client.post(thread_address(audit), {"note-text": "Look.", "note-back": back})
    assert answer["Location"] == f"{thread_address(audit)}#staff-thread"


def test_refused_note_is_shown_again_beside_its_error(audit):
    client = signed_in(staff_user(audit.organization))
    long = "x" * (MAX_CHARACTERS + 1)
    html = client.post(thread_address(audit), {"note-text": long}).content.decode()
    assert long in html
    assert "at most 4000 characters" in html


def test_htmx_gets_the_thread_alone(audit):
    client = signed_in(staff_user(audit.organization))
    html = client.post(
        thread_address(audit), {"note-text": "Look."}, headers={"HX-Request": "true"}
    ).content.decode()
    assert html.strip().startswith("<section")
    assert "Look." in html


def test_author_changes_a_note_and_a_stale_form_changes_nothing(audit):
    author = staff_user(audit.organization)
    note = StaffNoteFactory.create(submission=audit.submission, author=author)
    client = signed_in(author)
    html = client.get(note_address(note)).content.decode()
    fingerprint = html.split('name="seen" value="')[1].partition('"')[0]
    client.post(note_address(note), {"text": "First.", "seen": fingerprint})
    answer = client.post(note_address(note), {"text": "Second.", "seen": fingerprint})
    assert "This changed since you opened the page" in answer.content.decode()
    assert "Second." in answer.content.decode()
    note.refresh_from_db()
    assert note.text == "First."


def test_author_withdraws_a_note_on_its_page(audit):
    author = staff_user(audit.organization)
    note = StaffNoteFactory.create(submission=audit.submission, author=author)
    html = (
        signed_in(author).post(note_address(note), {"withdraw": "1"}, follow=True).content.decode()
    )
    assert "Note withdrawn." in html
    assert note.text not in html


def test_note_of_a_former_member_stays_without_a_name(audit):
    author = staff_user(audit.organization)
    StaffNoteFactory.create(submission=audit.submission, author=author)
    Membership.objects.filter(user=author).delete()
    client: Client = signed_in(staff_user(audit.organization))
    assert "a former member" in client.get(thread_address(audit)).content.decode()


def test_api_lists_notes_for_staff(audit, teacher):
    author = staff_user(audit.organization)
    StaffNoteFactory.create(submission=audit.submission, author=author)
    answer = teacher.get(f"submissions/{audit.submission_id}/notes/")
    (row,) = answer.json()["results"]
    assert (row["author"], row["text"]) == (author.email, "Compare with the other section.")
