"""Posting to a student's communication log.

Staff read every entry; an entry under a pairing is read by the peer too.
"""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import EntryKind
from grading.core.errors import EntryRefused
from grading.core.pairing_access import is_granted
from grading.core.user_text import normalized, refuse_too_long
from grading.models import Assignment, CommunicationEntry, Enrollment, Pairing

MAX_CHARACTERS = 2000
MAX_PER_DAY = 50
DUPLICATE_WINDOW = timedelta(minutes=1)
WHOLE_FORM = ""


def post_entry(
    *,
    assignment: Assignment,
    student: Enrollment,
    kind: str,
    text: str,
    by: User,
    pairing: Pairing | None = None,
) -> CommunicationEntry:
    """Post an entry; the same again within a minute returns the first (a second click).

    `pairing` needs its round, assignment and cohort. Raises EntryRefused: not_yours, cohort_over,
    kind_unknown, text_missing, text_too_long, pairing_not_open, too_many_today.
    """
    text = normalized(text)
    _refuse_if_not_writable(assignment, student, by)
    _refuse_invalid(kind, text)
    if pairing is not None:
        _refuse_pairing(pairing, assignment, student)

    with transaction.atomic():
        # Two clicks wait for each other, so the second sees the first entry.
        Enrollment.objects.select_for_update(no_key=True).get(pk=student.pk)
        entries = CommunicationEntry.objects.filter(assignment=assignment, student=student)
        now = timezone.now()

        duplicate = entries.filter(
            kind=kind, text=text, pairing=pairing, posted_at__gte=now - DUPLICATE_WINDOW
        ).first()
        if duplicate is not None:
            return duplicate
        if entries.filter(posted_at__gte=now - timedelta(days=1)).count() >= MAX_PER_DAY:
            sentence = f"The limit is {MAX_PER_DAY} entries in 24 hours."
            raise EntryRefused(WHOLE_FORM, "too_many_today", sentence)
        return _create_entry(assignment, student, EntryKind(kind), text, pairing, by)


def _create_entry(
    assignment: Assignment,
    student: Enrollment,
    kind: EntryKind,
    text: str,
    pairing: Pairing | None,
    by: User,
) -> CommunicationEntry:
    entry = CommunicationEntry.objects.create(
        organization_id=assignment.organization_id,
        assignment=assignment,
        student=student,
        pairing=pairing,
        kind=kind,
        text=text,
    )
    record_activity(
        organization=assignment.organization_id,
        actor=by,
        verb="communication.posted",
        about=entry,
        kind=kind.label.lower(),
        # No name: the Activity log outlives the cohort.
        reader="a peer" if pairing else "",
    )
    return entry


def _refuse_if_not_writable(assignment: Assignment, student: Enrollment, by: User) -> None:
    if student.user_id != by.pk or student.cohort_id != assignment.cohort_id:
        raise EntryRefused(
            WHOLE_FORM, "not_yours", "Only its owner can write in a communication log."
        )
    last_day = assignment.cohort.ends_on
    if last_day is not None and last_day < timezone.now().date():
        sentence = f"The cohort ended on {last_day:%d %B %Y}: the log can no longer be changed."
        raise EntryRefused(WHOLE_FORM, "cohort_over", sentence)


def _refuse_invalid(kind: str, text: str) -> None:
    if kind not in EntryKind.values:
        raise EntryRefused("kind", "kind_unknown", "Choose a kind of entry.")
    if not text:
        raise EntryRefused("text", "text_missing", "Write an entry.")
    refuse_too_long(text, MAX_CHARACTERS, field="text", refused=EntryRefused)


def _refuse_pairing(pairing: Pairing, assignment: Assignment, student: Enrollment) -> None:
    sides = (pairing.auditor_id, pairing.auditee_id)
    if (
        student.pk not in sides
        or pairing.round.assignment_id != assignment.pk
        or not is_granted(pairing)
    ):
        sentence = "Choose a running pairing of this assignment that you take part in."
        raise EntryRefused("pairing", "pairing_not_open", sentence)
