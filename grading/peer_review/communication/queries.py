"""Communication log of a student, as one reader may see it.

Under a pairing each side reads the other's entries. In a blind round they are redacted and show
only the day: the hour could reveal who was at work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery

from grading.audits.queries import visible_report
from grading.core.enums import AuditKind, EntryKind
from grading.core.pairing_access import PairingSide, granted_pairings, hides_other_side
from grading.core.team_access import work_of
from grading.engine.report_facts import LogEntry
from grading.models import (
    Assignment,
    Audit,
    CommunicationEntry,
    Enrollment,
    Pairing,
    Submission,
    TeamMember,
)
from grading.peer_review.feedback.edition_keys import hidden_ids, resolved_ids
from grading.peer_review.feedback.queries import identity_of, shown_names
from grading.peer_review.redaction import redacted


@dataclass(frozen=True, slots=True)
class Channel:
    """Pairing that entries are posted under.

    `name` is the other student's as the reader may know it; `audits` is true if the owner of the
    log is the auditor; `hidden` if the reader must not know the other.
    """

    pairing: Pairing
    name: str
    audits: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class Message:
    """Entry as shown. `writer` is empty for the owner of the log, `reader` if only staff read it.

    `moment` is None where only the `day` (UTC) may be known.
    """

    kind: str
    text: str
    day: date
    moment: datetime | None
    writer: str = ""
    reader: str = ""


@dataclass(frozen=True, slots=True)
class FiledLog:
    """Log entries in the repository, from the latest audit that the reader may see."""

    submission: Submission
    entries: tuple[LogEntry, ...]


@dataclass(frozen=True, slots=True)
class LogTally:
    """Student with the number of entries by kind, for the list that staff choose from.

    `team` is the one that they are in, "" for none.
    """

    student: Enrollment
    team: str
    progress: int
    blocker: int
    design: int
    last: datetime | None


def channels_of(
    assignment: Assignment, student: Enrollment, *, is_staff: bool
) -> tuple[Channel, ...]:
    """Return the student's pairings that grant access, for staff all. At most three queries."""
    pairings = Pairing.objects.all() if is_staff else granted_pairings()
    theirs = pairings.filter(Q(auditor=student) | Q(auditee=student), round__assignment=assignment)
    related = theirs.select_related("round__assignment__cohort", "auditor", "auditee")
    # Ordered by random keys: the order of creation could reveal who was paired by staff.
    listed = list(related.order_by("round__number", "pk"))

    names: dict[UUID, str] = {}
    sides: tuple[PairingSide, PairingSide] = ("auditor", "auditee")
    for side in sides:
        own = [p for p in listed if (p.auditor_id == student.pk) is (side == "auditor")]
        if own:
            names |= shown_names(own, side=side, is_staff=is_staff)
    return tuple(_channel(p, names[p.pk], student, is_staff) for p in listed)


def _channel(pairing: Pairing, name: str, student: Enrollment, is_staff: bool) -> Channel:
    audits = pairing.auditor_id == student.pk
    side: PairingSide = "auditor" if audits else "auditee"
    hidden = not is_staff and hides_other_side(pairing.round.anonymity, side)
    return Channel(pairing, name, audits, hidden)


def entries_between(
    assignment: Assignment,
    student: Enrollment,
    channels: Sequence[Channel],
    pairing: UUID | None = None,
) -> QuerySet[CommunicationEntry]:
    """Return entries by and to the student, newest first; of one `pairing` only, if given."""
    written_to_them = Q(pairing__in=[channel.pairing.pk for channel in channels])
    rows = CommunicationEntry.objects.filter(
        Q(student=student) | written_to_them, assignment=assignment
    )
    return rows.filter(pairing=pairing) if pairing else rows


def messages_of(
    rows: Sequence[CommunicationEntry], student: Enrollment, channels: Sequence[Channel]
) -> list[Message]:
    """Return the rows as shown to the reader. Four queries a round if a writer is hidden."""
    by_pairing = {channel.pairing.pk: channel for channel in channels}
    blind = [
        row for row in rows if row.student_id != student.pk and by_pairing[_pairing(row)].hidden
    ]
    redacted_texts: dict[int, str] = {}
    for round_ in {channel.pairing.round for channel in channels}:
        rows_of_round = [
            row for row in blind if by_pairing[_pairing(row)].pairing.round_id == round_.pk
        ]
        if rows_of_round:
            writers = {row.student_id for row in rows_of_round}
            identity = identity_of(round_, reader=student.pk, committers=writers)
            redacted_texts |= {
                row.pk: _with_ids(redacted(row.text, identity), by_pairing[_pairing(row)])
                for row in rows_of_round
            }

    return [_message(row, student, by_pairing, redacted_texts.get(row.pk)) for row in rows]


def _with_ids(text: str, channel: Channel) -> str:
    """Return another's text with the ids of evidence that the reader knows."""
    change = hidden_ids if channel.audits else resolved_ids
    changed: str = change(text, channel.pairing)
    return changed


def _message(
    row: CommunicationEntry,
    student: Enrollment,
    by_pairing: dict[UUID, Channel],
    blind_text: str | None,
) -> Message:
    channel = by_pairing.get(row.pairing_id) if row.pairing_id else None
    is_own = row.student_id == student.pk
    if channel is not None:
        name = channel.name
    else:
        name = "a peer of an ended pairing" if row.pairing_id else ""

    return Message(
        kind=EntryKind(row.kind).label,
        text=row.text if blind_text is None else blind_text,
        day=row.posted_at.date(),
        moment=row.posted_at if blind_text is None else None,
        writer="" if is_own else name,
        reader=name if is_own else "",
    )


def _pairing(row: CommunicationEntry) -> UUID:
    """Return the key of the pairing. Other students' entries are read only under one."""
    if row.pairing_id is None:
        message = f"entry {row.pk} has no pairing and may not be shown to others"
        raise ValueError(message)
    return row.pairing_id


def counts_of(assignment: Assignment, student: Enrollment) -> dict[str, int]:
    """Count the student's entries by kind, with 0 for kinds without one."""
    rows = CommunicationEntry.objects.filter(assignment=assignment, student=student).order_by()
    counts = dict(rows.values_list("kind").annotate(n=Count("pk")))
    return {kind.value: counts.get(kind.value, 0) for kind in EntryKind}


def filed_log(assignment: Assignment, student: Enrollment, *, is_staff: bool) -> FiledLog | None:
    """Return the repository's log by the latest audit.

    None where the reader may see no audit, or the audit could not read the log.
    """
    works = Submission.objects.filter(work_of(assignment, student), assignment=assignment)
    submitted = Audit.objects.filter(submission__in=works)
    audits = (
        submitted.filter(report__isnull=False)
        .exclude(kind=AuditKind.PEER)
        .select_related("submission__assignment")
    )
    audit = audits.defer("report").order_by("-submission__attempt", "-created_at").first()
    audit_report = visible_report(audit, is_staff=is_staff) if audit else None
    if audit is None or audit_report is None:
        return None
    entries = audit_report.report.facts.communication_entries
    return None if entries is None else FiledLog(audit.submission, entries)


def logs_of(assignment: Assignment) -> list[LogTally]:
    """Return every student of the cohort, in the order of the roster. One query."""
    posted = Q(communication__assignment=assignment)
    teams = TeamMember.objects.filter(assignment=assignment, student=OuterRef("pk"), left_at=None)
    students = Enrollment.objects.filter(cohort=assignment.cohort_id).annotate(
        n_progress=Count(
            "communication", filter=posted & Q(communication__kind=EntryKind.PROGRESS)
        ),
        n_blocker=Count("communication", filter=posted & Q(communication__kind=EntryKind.BLOCKER)),
        n_design=Count("communication", filter=posted & Q(communication__kind=EntryKind.DESIGN)),
        last_posted=Max("communication__posted_at", filter=posted),
        team_name=Subquery(teams.values("team__name")[:1]),
    )
    return [
        LogTally(s, s.team_name or "", s.n_progress, s.n_blocker, s.n_design, s.last_posted)
        for s in students
    ]
