"""Status of a round: who audits whom, which reports exist and what is still due."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from grading.core.enums import (
    OPEN_STATES,
    REPORTED_STATES,
    AuditKind,
    AuditState,
    FeedbackKind,
    FindingState,
    ResponseKind,
)
from grading.core.key_arrays import IsAmong
from grading.core.team_access import name_in_round, with_team_name
from grading.findings.queries.gone_findings import gone_but_for_withheld, keeps_verdicts
from grading.models import (
    Assignment,
    Audit,
    Cohort,
    Enrollment,
    FeedbackReport,
    Finding,
    FindingResponse,
    FindingSighting,
    Pairing,
    PairingRound,
    RoundMember,
    Submission,
)
from grading.peer_review.rounds.pairing_changes import RoundState

State = Literal["waiting", "owed", "running", "done", "read"]
STATES: dict[State, str] = {
    "waiting": "nothing submitted yet",
    "owed": "due",
    "running": "audit running",
    "done": "received",
    "read": "read",
}
REPORTED: tuple[State, ...] = ("done", "read")


@dataclass(frozen=True, slots=True)
class FirstReport:
    """First report under a pairing: when it arrived and when its subject first opened it."""

    at: datetime
    read_at: datetime | None
    imported: bool


@dataclass(frozen=True, slots=True)
class PairStatus:
    """Pairing that has not ended. `report` is None until one exists."""

    pairing: UUID
    auditor: int
    auditee: int
    state: State
    report: FirstReport | None


@dataclass(frozen=True, slots=True)
class Answers:
    """Counts over the findings that peers made in a student's work in this round.

    `received` all; `settled` answered or gone; `promised` answered “will fix” and still open;
    `fixed` gone; `kinds` current answers in the order of ResponseKind.
    """

    received: int = 0
    settled: int = 0
    promised: int = 0
    fixed: int = 0
    kinds: tuple[int, ...] = (0,) * len(ResponseKind)

    @property
    def due(self) -> int:
        return self.received - self.settled


@dataclass(frozen=True, slots=True)
class MemberRow:
    """Member with the pairings in which they audit (`audits`) and are audited (`audited_by`).

    `own` counts their reports on their own work.
    """

    member: RoundMember
    audits: tuple[PairStatus, ...]
    audited_by: tuple[PairStatus, ...]
    own: int
    answers: Answers = field(default_factory=Answers)

    @property
    def name(self) -> str:
        """Name of the member's team where they represent it, else of the student."""
        return name_in_round(self.member)

    @property
    def generated(self) -> int:
        return sum(pair.state in REPORTED for pair in self.audits)

    @property
    def received(self) -> int:
        return sum(pair.state in REPORTED for pair in self.audited_by)

    @property
    def due(self) -> int:
        """Number of reports that could be written now: none where nothing was submitted."""
        return (
            sum(pair.state == "owed" for pair in self.audits) if self.member.left_at is None else 0
        )

    @property
    def has_due(self) -> bool:
        return self.member.left_at is None and bool(
            self.due or self.answers.due or self.answers.promised
        )


@dataclass(frozen=True, slots=True)
class Matrix:
    """All members of a round in the order of the circle, including those who left."""

    round: PairingRound
    rows: tuple[MemberRow, ...]

    @property
    def pairs(self) -> tuple[PairStatus, ...]:
        return tuple(pair for row in self.rows for pair in row.audits)


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures on participation, timeliness and exchange.

    `median_time` runs from the start of the round to a report.
    """

    members: int
    left: int
    finished: int
    inactive: int
    expected: int
    reports: int
    late: int
    read: int
    imported: int
    median_time: timedelta | None
    findings: int
    settled: int
    answers: dict[ResponseKind, int]
    fixed: int


def matrix_of(round: PairingRound) -> Matrix:
    """Return the matrix in seven queries; two more where verdicts wait for their release."""
    rows = RoundMember.objects.filter(round=round).select_related("student__user")
    members = list(with_team_name(rows, round.assignment_id, "student"))
    pairs = _pairs(round)
    audits, audited_by = (
        defaultdict[int, list[PairStatus]](list),
        defaultdict[int, list[PairStatus]](list),
    )
    for pair in pairs:
        audits[pair.auditor].append(pair)
        audited_by[pair.auditee].append(pair)

    own, answers = _own_reports(round), _answers(round)
    return Matrix(
        round=round,
        rows=tuple(
            MemberRow(
                member=member,
                audits=tuple(audits[member.student_id]),
                audited_by=tuple(audited_by[member.student_id]),
                own=own[member.student_id],
                answers=answers.get(member.student_id, Answers()),
            )
            for member in members
        ),
    )


def figures_of(matrix: Matrix) -> Figures:
    """Return the figures of a matrix. No query."""
    present = [row for row in matrix.rows if row.member.left_at is None]
    reports = [pair.report for pair in matrix.pairs if pair.report is not None]
    durations = sorted(report.at - matrix.round.starts_at for report in reports)

    return Figures(
        members=len(present),
        left=len(matrix.rows) - len(present),
        # A member with nobody to audit is neither finished nor inactive.
        finished=sum(bool(row.audits) and row.generated == len(row.audits) for row in present),
        inactive=sum(bool(row.audits) and row.generated == 0 for row in present),
        expected=len(matrix.pairs),
        reports=len(reports),
        late=sum(report.at > matrix.round.ends_at for report in reports),
        read=sum(report.read_at is not None for report in reports),
        imported=sum(report.imported for report in reports),
        # The upper of the two middle times where their number is even.
        median_time=durations[len(durations) // 2] if durations else None,
        findings=sum(row.answers.received for row in matrix.rows),
        settled=sum(row.answers.settled for row in matrix.rows),
        answers={
            kind: sum(row.answers.kinds[index] for row in matrix.rows)
            for index, kind in enumerate(ResponseKind)
        },
        fixed=sum(row.answers.fixed for row in matrix.rows),
    )


def students_outside(round: PairingRound) -> int:
    """Count the students of the cohort who do not take part, or no longer do."""
    inside = RoundMember.objects.filter(round=round, left_at=None)
    enrolled = Enrollment.objects.filter(cohort=round.assignment.cohort_id)
    return enrolled.exclude(pk__in=inside.values("student")).count()


def received_in(round: PairingRound) -> QuerySet[Finding]:
    """Return the findings of the reports that exist under the round's pairings."""
    active = Pairing.objects.filter(round=round, ended_at=None)
    reports = FeedbackReport.objects.filter(pairing__in=active)
    sightings = FindingSighting.objects.filter(
        Q(IsAmong("report", reports.values("pk")))
        | Q(IsAmong("audit", reports.filter(audit__isnull=False).values("audit"))),
        present=True,
    )
    return Finding.objects.filter(pk__in=sightings.values("finding")).order_by()


def _pairs(round: PairingRound) -> list[PairStatus]:
    active = Pairing.objects.filter(round=round, ended_at=None)
    reports, running = _reports(active)

    # Without a known commit there is nothing that a peer could audit.
    submitted = set(
        Submission.objects.filter(
            assignment=round.assignment_id, student__in=active.values("auditee")
        )
        .exclude(resolved_commit="")
        .values_list("student", flat=True)
    )
    return [
        PairStatus(
            pairing=pairing.pk,
            auditor=pairing.auditor_id,
            auditee=pairing.auditee_id,
            state=_state(
                reports.get(pairing.pk),
                running=pairing.pk in running,
                has_work=pairing.auditee_id in submitted,
            ),
            report=reports.get(pairing.pk),
        )
        for pairing in active.order_by("created_at", "pk")
    ]


def _state(report: FirstReport | None, *, running: bool, has_work: bool) -> State:
    # A report wins over a running audit: a second audit does not undo the first report.
    if report is not None:
        return "read" if report.read_at else "done"
    if running:
        return "running"
    return "owed" if has_work else "waiting"


def _reports(active: QuerySet[Pairing]) -> tuple[dict[UUID, FirstReport], set[UUID]]:
    """Return the first report of each pairing, and the pairings whose audit runs."""
    first_reports: dict[UUID, FirstReport] = {}
    running: set[UUID] = set()
    rows = FeedbackReport.objects.filter(pairing__in=active).order_by("-created_at", "pk")
    for pairing, audit, state, ended, created, read in rows.values_list(
        "pairing", "audit", "audit__state", "audit__finished_at", "created_at", "read_at"
    ):
        if audit is None or state in REPORTED_STATES:
            # Rows come newest first: the report that stays at the end is the first one.
            earlier = first_reports.get(pairing)
            # Reading a later report counts too; the earliest reading is kept.
            read_times = [at for at in (read, earlier.read_at if earlier else None) if at]
            first_reports[pairing] = FirstReport(
                ended or created, min(read_times, default=None), imported=audit is None
            )
        elif state in OPEN_STATES:
            running.add(pairing)
    return first_reports, running


def _own_reports(round: PairingRound) -> Counter[int]:
    """Count, by student, audits of their own submissions and imported reports on their own work."""
    platform_reports = Audit.objects.filter(
        submission__assignment=round.assignment_id, kind=AuditKind.SELF, state__in=REPORTED_STATES
    )
    imported_reports = FeedbackReport.objects.filter(
        assignment=round.assignment_id, kind=FeedbackKind.SELF
    )
    counted: Counter[int] = Counter(dict(_counts_by(platform_reports, "submission__student")))

    return counted + Counter(dict(_counts_by(imported_reports, "subject")))


def _counts_by(
    rows: QuerySet[Audit] | QuerySet[FeedbackReport], field: str
) -> list[tuple[int, int]]:
    return list(rows.order_by().values_list(field).annotate(count=Count("pk")))


def _answers(round: PairingRound) -> dict[int, Answers]:
    """Return the answers by student; emails are counted by them too.

    A finding that is gone only by a withheld verdict still needs an answer.
    """
    active = FindingResponse.objects.filter(finding=OuterRef("pk"), replaced_at=None).values("kind")
    gone, received = Q(state=FindingState.FIXED), received_in(round)
    if keeps_verdicts(round.assignment):
        # A withheld verdict must not show, not even in a count.
        gone = Q(pk__in=gone_but_for_withheld(received.values("pk")))
    counted = (
        received.annotate(answer=Subquery(active[:1]))
        .values("student")
        .annotate(
            received=Count("pk"),
            settled=Count("pk", filter=Q(answer__isnull=False) | gone),
            promised=Count("pk", filter=Q(answer=ResponseKind.WILL_FIX) & ~gone),
            fixed=Count("pk", filter=Q(state=FindingState.FIXED)),
            **{f"answered_{kind}": Count("pk", filter=Q(answer=kind)) for kind in ResponseKind},
        )
    )

    by_kind = [f"answered_{kind}" for kind in ResponseKind]
    rows: Any = counted.values_list("student", "received", "settled", "promised", "fixed", *by_kind)
    return {
        student: Answers(received, settled, promised, fixed, tuple(kinds))
        for student, received, settled, promised, fixed, *kinds in rows
    }


def round_state_of(round: PairingRound) -> RoundState:
    """Return the present state in three queries.

    A pair counts as finished as soon as its audit has been started.
    """
    members = list(
        RoundMember.objects.filter(round=round).values_list("student", "student__group", "left_at")
    )
    active = Pairing.objects.filter(round=round, ended_at=None)
    pairs = {
        key: (auditor, auditee)
        for key, auditor, auditee in active.values_list("pk", "auditor", "auditee")
    }

    started = FeedbackReport.objects.filter(
        # A failed audit leaves the pair free again.
        Q(audit=None) | ~Q(audit__state=AuditState.FAILED),
        pairing__in=active,
    )
    return RoundState(
        members=frozenset(student for student, _group, left_at in members if left_at is None),
        pairs=frozenset(pairs.values()),
        finished=frozenset(
            pairs[key] for key in set(started.values_list("pairing", flat=True)) & pairs.keys()
        ),
        k=round.peers,
        groups={student: group for student, group, _left_at in members},
    )


@dataclass(frozen=True, slots=True)
class RoundLine:
    """Round with its present students and active pairs.

    `reported` of the pairs have a report; of `opened` the subject has read it.
    """

    round: PairingRound
    students: int
    pairs: int
    reported: int
    opened: int


def rounds_by_assignment(cohort: Cohort) -> list[tuple[Assignment, list[RoundLine]]]:
    """Return every assignment with its rounds, newest first. Five queries."""
    assignments = list(
        Assignment.objects.filter(cohort=cohort).select_related("organization", "cohort")
    )
    rounds = list(PairingRound.objects.filter(assignment__in=assignments).order_by("-number"))
    keys = [peer_round.pk for peer_round in rounds]
    members = RoundMember.objects.filter(round__in=keys, left_at=None).order_by()
    pairs = Pairing.objects.filter(round__in=keys, ended_at=None).order_by()
    students = dict(members.values_list("round").annotate(count=Count("pk")))
    active = dict(pairs.values_list("round").annotate(count=Count("pk")))

    reported = _reported(keys)
    lines = [
        RoundLine(
            peer_round,
            students.get(peer_round.pk, 0),
            active.get(peer_round.pk, 0),
            *reported.get(peer_round.pk, (0, 0)),
        )
        for peer_round in rounds
    ]
    return [
        (
            assignment,
            [line for line in lines if line.round.assignment_id == assignment.pk],
        )
        for assignment in assignments
    ]


def _reported(rounds: list[int]) -> Mapping[int, tuple[int, int]]:
    """Return, by round, the active pairs with a report and those with an opened one."""
    is_complete = Q(audit=None) | Q(audit__state__in=REPORTED_STATES)
    reports = FeedbackReport.objects.filter(
        is_complete, pairing__round__in=rounds, pairing__ended_at=None
    )

    rows = (
        reports.order_by()
        .values_list("pairing__round")
        .annotate(
            reported=Count("pairing", distinct=True),
            opened=Count("pairing", distinct=True, filter=Q(read_at__isnull=False)),
        )
    )
    return {key: (reported, opened) for key, reported, opened in rows}
