"""Exchange of a student: reports given and received, answers to findings, and their effect."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypedDict
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, Subquery
from django.utils import timezone

from grading.audits.queries import grades_of
from grading.core.enums import FINAL_STATES, FeedbackKind, ResponseKind
from grading.core.team_access import with_team_name
from grading.findings.queries.gone_findings import gone_as_told, histories_of
from grading.models import (
    Assignment,
    Cohort,
    Enrollment,
    FeedbackReport,
    FindingResponse,
    FindingSighting,
    Pairing,
    PairingRound,
    RoundMember,
    Submission,
)
from grading.submissions.queries import Attempt, attempts_across, audit_to_show, visible_attempts

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Newest(TypedDict):
        newest_attempt: int | None

    PairingWithNewest = WithAnnotations[Pairing, _Newest]


State = Literal["owed", "awaited", "running", "failed", "done", "read", "answered", "hidden"]


@dataclass(frozen=True, slots=True)
class FindingCounts:
    """Counts over findings: all, answered by kind, and fixed as far as their owner knows."""

    total: int = 0
    answers: Mapping[str, int] = field(default_factory=dict)
    fixed: int = 0

    @property
    def answered(self) -> int:
        return sum(self.answers.values())

    def by_kind(self) -> list[tuple[str, int]]:
        """Return (label, number) of the kinds of answers that occur."""
        kinds = ((kind.label.lower(), self.answers.get(kind, 0)) for kind in ResponseKind)
        return [(label, count) for label, count in kinds if count]


@dataclass(frozen=True, slots=True)
class ReportSlot:
    """Place of a report: due, awaited or complete.

    `report` is the newest that counts, None before one. `member` is the other student (shown by
    feedback.queries.shown_name, never by name), None if unknown. `newer` is an attempt submitted
    since, for the auditor.
    """

    state: State
    pairing: Pairing | None = None
    member: RoundMember | None = None
    report: FeedbackReport | None = None
    newer: int | None = None
    tally: FindingCounts = field(default_factory=FindingCounts)


@dataclass(frozen=True, slots=True)
class RoundExchange:
    round: PairingRound
    generated: tuple[ReportSlot, ...]
    received: tuple[ReportSlot, ...]

    @property
    def completed(self) -> int:
        return sum(slot.report is not None for slot in self.generated)


@dataclass(frozen=True, slots=True)
class SelfAudit:
    """Own attempt with its number of findings; None while they may not be shown."""

    attempt: Attempt
    findings: int | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """Exchange at one assignment. `unmatched` are imported reports that fit no pairing."""

    assignment: Assignment
    rounds: tuple[RoundExchange, ...]
    audits: tuple[SelfAudit, ...]
    own_reports: tuple[ReportSlot, ...]
    unmatched: tuple[ReportSlot, ...]
    answers: FindingCounts
    scores: tuple[float, ...]

    @property
    def due(self) -> int:
        return sum(len(peer_round.generated) for peer_round in self.rounds)

    @property
    def generated(self) -> int:
        return sum(peer_round.completed for peer_round in self.rounds)

    @property
    def received(self) -> int:
        """Reports received under pairings, and those the student imported."""
        under_pairings = sum(
            slot.report is not None for peer_round in self.rounds for slot in peer_round.received
        )
        return under_pairings + sum(
            slot.report.subject_id is not None for slot in self.unmatched if slot.report
        )


def exchanges_of(student: Enrollment) -> list[Exchange]:
    """Return the exchange at each assignment with a round or an imported report.

    The number of queries does not depend on the data.
    """
    loader = _ExchangeLoader(student)
    return [loader.exchange(assignment) for assignment in loader.assignments]


class _ExchangeLoader:
    """Rows for the whole page, loaded once."""

    def __init__(self, student: Enrollment) -> None:
        self.student = student
        self.rounds = rounds_of(student)
        self.pairings = pairings_of(student, self.rounds)
        self.members = members_of(self.pairings)
        self.reports = reports_of(student, self.pairings)
        self.assignments = assignments_of(student, self.rounds, self.reports)
        submissions = list(attempts_across(student, self.assignments))

        history = _sightings_of(self.reports, submissions)
        grades = grades_of({*submissions, *(sighting.submission for sighting in history)})
        self.attempts = visible_attempts(submissions, grades)
        self.findings = _FindingIndex(history, gone_as_told(history, grades))

    def exchange(self, assignment: Assignment) -> Exchange:
        rounds = [row for row in self.rounds if row.assignment_id == assignment.pk]
        attempts = [
            attempt
            for attempt in self.attempts
            if attempt.submission.assignment_id == assignment.pk
        ]
        unpaired = [
            r for r in self.reports if r.assignment_id == assignment.pk and r.pairing_id is None
        ]
        received = [
            r
            for r in self.reports
            if r.assignment_id == assignment.pk
            and self._is_received(r)
            and _is_complete(r)
            and not r.hidden_at
        ]

        return Exchange(
            assignment=assignment,
            rounds=tuple(self._round(row) for row in rounds),
            audits=tuple(self._self_audit(attempt) for attempt in attempts),
            own_reports=tuple(self._imported(r) for r in unpaired if r.kind == FeedbackKind.SELF),
            unmatched=tuple(self._imported(r) for r in unpaired if r.kind == FeedbackKind.PEER),
            answers=self._tally(received),
            scores=tuple(a.score for a in reversed(attempts) if a.score is not None),
        )

    def _is_received(self, report: FeedbackReport) -> bool:
        return report.kind == FeedbackKind.PEER and report.subject_id == self.student.pk

    def _round(self, peer_round: PairingRound) -> RoundExchange:
        pairings = [p for p in self.pairings if p.round_id == peer_round.pk]
        return RoundExchange(
            round=peer_round,
            generated=tuple(
                self._generated(p) for p in pairings if p.auditor_id == self.student.pk
            ),
            received=tuple(self._received(p) for p in pairings if p.auditee_id == self.student.pk),
        )

    def _generated(self, pairing: PairingWithNewest) -> ReportSlot:
        reports = [report for report in self.reports if report.pairing_id == pairing.pk]
        report = next(filter(_is_complete, reports), None)
        newest = pairing.newest_attempt
        attempt = report.submission.attempt if report and report.submission else None
        return ReportSlot(
            state=_state_for_auditor(
                reports, report, tally := self._tally([report] if report else [])
            ),
            pairing=pairing,
            member=self.members.get((pairing.round_id, pairing.auditee_id)),
            report=report,
            newer=newest if attempt and newest and newest > attempt else None,
            tally=tally,
        )

    def _received(self, pairing: Pairing) -> ReportSlot:
        report = next(
            (r for r in self.reports if r.pairing_id == pairing.pk and _is_complete(r)), None
        )
        # The place stays, so the subject sees that a report was hidden, without its findings.
        if report is not None and report.hidden_at is not None:
            member = self.members.get((pairing.round_id, pairing.auditor_id))
            return ReportSlot(state="hidden", pairing=pairing, member=member, report=report)
        return ReportSlot(
            state=_state_of(report, tally := self._tally([report])) if report else "awaited",
            pairing=pairing,
            member=self.members.get((pairing.round_id, pairing.auditor_id)),
            report=report,
            tally=tally if report else FindingCounts(),
        )

    def _imported(self, report: FeedbackReport) -> ReportSlot:
        return ReportSlot(
            state=_state_of(report, tally := self._tally([report])), report=report, tally=tally
        )

    def _self_audit(self, attempt: Attempt) -> SelfAudit:
        is_visible = (
            attempt.audit is not None
            and attempt.audit.has_report
            and attempt.visibility != "withheld"
        )
        return SelfAudit(
            attempt, len(self.findings.of_audit(attempt.audit)) if is_visible else None
        )

    def _tally(self, reports: Iterable[FeedbackReport | None]) -> FindingCounts:
        return self.findings.tally(report for report in reports if report is not None)


class _FindingIndex:
    """Findings by report with their answers, built from sightings annotated with `answer`."""

    def __init__(self, sightings: Iterable[Any], gone: set[UUID]) -> None:
        self._of: defaultdict[object, set[object]] = defaultdict(set)
        self._gone = gone
        self._answers: dict[object, str] = {}
        for sighting in sightings:
            if sighting.present:
                self._of[sighting.audit_id or sighting.report_id].add(sighting.finding_id)
            if sighting.answer:
                self._answers[sighting.finding_id] = sighting.answer

    def of_audit(self, audit: object) -> set[object]:
        return self._of[getattr(audit, "pk", None)]

    def tally(self, reports: Iterable[FeedbackReport]) -> FindingCounts:
        findings: set[object] = set().union(
            *(self._of[report.audit_id or report.pk] for report in reports)
        )
        answers = Counter(self._answers[key] for key in findings if key in self._answers)
        return FindingCounts(total=len(findings), answers=answers, fixed=len(findings & self._gone))


def _is_complete(report: FeedbackReport) -> bool:
    return report.audit is None or report.audit.has_report


def _state_for_auditor(
    reports: list[FeedbackReport], report: FeedbackReport | None, tally: FindingCounts
) -> State:
    # Newest first.
    latest = reports[0].audit if reports else None
    if latest is not None and latest.state not in FINAL_STATES:
        return "running"
    if report is None:
        return "failed" if latest is not None else "owed"
    return _state_of(report, tally)


def _state_of(report: FeedbackReport, tally: FindingCounts) -> State:
    if tally.total and tally.answered == tally.total:
        return "answered"
    return "read" if report.read_at else "done"


def _sightings_of(reports: list[FeedbackReport], submissions: list[Submission]) -> list[Any]:
    """Return all sightings of the findings in these reports and in the student's own audits.

    Each is annotated with its current `answer`.
    """
    own_audits = [
        audit for submission in submissions if (audit := audit_to_show(submission)) is not None
    ]
    audits = [report.audit_id for report in reports if report.audit_id] + [
        audit.pk for audit in own_audits
    ]
    imported = [report.pk for report in reports if not report.audit_id]
    sightings = FindingSighting.objects.filter(
        Q(audit__in=audits) | Q(report__in=imported), present=True
    )
    pairings = FindingResponse.objects.filter(finding=OuterRef("finding"), replaced_at=None)
    history = histories_of(sightings.values("finding")).select_related(
        "submission__assignment", "audit", "finding"
    )
    return list(history.annotate(answer=Subquery(pairings.values("kind")[:1])))


RELATED = ("assignment__organization", "assignment__cohort")


def is_over(cohort: Cohort) -> bool:
    """Return True once the cohort has ended and pairings grant nothing any more."""
    return cohort.ends_on is not None and cohort.ends_on < timezone.now().date()


def rounds_of(student: Enrollment) -> list[PairingRound]:
    """Return started rounds of which the student is a member, or where they left a report.

    None once the cohort is over.
    """
    if is_over(student.cohort):
        return []
    membership = RoundMember.objects.filter(round=OuterRef("pk"), student=student, left_at=None)
    pairings = Pairing.objects.filter(
        Q(auditor=student) | Q(auditee=student), round=OuterRef("pk"), ended_at=None
    )
    rounds = PairingRound.objects.filter(
        Exists(membership) | Exists(pairings), starts_at__lte=timezone.now()
    )
    return list(rounds.select_related(*RELATED).order_by("assignment_id", "-number"))


def pairings_of(student: Enrollment, rounds: list[PairingRound]) -> list[PairingWithNewest]:
    """Return the student's pairings with `newest_attempt`, the auditee's newest auditable attempt.

    Ordered by random keys: the order of creation could reveal who was paired by staff.
    """
    own_pairings = Pairing.objects.filter(
        Q(auditor=student) | Q(auditee=student), round__in=rounds, ended_at=None
    )
    submissions = Submission.objects.filter(
        assignment=OuterRef("round__assignment"), student=OuterRef("auditee")
    ).exclude(resolved_commit="")

    newest = Subquery(submissions.order_by("-attempt").values("attempt")[:1])
    return list(
        own_pairings.annotate(newest_attempt=newest)
        .select_related("round__assignment")
        .order_by("pk")
    )


def members_of(pairings: Sequence[Pairing]) -> dict[tuple[object, object], RoundMember]:
    students = {key for pairing in pairings for key in (pairing.auditor_id, pairing.auditee_id)}
    rounds = {pairing.round_id for pairing in pairings}
    members = RoundMember.objects.filter(round__in=rounds, student__in=students)
    related = members.select_related("round", "student")
    return {
        (member.round_id, member.student_id): member
        for member in with_team_name(related, OuterRef("round__assignment"), "student")
    }


def reports_of(student: Enrollment, pairings: Sequence[Pairing]) -> list[FeedbackReport]:
    """Return reports under these pairings and outside any, newest first."""
    is_visible = Q(pairing__in=pairings) | Q(pairing=None) & (
        Q(author=student) | Q(subject=student)
    )
    rows = FeedbackReport.objects.filter(is_visible).select_related(
        "audit", "submission", "pairing__round", *RELATED
    )
    # The contents may be megabytes, and a list shows none of them.
    return list(rows.defer("original", "reading", "audit__report").order_by("-created_at", "pk"))


def assignments_of(
    student: Enrollment, rounds: list[PairingRound], reports: list[FeedbackReport]
) -> list[Assignment]:
    """Return the assignments of these rounds and reports, sorted. No query."""
    assignments = [peer_round.assignment for peer_round in rounds] + [
        report.assignment for report in reports
    ]
    own = {row.pk: row for row in assignments if row.cohort_id == student.cohort_id}.values()
    # Without a due date last. The first item also keeps None from being compared with a time.
    return sorted(own, key=lambda row: (row.due_at is None, row.due_at, row.title, row.pk))


def reports_under(pairing: Pairing) -> list[FeedbackReport]:
    """Return the reports of a pairing, newest first, with their audits and without contents."""
    rows = FeedbackReport.objects.filter(pairing=pairing).select_related(
        "audit", "submission", "brought_by"
    )
    return list(rows.defer("original", "reading", "audit__report").order_by("-created_at", "pk"))
