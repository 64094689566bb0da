"""Notes among staff on a student's attempts, and the staff members who can be mentioned."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet, Subquery

from grading.core.enums import STAFF_ROLES
from grading.core.team_access import mates_of
from grading.models import Membership, StaffNote, Submission

# Not after a letter, as in an address. Handles hold what the first part of an address may hold.
_MENTION = re.compile(r"(?<![\w.@])@([\w.+-]*\w)")


@dataclass(frozen=True, slots=True)
class Colleague:
    """Staff member as threads name them. `handle` follows the @ of a mention."""

    user: User
    address: str
    handle: str


@dataclass(frozen=True, slots=True)
class OtherThread:
    """Thread on another attempt of the same student, with its number of notes."""

    submission: Submission
    notes: int


@dataclass(frozen=True, slots=True)
class Thread:
    """Notes on one attempt, oldest first, and the threads on the student's other attempts."""

    submission: Submission
    notes: Sequence[StaffNote]
    others: Sequence[OtherThread]
    colleagues: Mapping[int, Colleague]


def thread_of(submission: Submission) -> Thread:
    """Return the staff thread of an attempt. Two queries, for any number of notes and attempts."""
    attempts = StaffNote.objects.filter(
        submission__assignment=submission.assignment_id, submission__student=submission.student_id
    )
    notes = list(attempts.select_related("submission").order_by("written_at", "pk"))
    elsewhere = {
        note.submission_id: note.submission
        for note in notes
        if note.submission_id != submission.pk and note.withdrawn_at is None
    }
    counts = Counter(note.submission_id for note in notes if note.withdrawn_at is None)
    others = [OtherThread(other, counts[key]) for key, other in elsewhere.items()]
    return Thread(
        submission=submission,
        notes=[note for note in notes if note.submission_id == submission.pk],
        others=sorted(others, key=lambda other: other.submission.attempt),
        colleagues=colleagues_of(submission),
    )


def notes_on(submission: Submission) -> QuerySet[StaffNote]:
    """Return the notes on one attempt with `author_address`, null for a former member."""
    authors = Membership.objects.filter(
        organization=OuterRef("organization"), user=OuterRef("author")
    )
    notes = StaffNote.objects.filter(submission=submission)
    return notes.annotate(author_address=Subquery(authors.values("email")[:1]))


def colleagues_of(submission: Submission) -> dict[int, Colleague]:
    """Return the staff who may read the submission's thread, by the key of their account.

    A handle is the first part of the address by which the organization knows a person, with a
    number where several have the same. One query, and one for a team.
    """
    staff = Membership.objects.filter(
        organization=submission.organization_id, role__in=STAFF_ROLES, user__is_active=True
    )
    own = [student.user_id for student in mates_of(submission) if student.user_id]
    members = staff.exclude(user__in=own).select_related("user")

    colleagues: dict[int, Colleague] = {}
    used: Counter[str] = Counter()
    for member in members.order_by("pk"):
        address = member.email or member.user.email
        handle = (address.partition("@")[0] or member.user.get_username()).casefold()
        used[handle] += 1
        if used[handle] > 1:
            handle = f"{handle}{used[handle]}"
        colleagues[member.user_id] = Colleague(member.user, address, handle)
    return colleagues


def mentioned_in(text: str, colleagues: Mapping[int, Colleague]) -> list[Colleague]:
    """Return the mentioned staff, each once, in the order of `colleagues`."""
    handles = {match[1].casefold() for match in _MENTION.finditer(text)}
    return [colleague for colleague in colleagues.values() if colleague.handle in handles]


def parts_of(text: str, colleagues: Mapping[int, Colleague]) -> list[tuple[str, bool]]:
    """Return the text in parts: (words, whether they mention somebody)."""
    handles = {colleague.handle for colleague in colleagues.values()}
    parts, end = [], 0
    for match in _MENTION.finditer(text):
        if match[1].casefold() in handles:
            parts += [(text[end : match.start()], False), (match[0], True)]
            end = match.end()
    return [*parts, (text[end:], False)]
