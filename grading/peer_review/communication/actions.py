"""Posting to a student's communication log: for themselves and the staff, and under a pairing for the peer as well."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.core.activity import record_activity
from grading.core.enums import EntryKind
from grading.core.errors import EntryRefused
from grading.core.pairing_access import is_granted
from grading.core.user_text import refuse_longer, typed
from grading.models import Assignment, CommunicationEntry, Enrollment, Pairing

MOST_CHARACTERS = 2000
MOST_A_DAY = 50
SECOND_CLICK = timedelta(minutes=1)
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
    """One entry; the same once more within a minute is a second click, and the first is given back.

    `pairing` needs its round, assignment and cohort. Raises EntryRefused: not_yours, cohort_over, kind_unknown,
    text_missing, text_too_long, pairing_not_open, too_many_today.
    """
    text = typed(text)
    _refuse_others(assignment, student, by)
    _refuse_unfit(kind, text)
    if pairing is not None:
        _refuse_pairing(pairing, assignment, student)
    with transaction.atomic():
        Enrollment.objects.select_for_update(no_key=True).get(
            pk=student.pk
        )  # two clicks wait for each other
        theirs = CommunicationEntry.objects.filter(assignment=assignment, student=student)
        now = timezone.now()
        clicked = theirs.filter(
            kind=kind, text=text, pairing=pairing, posted_at__gte=now - SECOND_CLICK
        ).first()
        if clicked is not None:
            return clicked
        if theirs.filter(posted_at__gte=now - timedelta(days=1)).count() >= MOST_A_DAY:
            sentence = f"At most {MOST_A_DAY} entries are taken in 24 hours."
            raise EntryRefused(WHOLE_FORM, "too_many_today", sentence)
        return _posted(assignment, student, EntryKind(kind), text, pairing, by)


def _posted(
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
        reader="a peer" if pairing else "",
    )
    return entry


def _refuse_others(assignment: Assignment, student: Enrollment, by: User) -> None:
    if student.user_id != by.pk or student.cohort_id != assignment.cohort_id:
        raise EntryRefused(WHOLE_FORM, "not_yours", "Only its owner writes in a communication log.")
    last_day = assignment.cohort.ends_on
    if last_day is not None and last_day < timezone.now().date():
        sentence = f"The cohort ended on {last_day:%d %B %Y}: the log stays as it is."
        raise EntryRefused(WHOLE_FORM, "cohort_over", sentence)


def _refuse_unfit(kind: str, text: str) -> None:
    if kind not in EntryKind.values:
        raise EntryRefused("kind", "kind_unknown", "Choose what the entry tells of.")
    if not text:
        raise EntryRefused("text", "text_missing", "Write what there is to tell.")
    refuse_longer(text, MOST_CHARACTERS, field="text", refused=EntryRefused)


def _refuse_pairing(pairing: Pairing, assignment: Assignment, student: Enrollment) -> None:
    sides = (pairing.auditor_id, pairing.auditee_id)
    if (
        student.pk not in sides
        or pairing.round.assignment_id != assignment.pk
        or not is_granted(pairing)
    ):
        sentence = (
            "You share no running pairing of this assignment that this could be written under."
        )
        raise EntryRefused("pairing", "pairing_not_open", sentence)
