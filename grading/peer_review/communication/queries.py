"""A student's communication log as one reader may see it: entries of the site, and those of the repository's log.

Under a pairing each side reads what the other wrote to it. Whoever must not know the other reads it without whatever
tells who wrote it, and with the day alone: the hour would tell who was at work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet

from grading.audits.queries import visible_report
from grading.core.enums import AuditKind, EntryKind
from grading.core.pairing_access import PairingSide, granted_pairings, hides_the_other
from grading.engine.report import LogEntry
from grading.models import Assignment, Audit, CommunicationEntry, Enrollment, Pairing, Submission
from grading.peer_review.feedback.queries import identity_of, shown_names
from grading.peer_review.redaction import redacted


@dataclass(frozen=True, slots=True)
class Channel:
    """A pairing that entries are written under. `name` is the other's as the reader may know it; `audits`: the log's
    owner is who audits."""

    pairing: Pairing
    name: str
    audits: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class Message:
    """One entry. `writer` is empty for the log's owner, `reader` where only the staff read it beside them.

    `moment` is null where only the `day` (UTC) is told.
    """

    kind: str
    text: str
    day: date
    moment: datetime | None
    writer: str = ""
    reader: str = ""


@dataclass(frozen=True, slots=True)
class FiledLog:
    """What the latest audit that the reader may see found in the repository."""

    submission: Submission
    entries: tuple[LogEntry, ...]


@dataclass(frozen=True, slots=True)
class LogTally:
    """A student with how many entries they posted, for the list that staff choose from."""

    student: Enrollment
    progress: int
    blocker: int
    design: int
    last: datetime | None


def channels_of(
    assignment: Assignment, student: Enrollment, *, is_staff: bool
) -> tuple[Channel, ...]:
    """The student's pairings of the assignment: those that grant something, for staff all. Three queries at most."""
    pairings = Pairing.objects.all() if is_staff else granted_pairings()
    theirs = pairings.filter(Q(auditor=student) | Q(auditee=student), round__assignment=assignment)
    related = theirs.select_related("round__assignment__cohort", "auditor", "auditee")
    # By their random keys: in the order in which they were made, a change by hand would show the roster's order.
    listed = list(related.order_by("round__number", "pk"))
    names: dict[UUID, str] = {}
    sides: tuple[PairingSide, PairingSide] = ("auditor", "auditee")
    for side in sides:
        own = [each for each in listed if (each.auditor_id == student.pk) is (side == "auditor")]
        if is_staff:
            names |= {p.pk: str(p.auditee if side == "auditor" else p.auditor) for p in own}
        elif own:
            names |= shown_names(own, side=side)
    return tuple(_channel(each, names[each.pk], student, is_staff) for each in listed)


def _channel(pairing: Pairing, name: str, student: Enrollment, is_staff: bool) -> Channel:
    audits = pairing.auditor_id == student.pk
    side: PairingSide = "auditor" if audits else "auditee"
    hidden = not is_staff and hides_the_other(pairing.round.anonymity, side)
    return Channel(pairing, name, audits, hidden)


def entries_between(
    assignment: Assignment,
    student: Enrollment,
    channels: Sequence[Channel],
    pairing: UUID | None = None,
) -> QuerySet[CommunicationEntry]:
    """What the student wrote, and what was written to them, newest first; of one pairing alone if it is named."""
    written_to_them = Q(pairing__in=[channel.pairing.pk for channel in channels])
    rows = CommunicationEntry.objects.filter(
        Q(student=student) | written_to_them, assignment=assignment
    )
    return rows.filter(pairing=pairing) if pairing else rows


def messages_of(
    rows: Sequence[CommunicationEntry], student: Enrollment, channels: Sequence[Channel]
) -> list[Message]:
    """Each row as it may be read; three queries where somebody must not be known, else none."""
    known = {channel.pairing.pk: channel for channel in channels}
    blind = [row for row in rows if row.student_id != student.pk and known[_pairing(row)].hidden]
    writers = {row.student_id for row in blind}
    texts = (
        redacted([row.text for row in blind], identity_of(student.cohort_id, signing=writers))
        if blind
        else []
    )
    said: dict[int, str] = {row.pk: text for row, text in zip(blind, texts, strict=True)}
    return [_message(row, student, known, said.get(row.pk)) for row in rows]


def _message(
    row: CommunicationEntry, student: Enrollment, known: dict[UUID, Channel], blind_text: str | None
) -> Message:
    channel = known.get(row.pairing_id) if row.pairing_id else None
    is_own = row.student_id == student.pk
    name = (
        channel.name if channel else "a peer of a pairing that has ended" if row.pairing_id else ""
    )
    return Message(
        kind=EntryKind(row.kind).label,
        text=row.text if blind_text is None else blind_text,
        day=row.posted_at.date(),
        moment=row.posted_at if blind_text is None else None,
        writer="" if is_own else name,
        reader=name if is_own else "",
    )


def _pairing(row: CommunicationEntry) -> UUID:
    """Only under a pairing does anybody read what others wrote."""
    if row.pairing_id is None:
        message = f"entry {row.pk} is nobody else's to read"
        raise ValueError(message)
    return row.pairing_id


def counts_of(assignment: Assignment, student: Enrollment) -> dict[str, int]:
    """How many entries the student posted, by kind; every kind is there."""
    rows = CommunicationEntry.objects.filter(assignment=assignment, student=student).order_by()
    found = dict(rows.values_list("kind").annotate(n=Count("pk")))
    return {kind.value: found.get(kind.value, 0) for kind in EntryKind}


def filed_log(assignment: Assignment, student: Enrollment, *, is_staff: bool) -> FiledLog | None:
    """The repository's log by the latest audit; null where there is none that the reader may see, or it could not tell."""
    theirs = Audit.objects.filter(submission__assignment=assignment, submission__student=student)
    told = (
        theirs.filter(report__isnull=False)
        .exclude(kind=AuditKind.PEER)
        .select_related("submission__assignment")
    )
    audit = told.defer("report").order_by("-submission__attempt", "-created_at").first()
    edition = visible_report(audit, is_staff=is_staff) if audit else None
    if audit is None or edition is None:
        return None
    entries = edition.report.facts.communication_entries
    return None if entries is None else FiledLog(audit.submission, entries)


def logs_of(assignment: Assignment) -> list[LogTally]:
    """Everybody of the cohort, in the roster's order. One query."""
    here = Q(communication__assignment=assignment)
    students = Enrollment.objects.filter(cohort=assignment.cohort_id).annotate(
        n_progress=Count("communication", filter=here & Q(communication__kind=EntryKind.PROGRESS)),
        n_blocker=Count("communication", filter=here & Q(communication__kind=EntryKind.BLOCKER)),
        n_design=Count("communication", filter=here & Q(communication__kind=EntryKind.DESIGN)),
        last_posted=Max("communication__posted_at", filter=here),
    )
    return [LogTally(s, s.n_progress, s.n_blocker, s.n_design, s.last_posted) for s in students]
