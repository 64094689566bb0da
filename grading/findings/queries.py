"""Findings as one reader may see them: what was seen in which attempt and by whom, what became of it, what was answered.

A student sees nothing here of a verdict that is withheld: what only such audits have seen is left out, and the life of
a finding is told from what is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db.models import Count, Prefetch, Q, QuerySet

from grading.audits.queries import GradeKey, grades_of, is_withheld
from grading.core.enums import AuditKind, FeedbackKind, FindingState, ReleasePolicy
from grading.core.pairing_access import is_granted
from grading.findings.finding_state import Life, Word, life_of
from grading.models import (
    Assignment,
    Enrollment,
    FeedbackReport,
    Finding,
    FindingHelp,
    FindingResponse,
    FindingSighting,
    Grade,
    Submission,
)
from grading.peer_review.feedback.queries import shown_names

Group = Literal["regressed", "new", "open", "fixed"]
GROUPS: tuple[Group, ...] = ("regressed", "new", "open", "fixed")
PRIORITIES = ("high", "medium", "low", "")
SOMEBODY = "A peer"


@dataclass(frozen=True, slots=True)
class Witness:
    """Who saw it. `is_own`: the student's own audits and reports, of their teachers' audits as well; `report` is the
    feedback report to open, null where there is none."""

    name: str
    is_own: bool
    report: UUID | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """One report's word, in one attempt."""

    submission: Submission
    witness: Witness
    row: FindingSighting

    @property
    def attempt(self) -> int:
        return self.submission.attempt

    @property
    def present(self) -> bool:
        return self.row.present


@dataclass(frozen=True, slots=True)
class SeenFinding:
    """`sights` in the order of attempts; `answer` is the one that stands, `answers` all of them, newest first.

    `latest` is the last attempt of which the reader may know what was found; `title` is told by what they may read.
    """

    finding: Finding
    title: str
    sights: tuple[Sight, ...]
    life: Life
    latest: int
    answers: tuple[FindingResponse, ...]

    @property
    def group(self) -> Group:
        if self.life.state == FindingState.FIXED:
            return "fixed"
        if self.life.state == FindingState.REGRESSED:
            return "regressed"
        return "new" if self.life.first == self.latest else "open"

    @property
    def answer(self) -> FindingResponse | None:
        return next((each for each in self.answers if each.replaced_at is None), None)

    @property
    def last(self) -> Sight:
        """The latest that saw it: the platform's own before an imported one's."""
        return max(
            (s for s in self.sights if s.present),
            key=lambda s: (s.attempt, s.row.audit_id is not None),
        )

    @property
    def peers(self) -> tuple[str, ...]:
        """The peers who saw it, as they are called here, each once."""
        return tuple(
            dict.fromkeys(s.witness.name for s in self.sights if s.present and not s.witness.is_own)
        )

    @property
    def is_own(self) -> bool:
        """Whether one's own audits saw it as well."""
        return any(s.present and s.witness.is_own for s in self.sights)

    @property
    def is_unasked(self) -> bool:
        """Whether no audit has looked for it since it was last seen, so that nobody knows what became of it."""
        return self.group != "fixed" and self.life.last < self.latest

    @property
    def fixed_by(self) -> Submission | None:
        return next((s.submission for s in self.sights if s.attempt == self.life.fixed), None)

    def until(self, attempt: int) -> Life | None:
        """Its life as it was told by this attempt; null where nobody had seen it yet."""
        sights = [sight for sight in self.sights if sight.attempt <= attempt]
        return _life(sights) if any(sight.present for sight in sights) else None

    @property
    def is_answerable(self) -> bool:
        """Whether an answer is still owed: seen by a peer, not gone, and none given."""
        return bool(self.peers) and self.group != "fixed" and self.answer is None


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of everything in one attempt, against all before it. `still` were there and are, `back` were gone."""

    still: tuple[SeenFinding, ...]
    new: tuple[SeenFinding, ...]
    back: tuple[SeenFinding, ...]
    fixed: tuple[SeenFinding, ...]

    @property
    def there(self) -> int:
        return len(self.still) + len(self.new) + len(self.back)


@dataclass(frozen=True, slots=True)
class Tally:
    """A student with how many findings there are, for the list that staff choose from."""

    student: Enrollment
    open: int
    regressed: int
    fixed: int
    answered: int


def findings_of(
    assignment: Assignment,
    student: Enrollment,
    *,
    is_staff: bool,
    withheld: set[UUID] | None = None,
) -> tuple[SeenFinding, ...]:
    """The student's findings, what needs them most first. As many queries whatever there is: seven at most.

    `withheld` are the submissions whose verdict the student may not see yet, where that is known already.
    """
    witnesses = _Witnesses(assignment, student, is_staff=is_staff)
    if withheld is None:
        withheld = set() if is_staff else _withheld(assignment, student)
    told = [(row, _sights(row, witnesses, withheld)) for row in _rows(assignment, student)]
    told = [(row, sights) for row, sights in told if any(sight.present for sight in sights)]
    latest = _latest(sight for _row, sights in told for sight in sights)
    seen = [
        SeenFinding(
            row,
            _title(row, sights, witnesses),
            sights,
            _life(sights),
            latest,
            tuple(row.responses.all()),
        )
        for row, sights in told
    ]
    return tuple(sorted(seen, key=_urgency))


def changes_in(seen: Iterable[SeenFinding], attempt: int) -> Changes:
    """Sorted out of all findings of a student, as findings_of has them for this reader."""
    told = [(each, life) for each in seen if (life := each.until(attempt))]
    there = [(each, life) for each, life in told if life.state != FindingState.FIXED]
    before = [(each, life) for each, life in there if life.first != attempt]
    return Changes(
        still=tuple(each for each, life in before if life.state == FindingState.OPEN),
        new=tuple(each for each, life in there if life.first == attempt),
        back=tuple(each for each, life in before if life.state == FindingState.REGRESSED),
        fixed=tuple(each for each, life in told if life.fixed == attempt),
    )


def tallies_of(assignment: Assignment) -> list[Tally]:
    """Everybody of the cohort, in the roster's order. One query."""
    here = Q(findings__assignment=assignment)
    students = Enrollment.objects.filter(cohort=assignment.cohort_id).annotate(
        n_open=Count("findings", filter=here & Q(findings__state=FindingState.OPEN), distinct=True),
        n_regressed=Count(
            "findings", filter=here & Q(findings__state=FindingState.REGRESSED), distinct=True
        ),
        n_fixed=Count(
            "findings", filter=here & Q(findings__state=FindingState.FIXED), distinct=True
        ),
        n_answered=Count(
            "findings", filter=here & Q(findings__responses__isnull=False), distinct=True
        ),
    )
    return [Tally(s, s.n_open, s.n_regressed, s.n_fixed, s.n_answered) for s in students]


def _rows(assignment: Assignment, student: Enrollment) -> QuerySet[Finding]:
    sightings = FindingSighting.objects.select_related("submission", "audit").defer("audit__report")
    rows = Finding.objects.filter(assignment=assignment, student=student)
    return rows.prefetch_related(
        Prefetch(
            "sightings",
            queryset=sightings.order_by("submission__attempt", "audit__created_at", "pk"),
        ),
        "responses",
    )


def _withheld(assignment: Assignment, student: Enrollment) -> set[UUID]:
    grade = (
        Grade.objects.filter(assignment=assignment, student=student).defer("audit__report").first()
    )
    theirs = Submission.objects.filter(assignment=assignment, student=student).select_related(
        "assignment"
    )
    return {submission.pk for submission in theirs if is_withheld(submission, grade)}


class _Witnesses:
    """Who is behind each sighting, in the words in which this reader may know them."""

    def __init__(self, assignment: Assignment, student: Enrollment, *, is_staff: bool) -> None:
        related = ("pairing__round__assignment__cohort", "pairing__auditor", "pairing__auditee")
        reports = FeedbackReport.objects.filter(assignment=assignment, subject=student)
        listed = list(reports.select_related(*related).defer("original", "reading"))
        pairings = [report.pairing for report in listed if report.pairing]
        names = shown_names(pairings, side="staff" if is_staff else "auditee")
        self._owner = f"{student}'s" if is_staff else "Your"
        self._is_staff = is_staff
        hidden = [] if is_staff else [report for report in listed if report.hidden_at is not None]
        self._hidden = {report.audit_id or report.pk for report in hidden}
        self._by_report = {report.pk: self._of_report(report, names) for report in listed}
        self._by_audit = {report.audit_id: self._by_report[report.pk] for report in listed}

    def is_hidden(self, row: FindingSighting) -> bool:
        """Whether a teacher hid the report that says so from this reader."""
        return (row.audit_id or row.report_id) in self._hidden

    def of(self, row: FindingSighting) -> Witness:
        if row.report_id is not None:
            return self._by_report[row.report_id]
        if row.audit is not None and row.audit.kind == AuditKind.PEER:
            return self._by_audit.get(row.audit.pk, Witness(SOMEBODY, is_own=False))
        return Witness("The audit of the hand-in", is_own=True)

    def _of_report(self, report: FeedbackReport, names: dict[UUID, str]) -> Witness:
        if report.kind == FeedbackKind.SELF:
            return Witness(f"{self._owner} own auditor", is_own=True, report=report.pk)
        if report.pairing is None:
            return Witness(SOMEBODY, is_own=False, report=report.pk)
        opens = self._is_staff or is_granted(report.pairing)
        return Witness(names[report.pairing.pk], is_own=False, report=report.pk if opens else None)


def _sights(row: Finding, witnesses: _Witnesses, hidden: set[UUID]) -> tuple[Sight, ...]:
    """A peer's word is the student's own to read; the site's on a hand-in only once its verdict is."""
    return tuple(
        Sight(told.submission, witnesses.of(told), told)
        for told in row.sightings.all()
        if not witnesses.is_hidden(told)
        and (
            told.audit is None
            or told.audit.kind == AuditKind.PEER
            or told.submission_id not in hidden
        )
    )


def _title(row: Finding, sights: tuple[Sight, ...], witnesses: _Witnesses) -> str:
    """The row's own, unless a report that was hidden from this reader may have lent it."""
    if not any(told.present and witnesses.is_hidden(told) for told in row.sightings.all()):
        return row.title
    stands = [sight.row for sight in sights if sight.present][-1]
    return stands.text or stands.action or row.criterion_name


def _latest(heard: Iterable[Sight]) -> int:
    """The last attempt that was audited, else the last that a report was brought along on."""
    attempts = [(sight.row.audit_id is not None, sight.attempt) for sight in heard]
    return max(attempts, default=(False, 0))[1]


def _life(sights: Iterable[Sight]) -> Life:
    return life_of([Word(s.attempt, s.present, imported=s.row.audit_id is None) for s in sights])


def _urgency(seen: SeenFinding) -> tuple[Any, ...]:
    row = seen.finding
    return (
        GROUPS.index(seen.group),
        PRIORITIES.index(seen.last.row.priority),
        row.criterion_name,
        row.place,
        seen.title,
    )


@dataclass(frozen=True, slots=True)
class Helped:
    """Of the findings under one criterion that somebody spoke about, how many helped."""

    criterion: str
    helped: int
    said: int


def helped_by_criterion(assignment: Assignment) -> list[Helped]:
    """What helped least first, nobody named. One query."""
    said = FindingHelp.objects.filter(finding__assignment=assignment).order_by()
    rows = said.values_list("finding__criterion_name", "finding__criterion_id").annotate(
        helped=Count("pk", filter=Q(helpful=True)), said=Count("pk")
    )
    found = [
        Helped(name or key or "no criterion named", helped, many)
        for name, key, helped, many in rows
    ]
    return sorted(found, key=lambda each: (each.helped / each.said, each.criterion))


def said_of(finding: Finding) -> bool | None:
    """Whether it helped, null while its owner has said nothing."""
    return FindingHelp.objects.filter(finding=finding).values_list("helpful", flat=True).first()


def keeps_verdicts(assignment: Assignment) -> bool:
    """Whether its students learn of a verdict only by a release."""
    return assignment.release_policy == ReleasePolicy.AFTER_RELEASE


def histories_of(findings: Collection[UUID] | QuerySet[Any]) -> QuerySet[FindingSighting]:
    """Every sighting of these findings, in the order of their audits, with what `gone_in` asks of it."""
    sightings = FindingSighting.objects.filter(finding__in=findings).defer("audit__report")
    related = sightings.select_related("submission__assignment", "audit")
    return related.order_by("audit__created_at", "pk")


def gone_as_told(
    history: Collection[FindingSighting], grades: Mapping[GradeKey, Grade]
) -> set[UUID]:
    """Which findings of this history (from `histories_of`, with each `finding`) are gone. No query.

    The column `state` knows every audit; this is what findings_of tells the owner.
    """
    open_ones = [row.finding for row in history if not keeps_verdicts(row.submission.assignment)]
    sealed = [row for row in history if keeps_verdicts(row.submission.assignment)]
    return {each.pk for each in open_ones if each.state == FindingState.FIXED} | gone_in(
        sealed, grades
    )


def gone_but_for_withheld(findings: Collection[UUID] | QuerySet[Any]) -> set[UUID]:
    """Which of these findings are gone by what is left without the verdicts that are withheld. Two queries."""
    rows = list(histories_of(findings))
    return gone_in(rows, grades_of({row.submission for row in rows}))


def gone_in(history: Iterable[FindingSighting], grades: Mapping[GradeKey, Grade]) -> set[UUID]:
    """The same of sightings from `histories_of`, with the grades behind their submissions. No query."""
    told: defaultdict[UUID, list[Word]] = defaultdict(list)
    for row in history:
        submission = row.submission
        grade = grades.get((submission.assignment_id, submission.student_id))
        if (
            row.audit is None
            or row.audit.kind == AuditKind.PEER
            or not is_withheld(submission, grade)
        ):
            word = Word(submission.attempt, row.present, imported=row.audit is None)
            told[row.finding_id].append(word)
    seen = {key: words for key, words in told.items() if any(word.present for word in words)}
    return {key for key, words in seen.items() if life_of(words).state == FindingState.FIXED}
