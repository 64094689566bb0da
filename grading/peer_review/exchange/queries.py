"""What a student generated, what they received, what they did about it and what it changed: the MinMax loop."""

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
from grading.findings.queries import gone_as_told, histories_of
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
class Tally:
    """A report's findings, how many of them were answered by kind, and how many are gone since, as their owner knows."""

    found: int = 0
    answers: Mapping[str, int] = field(default_factory=dict)
    fixed: int = 0

    @property
    def answered(self) -> int:
        return sum(self.answers.values())

    def of_kind(self) -> list[tuple[str, int]]:
        """In words, without what does not occur."""
        kinds = ((kind.label.lower(), self.answers.get(kind, 0)) for kind in ResponseKind)
        return [(words, many) for words, many in kinds if many]


@dataclass(frozen=True, slots=True)
class Slip:
    """A report that is owed, awaited or there. `report` is the newest that counts, null where there is none yet.

    `member` is who stands on the other side (shown by feedback.queries.shown_name, never by name), null where
    that is not known. `newer` is an attempt that was handed in since, for the one who audits.
    """

    state: State
    pairing: Pairing | None = None
    member: RoundMember | None = None
    report: FeedbackReport | None = None
    newer: int | None = None
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class RoundExchange:
    round: PairingRound
    generated: tuple[Slip, ...]
    received: tuple[Slip, ...]

    @property
    def done(self) -> int:
        return sum(slip.report is not None for slip in self.generated)


@dataclass(frozen=True, slots=True)
class SelfAudit:
    """One of the student's own attempts with what was found in it; null where nothing may be shown yet."""

    attempt: Attempt
    found: int | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One assignment. `unmatched` are imported reports that fit none of the pairings."""

    assignment: Assignment
    rounds: tuple[RoundExchange, ...]
    audits: tuple[SelfAudit, ...]
    own_reports: tuple[Slip, ...]
    unmatched: tuple[Slip, ...]
    answers: Tally
    scores: tuple[float, ...]

    @property
    def owed(self) -> int:
        return sum(len(each.generated) for each in self.rounds)

    @property
    def generated(self) -> int:
        return sum(each.done for each in self.rounds)

    @property
    def received(self) -> int:
        """Under pairings, and brought along by the student from wherever they got them."""
        known = sum(slip.report is not None for each in self.rounds for slip in each.received)
        return known + sum(
            slip.report.subject_id is not None for slip in self.unmatched if slip.report
        )


def exchanges_of(student: Enrollment) -> list[Exchange]:
    """For each assignment that the student has a round, or brought a report, in. As many queries whatever is in it."""
    gathered = _Gathered(student)
    return [gathered.exchange(assignment) for assignment in gathered.assignments]


class _Gathered:
    """Everything the page shows, fetched once."""

    def __init__(self, student: Enrollment) -> None:
        self.student = student
        self.rounds = rounds_of(student)
        self.pairings = pairings_of(student, self.rounds)
        self.members = members_of(self.pairings)
        self.reports = reports_of(student, self.pairings)
        self.assignments = assignments_of(student, self.rounds, self.reports)
        handed_in = list(attempts_across(student, self.assignments))
        history = _history_of(self.reports, handed_in)
        grades = grades_of({*handed_in, *(sighting.submission for sighting in history)})
        self.attempts = visible_attempts(handed_in, grades)
        self.findings = _Findings(history, gone_as_told(history, grades))

    def exchange(self, assignment: Assignment) -> Exchange:
        here = [each for each in self.rounds if each.assignment_id == assignment.pk]
        attempts = [
            each for each in self.attempts if each.submission.assignment_id == assignment.pk
        ]
        brought = [
            r for r in self.reports if r.assignment_id == assignment.pk and r.pairing_id is None
        ]
        received = [
            r
            for r in self.reports
            if r.assignment_id == assignment.pk
            and self._is_received(r)
            and _is_there(r)
            and not r.hidden_at
        ]
        return Exchange(
            assignment=assignment,
            rounds=tuple(self._round(each) for each in here),
            audits=tuple(self._self_audit(attempt) for attempt in attempts),
            own_reports=tuple(self._imported(r) for r in brought if r.kind == FeedbackKind.SELF),
            unmatched=tuple(self._imported(r) for r in brought if r.kind == FeedbackKind.PEER),
            answers=self._tally(received),
            scores=tuple(a.score for a in reversed(attempts) if a.score is not None),
        )

    def _is_received(self, report: FeedbackReport) -> bool:
        return report.kind == FeedbackKind.PEER and report.subject_id == self.student.pk

    def _round(self, paired: PairingRound) -> RoundExchange:
        theirs = [pairing for pairing in self.pairings if pairing.round_id == paired.pk]
        return RoundExchange(
            round=paired,
            generated=tuple(self._generated(p) for p in theirs if p.auditor_id == self.student.pk),
            received=tuple(self._received(p) for p in theirs if p.auditee_id == self.student.pk),
        )

    def _generated(self, pairing: PairingWithNewest) -> Slip:
        written = [report for report in self.reports if report.pairing_id == pairing.pk]
        report = next(filter(_is_there, written), None)
        newest = pairing.newest_attempt
        attempt = report.submission.attempt if report and report.submission else None
        return Slip(
            state=_state_for_author(
                written, report, tally := self._tally([report] if report else [])
            ),
            pairing=pairing,
            member=self.members.get((pairing.round_id, pairing.auditee_id)),
            report=report,
            newer=newest if attempt and newest and newest > attempt else None,
            tally=tally,
        )

    def _received(self, pairing: Pairing) -> Slip:
        report = next(
            (r for r in self.reports if r.pairing_id == pairing.pk and _is_there(r)), None
        )
        if report is not None and report.hidden_at is not None:
            member = self.members.get((pairing.round_id, pairing.auditor_id))
            return Slip(state="hidden", pairing=pairing, member=member, report=report)
        return Slip(
            state=_state_of(report, tally := self._tally([report])) if report else "awaited",
            pairing=pairing,
            member=self.members.get((pairing.round_id, pairing.auditor_id)),
            report=report,
            tally=tally if report else Tally(),
        )

    def _imported(self, report: FeedbackReport) -> Slip:
        return Slip(
            state=_state_of(report, tally := self._tally([report])), report=report, tally=tally
        )

    def _self_audit(self, attempt: Attempt) -> SelfAudit:
        shown = (
            attempt.audit is not None
            and attempt.audit.has_report
            and attempt.visibility != "withheld"
        )
        return SelfAudit(attempt, len(self.findings.of_audit(attempt.audit)) if shown else None)

    def _tally(self, reports: Iterable[FeedbackReport | None]) -> Tally:
        return self.findings.tally(report for report in reports if report is not None)


class _Findings:
    """Which findings each report has, and what became of them; from sightings that carry an `answer`."""

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

    def tally(self, reports: Iterable[FeedbackReport]) -> Tally:
        found = set().union(*(self._of[report.audit_id or report.pk] for report in reports))
        answers = Counter(self._answers[key] for key in found if key in self._answers)
        return Tally(found=len(found), answers=answers, fixed=len(found & self._gone))


def _is_there(report: FeedbackReport) -> bool:
    return report.audit is None or report.audit.has_report


def _state_for_author(
    written: list[FeedbackReport], report: FeedbackReport | None, tally: Tally
) -> State:
    latest = written[0].audit if written else None
    if latest is not None and latest.state not in FINAL_STATES:
        return "running"
    if report is None:
        return "failed" if latest is not None else "owed"
    return _state_of(report, tally)


def _state_of(report: FeedbackReport, tally: Tally) -> State:
    if tally.found and tally.answered == tally.found:
        return "answered"
    return "read" if report.read_at else "done"


def _history_of(reports: list[FeedbackReport], handed_in: list[Submission]) -> list[Any]:
    """Whatever was ever seen of the findings in these reports and in the court's own on these attempts; each sighting
    with the `answer` that stands."""
    shown = [audit for each in handed_in if (audit := audit_to_show(each)) is not None]
    audits = [report.audit_id for report in reports if report.audit_id] + [
        audit.pk for audit in shown
    ]
    imported = [report.pk for report in reports if not report.audit_id]
    here = FindingSighting.objects.filter(
        Q(audit__in=audits) | Q(report__in=imported), present=True
    )
    standing = FindingResponse.objects.filter(finding=OuterRef("finding"), replaced_at=None)
    history = histories_of(here.values("finding")).select_related(
        "submission__assignment", "audit", "finding"
    )
    return list(history.annotate(answer=Subquery(standing.values("kind")[:1])))


PLACE = ("assignment__organization", "assignment__cohort")


def is_over(cohort: Cohort) -> bool:
    """Whether pairings grant nothing any more."""
    return cohort.ends_on is not None and cohort.ends_on < timezone.localdate()


def rounds_of(student: Enrollment) -> list[PairingRound]:
    """The rounds that have begun with the student in them, or that they left with a report behind them; none once the
    cohort is over."""
    if is_over(student.cohort):
        return []
    place = RoundMember.objects.filter(round=OuterRef("pk"), student=student, left_at=None)
    standing = Pairing.objects.filter(
        Q(auditor=student) | Q(auditee=student), round=OuterRef("pk"), ended_at=None
    )
    theirs = PairingRound.objects.filter(
        Exists(place) | Exists(standing), starts_at__lte=timezone.now()
    )
    return list(theirs.select_related(*PLACE).order_by("assignment_id", "-number"))


def pairings_of(student: Enrollment, rounds: list[PairingRound]) -> list[PairingWithNewest]:
    """By their random keys: in the order in which they were made, a change by hand would show the roster's order.

    `newest_attempt` is the audited's newest that could be audited, null before one.
    """
    theirs = Pairing.objects.filter(
        Q(auditor=student) | Q(auditee=student), round__in=rounds, ended_at=None
    )
    handed_in = Submission.objects.filter(
        assignment=OuterRef("round__assignment"), student=OuterRef("auditee")
    ).exclude(resolved_commit="")
    newest = Subquery(handed_in.order_by("-attempt").values("attempt")[:1])
    return list(
        theirs.annotate(newest_attempt=newest).select_related("round__assignment").order_by("pk")
    )


def members_of(pairings: Sequence[Pairing]) -> dict[tuple[object, object], RoundMember]:
    students = {key for pairing in pairings for key in (pairing.auditor_id, pairing.auditee_id)}
    rounds = {pairing.round_id for pairing in pairings}
    members = RoundMember.objects.filter(round__in=rounds, student__in=students)
    return {
        (each.round_id, each.student_id): each
        for each in members.select_related("round", "student")
    }


def reports_of(student: Enrollment, pairings: Sequence[Pairing]) -> list[FeedbackReport]:
    """Newest first; of a pairing that grants nothing any more there are none."""
    theirs = Q(pairing__in=pairings) | Q(pairing=None) & (Q(author=student) | Q(subject=student))
    found = FeedbackReport.objects.filter(theirs).select_related("audit", "submission", *PLACE)
    return list(found.defer("original", "reading", "audit__report").order_by("-created_at", "pk"))


def assignments_of(
    student: Enrollment, rounds: list[PairingRound], reports: list[FeedbackReport]
) -> list[Assignment]:
    """Each once, in their own order; the rounds and reports have them loaded."""
    every = [paired.assignment for paired in rounds] + [report.assignment for report in reports]
    own = {each.pk: each for each in every if each.cohort_id == student.cohort_id}.values()
    return sorted(own, key=lambda each: (each.due_at is None, each.due_at, each.title, each.pk))


def reports_under(pairing: Pairing) -> list[FeedbackReport]:
    """Every report of a pairing, newest first, with its audit; what they say is left out."""
    theirs = FeedbackReport.objects.filter(pairing=pairing).select_related(
        "audit", "submission", "brought_by"
    )
    return list(theirs.defer("original", "reading", "audit__report").order_by("-created_at", "pk"))
