"""A round of peers at a glance: who audits whom, what is there of it, and what is still owed."""

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
from grading.findings.queries import gone_but_for_withheld, keeps_verdicts
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
from grading.peer_review.rounds.pairing_changes import Board

State = Literal["waiting", "owed", "running", "done", "read"]
STATES: dict[State, str] = {
    "waiting": "nothing handed in to audit",
    "owed": "owed",
    "running": "being audited",
    "done": "arrived",
    "read": "read",
}
THERE: tuple[State, ...] = ("done", "read")


@dataclass(frozen=True, slots=True)
class Written:
    """The first report under a pairing: when it was there, when its subject first opened it, and whence it is."""

    at: datetime
    read_at: datetime | None
    imported: bool


@dataclass(frozen=True, slots=True)
class Paired:
    """One pairing of the round that has not ended. `report` is null until there is one."""

    pairing: UUID
    auditor: int
    auditee: int
    state: State
    report: Written | None


@dataclass(frozen=True, slots=True)
class Answers:
    """Of the findings that peers made in somebody's work in this round: how many there are; settled by an answer or
    gone; announced as “will fix” and still there; gone; and the answers that stand, in the order of ResponseKind."""

    received: int = 0
    settled: int = 0
    promised: int = 0
    fixed: int = 0
    kinds: tuple[int, ...] = (0,) * len(ResponseKind)

    @property
    def owed(self) -> int:
        return self.received - self.settled


@dataclass(frozen=True, slots=True)
class MemberRow:
    """`audits` are the pairings in which the member audits, `audited_by` those in which they are audited; `own` counts
    their reports on themselves."""

    member: RoundMember
    audits: tuple[Paired, ...]
    audited_by: tuple[Paired, ...]
    own: int
    answers: Answers = field(default_factory=Answers)

    @property
    def generated(self) -> int:
        return sum(pair.state in THERE for pair in self.audits)

    @property
    def received(self) -> int:
        return sum(pair.state in THERE for pair in self.audited_by)

    @property
    def owed(self) -> int:
        """Reports that could be written now: where nothing was handed in, none can."""
        return (
            sum(pair.state == "owed" for pair in self.audits) if self.member.left_at is None else 0
        )

    @property
    def owes(self) -> bool:
        return self.member.left_at is None and bool(
            self.owed or self.answers.owed or self.answers.promised
        )


@dataclass(frozen=True, slots=True)
class Matrix:
    """Everybody of a round in the order of the circle, also who has left."""

    round: PairingRound
    rows: tuple[MemberRow, ...]

    @property
    def pairs(self) -> tuple[Paired, ...]:
        return tuple(pair for row in self.rows for pair in row.audits)


@dataclass(frozen=True, slots=True)
class Figures:
    """Participation, timeliness and exchange. `middle` is the median time from the start of the round to a report."""

    members: int
    left: int
    done: int
    nothing: int
    expected: int
    there: int
    late: int
    read: int
    imported: int
    middle: timedelta | None
    findings: int
    settled: int
    answers: dict[ResponseKind, int]
    fixed: int


def matrix_of(round: PairingRound) -> Matrix:
    """Seven queries, whoever is in it; two more where verdicts are kept until their release."""
    members = list(RoundMember.objects.filter(round=round).select_related("student__user"))
    pairs = _pairs(round)
    audits, audited_by = defaultdict[int, list[Paired]](list), defaultdict[int, list[Paired]](list)
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
    """No query."""
    present = [row for row in matrix.rows if row.member.left_at is None]
    reports = [pair.report for pair in matrix.pairs if pair.report is not None]
    took = sorted(report.at - matrix.round.starts_at for report in reports)
    return Figures(
        members=len(present),
        left=len(matrix.rows) - len(present),
        done=sum(bool(row.audits) and row.generated == len(row.audits) for row in present),
        nothing=sum(bool(row.audits) and row.generated == 0 for row in present),
        expected=len(matrix.pairs),
        there=len(reports),
        late=sum(report.at > matrix.round.ends_at for report in reports),
        read=sum(report.read_at is not None for report in reports),
        imported=sum(report.imported for report in reports),
        middle=took[len(took) // 2] if took else None,
        findings=sum(row.answers.received for row in matrix.rows),
        settled=sum(row.answers.settled for row in matrix.rows),
        answers={
            kind: sum(row.answers.kinds[place] for row in matrix.rows)
            for place, kind in enumerate(ResponseKind)
        },
        fixed=sum(row.answers.fixed for row in matrix.rows),
    )


def students_outside(round: PairingRound) -> int:
    """How many of the cohort do not take part, or no more."""
    inside = RoundMember.objects.filter(round=round, left_at=None)
    enrolled = Enrollment.objects.filter(cohort=round.assignment.cohort_id)
    return enrolled.exclude(pk__in=inside.values("student")).count()


def received_in(round: PairingRound) -> QuerySet[Finding]:
    """The findings of the reports that are there under its pairings."""
    standing = Pairing.objects.filter(round=round, ended_at=None)
    reports = FeedbackReport.objects.filter(pairing__in=standing)
    seen = FindingSighting.objects.filter(
        Q(report__in=reports) | Q(audit__in=reports.filter(audit__isnull=False).values("audit")),
        present=True,
    )
    return Finding.objects.filter(pk__in=seen.values("finding")).order_by()


def _pairs(round: PairingRound) -> list[Paired]:
    standing = Pairing.objects.filter(round=round, ended_at=None)
    reports, running = _reports(standing)
    handed_in = set(
        Submission.objects.filter(
            assignment=round.assignment_id, student__in=standing.values("auditee")
        )
        .exclude(resolved_commit="")
        .values_list("student", flat=True)
    )
    return [
        Paired(
            pairing=pairing.pk,
            auditor=pairing.auditor_id,
            auditee=pairing.auditee_id,
            state=_state(
                reports.get(pairing.pk),
                running=pairing.pk in running,
                has_work=pairing.auditee_id in handed_in,
            ),
            report=reports.get(pairing.pk),
        )
        for pairing in standing.order_by("created_at", "pk")
    ]


def _state(report: Written | None, *, running: bool, has_work: bool) -> State:
    if report is not None:
        return "read" if report.read_at else "done"
    if running:
        return "running"
    return "owed" if has_work else "waiting"


def _reports(standing: QuerySet[Pairing]) -> tuple[dict[UUID, Written], set[UUID]]:
    """The first report of each pairing, and where one is being made."""
    there: dict[UUID, Written] = {}
    running: set[UUID] = set()
    rows = FeedbackReport.objects.filter(pairing__in=standing).order_by("-created_at", "pk")
    for pairing, audit, state, ended, created, read in rows.values_list(
        "pairing", "audit", "audit__state", "audit__finished_at", "created_at", "read_at"
    ):
        if audit is None or state in REPORTED_STATES:
            earlier = there.get(pairing)
            reads = [at for at in (read, earlier.read_at if earlier else None) if at]
            there[pairing] = Written(
                ended or created, min(reads, default=None), imported=audit is None
            )
        elif state in OPEN_STATES:
            running.add(pairing)
    return there, running


def _own_reports(round: PairingRound) -> Counter[int]:
    """By student: the court's on their own hand-ins, and those of their own auditor that they brought along."""
    held = Audit.objects.filter(
        submission__assignment=round.assignment_id, kind=AuditKind.SELF, state__in=REPORTED_STATES
    )
    brought = FeedbackReport.objects.filter(assignment=round.assignment_id, kind=FeedbackKind.SELF)
    counted: Counter[int] = Counter(dict(_by(held, "submission__student")))
    return counted + Counter(dict(_by(brought, "subject")))


def _by(rows: QuerySet[Audit] | QuerySet[FeedbackReport], whose: str) -> list[tuple[int, int]]:
    return list(rows.order_by().values_list(whose).annotate(many=Count("pk")))


def _answers(round: PairingRound) -> dict[int, Answers]:
    """Letters count by this: what is gone only by a verdict that is withheld is still owed an answer."""
    standing = FindingResponse.objects.filter(finding=OuterRef("pk"), replaced_at=None).values(
        "kind"
    )
    gone, received = Q(state=FindingState.FIXED), received_in(round)
    if keeps_verdicts(round.assignment):
        gone = Q(pk__in=gone_but_for_withheld(received.values("pk")))
    counted = (
        received.annotate(answer=Subquery(standing[:1]))
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


def board_of(round: PairingRound) -> Board:
    """Three queries. A pair is finished from the moment somebody works on its report: also while its audit runs."""
    members = list(
        RoundMember.objects.filter(round=round).values_list("student", "student__group", "left_at")
    )
    standing = Pairing.objects.filter(round=round, ended_at=None)
    pairs = {
        key: (auditor, auditee)
        for key, auditor, auditee in standing.values_list("pk", "auditor", "auditee")
    }
    begun = FeedbackReport.objects.filter(
        Q(audit=None) | ~Q(audit__state=AuditState.FAILED), pairing__in=standing
    )
    return Board(
        members=frozenset(student for student, _group, left_at in members if left_at is None),
        pairs=frozenset(pairs.values()),
        finished=frozenset(
            pairs[key] for key in set(begun.values_list("pairing", flat=True)) & pairs.keys()
        ),
        k=round.peers,
        groups={student: group for student, group, _left_at in members},
    )


@dataclass(frozen=True, slots=True)
class RoundLine:
    """`students` take part, `pairs` stand; `reported` of these have a report, `opened` one that its subject opened."""

    round: PairingRound
    students: int
    pairs: int
    reported: int
    opened: int


def rounds_by_assignment(cohort: Cohort) -> list[tuple[Assignment, list[RoundLine]]]:
    """Every assignment with its rounds, newest first. Five queries, each over one table or two."""
    assignments = list(
        Assignment.objects.filter(cohort=cohort).select_related("organization", "cohort")
    )
    rounds = list(PairingRound.objects.filter(assignment__in=assignments).order_by("-number"))
    keys = [each.pk for each in rounds]
    members = RoundMember.objects.filter(round__in=keys, left_at=None).order_by()
    pairs = Pairing.objects.filter(round__in=keys, ended_at=None).order_by()
    students = dict(members.values_list("round").annotate(many=Count("pk")))
    standing = dict(pairs.values_list("round").annotate(many=Count("pk")))
    reported = _reported(keys)
    lines = [
        RoundLine(
            each, students.get(each.pk, 0), standing.get(each.pk, 0), *reported.get(each.pk, (0, 0))
        )
        for each in rounds
    ]
    return [
        (one, [line for line in lines if line.round.assignment_id == one.pk]) for one in assignments
    ]


def _reported(rounds: list[int]) -> Mapping[int, tuple[int, int]]:
    """Of each round's pairs that stand, how many have a report, and how many one that was opened."""
    there = Q(audit=None) | Q(audit__state__in=REPORTED_STATES)
    reports = FeedbackReport.objects.filter(
        there, pairing__round__in=rounds, pairing__ended_at=None
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
