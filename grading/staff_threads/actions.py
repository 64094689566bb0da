"""Writing, changing and withdrawing notes among staff; a mention sends an email without the text."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import NoticeKind
from grading.core.errors import StaffNoteRefused
from grading.core.user_text import required_text
from grading.models import StaffNote, Submission
from grading.notifications.emails import Email, notify_all
from grading.staff_threads.queries import Colleague, colleagues_of, mentioned_in

MAX_CHARACTERS = 4000
MISSING = "Write a note."


def write_note(*, submission: Submission, text: str, by: User) -> tuple[StaffNote, list[Colleague]]:
    """Write a note; return it with the colleagues it mentions.

    Raises StaffNoteRefused: text_missing, text_too_long.
    """
    text = _text(text)
    mentioned = _mentioned(submission, text, by)
    with transaction.atomic():
        note = StaffNote.objects.create(
            organization_id=submission.organization_id, submission=submission, author=by, text=text
        )
        _record(note, by, "staff_note.written")
        _email(submission, mentioned)
    return note, mentioned


def change_note(*, note: StaffNote, text: str, by: User) -> list[Colleague]:
    """Change one's own note; return the colleagues that it mentions and did not before.

    Raises StaffNoteRefused: text_missing, text_too_long, author_differs, note_withdrawn.
    """
    text = _text(text)
    with transaction.atomic():
        current = _lock_own(note, by)
        if current.text == text:
            return []
        before = {colleague.handle for colleague in _mentioned(note.submission, current.text, by)}
        mentioned = [
            colleague
            for colleague in _mentioned(note.submission, text, by)
            if colleague.handle not in before
        ]
        StaffNote.objects.filter(pk=note.pk).update(text=text, edited_at=timezone.now())
        _record(note, by, "staff_note.changed")
        _email(note.submission, mentioned)
    return mentioned


def withdraw_note(*, note: StaffNote, by: User) -> None:
    """Take back one's own note: its text is deleted, its place in the thread stays.

    Raises StaffNoteRefused: author_differs, note_withdrawn.
    """
    with transaction.atomic():
        _lock_own(note, by)
        StaffNote.objects.filter(pk=note.pk).update(text="", withdrawn_at=timezone.now())
        _record(note, by, "staff_note.withdrawn")


def _text(text: str) -> str:
    return required_text(
        text, MAX_CHARACTERS, field="text", missing=MISSING, refused=StaffNoteRefused
    )


def _lock_own(note: StaffNote, by: User) -> StaffNote:
    """Return the note as it is now, locked until the transaction ends."""
    current = StaffNote.objects.select_for_update(no_key=True, of=("self",)).get(pk=note.pk)
    if current.author_id != by.pk:
        raise StaffNoteRefused("", "author_differs", "Only its author can change this note.")
    if current.withdrawn_at is not None:
        raise StaffNoteRefused("", "note_withdrawn", "This note was withdrawn. Write a new one.")
    return current


def _mentioned(submission: Submission, text: str, by: User) -> list[Colleague]:
    mentioned = mentioned_in(text, colleagues_of(submission))
    return [colleague for colleague in mentioned if colleague.user.pk != by.pk]


def _email(submission: Submission, mentioned: list[Colleague]) -> None:
    # Not a word of the note, and no name: it is about a student, and emails are forwarded.
    title = submission.assignment.title
    body = f"You are mentioned in a staff note on attempt {submission.attempt} at “{title}”."
    path = reverse("staff-thread", args=[submission.organization.slug, submission.pk])
    notify_all(
        organization_id=submission.organization_id,
        kind=NoticeKind.MENTIONED,
        emails=[
            Email(colleague.user, f"You are mentioned in a staff note: {title}", body, path)
            for colleague in mentioned
        ],
    )


def _record(note: StaffNote, by: User, verb: str) -> None:
    record_activity(
        organization=note.organization_id,
        actor=by,
        verb=verb,
        about=note,
        attempt=note.submission.attempt,
    )
