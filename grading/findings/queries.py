"""Findings as one reader may see them: their sightings by attempt, their state and their answers.

A withheld verdict shows a student nothing here: sightings by such audits are left out, and the
state of a finding is computed from the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery

from grading.audits.queries import GradeKey, grades_of, is_withheld
from grading.core.enums import (
    AuditKind,
    FeedbackKind,
    FindingState,
    ReleasePolicy,
    ResponseKind,
    TeamFormation,
)
from grading.core.pairing_access import is_granted
from grading.findings.finding_state import Lifecycle, Observation, lifecycle_of
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
    Team,
)
from grading.peer_review.feedback.queries import shown_names

# Groups and priorities are in the order of urgency, by which findings are sorted.
Group = Literal["regressed", "new", "open", "fixed", "dismissed"]
GROUPS: tuple[Group, ...] = ("regressed", "new", "open", "fixed", "dismissed")
FixStatus = Literal["claimed", "confirmed", "not_confirmed", "refused"]
FIX_STATUSES: tuple[FixStatus, ...] = ("claimed", "confirmed", "not_confirmed", "refused")
PRIORITIES = ("high", "medium", "low", "")
SOMEBODY = "A peer"


@dataclass(frozen=True, slots=True)
class Source:
    """Name of the audit or reviewer behind a sighting, as the reader may know it.

    `is_own`: the student's own audits and reports, and their teachers' audits. `report` is the
    feedback report to open, or None.
    """

    name: str
    is_own: bool
    report: UUID | None = None


@dataclass(frozen=True, slots=True)
class VisibleSighting:
    """One sighting in one attempt, with its source."""

    submission: Submission
    source: Source
    row: FindingSighting

    @property
    def attempt(self) -> int:
        return self.submission.attempt

    @property
    def present(self) -> bool:
        return self.row.present


@dataclass(frozen=True, slots=True)
class VisibleAnswer:
    """Answer with the `status` of the fix that it claims; None for other and earlier answers.

    Confirmed: the audit of `attempt` no longer sees the finding. Not confirmed: the audit of the
    commit or of a later attempt still sees it. Refused: the commit changes nothing of the place.
    """

    row: FindingResponse
    status: FixStatus | None = None
    attempt: int | None = None

    @property
    def is_verified(self) -> bool | None:
        """Return whether audits confirm the fix; None before one has looked, and without a fix."""
        return {"confirmed": True, "not_confirmed": False}.get(self.status or "")


@dataclass(frozen=True, slots=True)
class VisibleFinding:
    """Finding with the sightings that the reader may see, in the order of attempts.

    `answer` is the current one, `answers` are all of them, newest first. `latest` is the last
    attempt whose results the reader may know; `title` comes from what they may read.
    """

    finding: Finding
    title: str
    sights: tuple[VisibleSighting, ...]
    life: Lifecycle
    latest: int
    answers: tuple[VisibleAnswer, ...]

    @property
    def group(self) -> Group:
        if self.life.state == FindingState.FIXED:
            return "fixed"
        if self.life.state == FindingState.REGRESSED:
            return "regressed"
        if self.is_imported and self.answer and self.answer.row.kind == ResponseKind.DISMISSED:
            return "dismissed"
        return "new" if self.life.first == self.latest else "open"

    @property
    def answer(self) -> VisibleAnswer | None:
        return next((answer for answer in self.answers if answer.row.replaced_at is None), None)

    @property
    def refused_answer(self) -> VisibleAnswer | None:
        """Return the newest answer if it is a refused fix: an earlier one stands, or none."""
        newest = next(iter(self.answers), None)
        return newest if newest is not None and newest.status == "refused" else None

    @property
    def last(self) -> VisibleSighting:
        """Latest sighting where it was present; the platform's own goes before an imported one."""
        return max(
            (s for s in self.sights if s.present),
            key=lambda s: (s.attempt, s.row.audit_id is not None),
        )

    @property
    def peers(self) -> tuple[str, ...]:
        """Names of the peers who saw it, as the reader may know them, without repeats."""
        return tuple(
            dict.fromkeys(s.source.name for s in self.sights if s.present and not s.source.is_own)
        )

    @property
    def is_own(self) -> bool:
        """Return whether the student's own audits saw it too."""
        return any(s.present and s.source.is_own for s in self.sights)

    @property
    def is_imported(self) -> bool:
        """Return whether only uploaded reports saw it: its owner may dismiss it."""
        return all(s.row.audit_id is None for s in self.sights if s.present)

    @property
    def is_unchecked(self) -> bool:
        """Return whether no audit has checked it since it was last seen: its state is unknown."""
        return self.group not in ("fixed", "dismissed") and self.life.last < self.latest

    @property
    def fixed_by(self) -> Submission | None:
        return next((s.submission for s in self.sights if s.attempt == self.life.fixed), None)

    def until(self, attempt: int) -> Lifecycle | None:
        """Return its lifecycle as of this attempt; None if nobody had seen it yet."""
        sights = [sight for sight in self.sights if sight.attempt <= attempt]
        return _lifecycle(sights) if any(sight.present for sight in sights) else None

    @property
    def is_answerable(self) -> bool:
        """Return whether an answer is due: a peer saw it, it is not gone and has no answer."""
        return bool(self.peers) and self.group != "fixed" and self.answer is None


@dataclass(frozen=True, slots=True)
class Changes:
    """Findings of one attempt compared with all earlier attempts.

    `still` were present before and are now, `back` had been gone.
    """

    still: tuple[VisibleFinding, ...]
    new: tuple[VisibleFinding, ...]
    back: tuple[VisibleFinding, ...]
    fixed: tuple[VisibleFinding, ...]

    @property
    def there(self) -> int:
        return len(self.still) + len(self.new) + len(self.back)


@dataclass(frozen=True, slots=True)
class Tally:
    """Work with the numbers of its findings, for the list that staff choose from.

    `student` is the key of its student or of a member of its team, `name` that of either.
    """

    student: int
    name: str
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
    reader: Enrollment | None = None,
) -> tuple[VisibleFinding, ...]:
    """Return the student's findings, most urgent first. At most seven queries for any number.

    `withheld` are the submissions whose verdict the student may not see yet; pass them where they
    are known already. In a team `student` is its representative, and `reader` the member who reads.
    """
    sources = _Sources(assignment, student, is_staff=is_staff)
    if withheld is None:
        withheld = set() if is_staff else _withheld(assignment, student, reader or student)

    rows = [(row, _sights(row, sources, withheld)) for row in _rows(assignment, student)]
    # A finding that only withheld audits saw does not exist for this reader.
    rows = [(row, sights) for row, sights in rows if any(sight.present for sight in sights)]
    latest = _latest(sight for _row, sights in rows for sight in sights)
    findings = [
        VisibleFinding(
            row,
            _title(row, sights, sources),
            sights,
            _lifecycle(sights),
            latest,
            _answers(row, sights),
        )
        for row, sights in rows
    ]
    return tuple(sorted(findings, key=_urgency))


def _answers(row: Finding, sights: Sequence[VisibleSighting]) -> tuple[VisibleAnswer, ...]:
    """Return the answers, newest first."""
    return tuple(_answer(response, sights) for response in row.responses.all())


def _answer(answer: FindingResponse, sights: Sequence[VisibleSighting]) -> VisibleAnswer:
    if answer.verified is False:
        return VisibleAnswer(answer, "refused")
    if answer.kind != ResponseKind.FIXED or answer.replaced_at is not None:
        return VisibleAnswer(answer)
    if (fixed := _lifecycle(sights).fixed) is not None:
        return VisibleAnswer(answer, "confirmed", fixed)

    with_fix = [sight.attempt for sight in sights if _has_commit(sight.submission, answer)]
    seen_in = [s.attempt for s in sights if s.present and s.row.audit_id is not None]
    still = [attempt for attempt in seen_in if with_fix and attempt >= min(with_fix)]
    return VisibleAnswer(answer, "not_confirmed" if still else "claimed", max(still, default=None))


def _has_commit(submission: Submission, answer: FindingResponse) -> bool:
    """Return whether an attempt has the fix: it is of that commit, or was submitted afterwards."""
    return (
        submission.resolved_commit.startswith(answer.commit)
        or submission.handed_in_at > answer.created_at
    )


def changes_in(findings: Iterable[VisibleFinding], attempt: int) -> Changes:
    """Return what changed in this attempt, from all findings of a student (`findings_of`)."""
    rows = [(finding, life) for finding in findings if (life := finding.until(attempt))]
    present = [(finding, life) for finding, life in rows if life.state != FindingState.FIXED]
    before = [(finding, life) for finding, life in present if life.first != attempt]

    return Changes(
        still=tuple(finding for finding, life in before if life.state == FindingState.OPEN),
        new=tuple(finding for finding, life in present if life.first == attempt),
        back=tuple(finding for finding, life in before if life.state == FindingState.REGRESSED),
        fixed=tuple(finding for finding, life in rows if life.fixed == attempt),
    )


def tallies_of(assignment: Assignment) -> list[Tally]:
    """Return the tallies of the cohort's students in the order of the roster. One query.

    With teams they are those of each team that has a member, by its name.
    """
    of_assignment = Q(findings__assignment=assignment)
    # distinct: the joins of several counts multiply the rows.
    students = Enrollment.objects.filter(cohort=assignment.cohort_id).annotate(
        n_open=Count(
            "findings",
            filter=of_assignment
            & Q(findings__state=FindingState.OPEN)
            & ~Q(findings__in=_dismissed(assignment)),
            distinct=True,
        ),
        n_regressed=Count(
            "findings",
            filter=of_assignment & Q(findings__state=FindingState.REGRESSED),
            distinct=True,
        ),
        n_fixed=Count(
            "findings", filter=of_assignment & Q(findings__state=FindingState.FIXED), distinct=True
        ),
        n_answered=Count(
            "findings", filter=of_assignment & Q(findings__responses__isnull=False), distinct=True
        ),
    )
    if assignment.team_formation != TeamFormation.NONE:
        teams = Team.objects.filter(assignment=assignment, representative=OuterRef("pk"))
        # Who represents the team may have left it.
        members = teams.filter(members__left_at=None).values("members__student")
        named = students.annotate(
            team_name=Subquery(teams.values("name")[:1]), member=Subquery(members[:1])
        )
        students = named.filter(member__isnull=False).order_by("team_name")
    return [
        Tally(
            student=vars(s).get("member", s.pk),
            name=vars(s).get("team_name") or str(s),
            open=s.n_open,
            regressed=s.n_regressed,
            fixed=s.n_fixed,
            answered=s.n_answered,
        )
        for s in students
    ]


def _dismissed(assignment: Assignment) -> QuerySet[Finding, Any]:
    """Return the findings that their owners dismissed, without those that an audit has seen."""
    audited = FindingSighting.objects.filter(
        finding=OuterRef("pk"), audit__isnull=False, present=True
    )
    dismissals = FindingResponse.objects.filter(
        finding=OuterRef("pk"), kind=ResponseKind.DISMISSED, replaced_at=None
    )
    rows = Finding.objects.filter(Exists(dismissals), ~Exists(audited), assignment=assignment)
    return rows.order_by().values("pk")


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


def _withheld(assignment: Assignment, student: Enrollment, reader: Enrollment) -> set[UUID]:
    grade = (
        Grade.objects.filter(assignment=assignment, student=reader).defer("audit__report").first()
    )
    submissions = Submission.objects.filter(assignment=assignment, student=student)
    submissions = submissions.select_related("assignment")
    return {submission.pk for submission in submissions if is_withheld(submission, grade)}


class _Sources:
    """Sources of the sightings of one student, under the names that this reader may know."""

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
        # All uploaded reports share the key None, which is never looked up.
        self._by_audit = {report.audit_id: self._by_report[report.pk] for report in listed}

    def is_hidden(self, row: FindingSighting) -> bool:
        """Return whether a teacher hid the report behind this sighting from this reader."""
        return (row.audit_id or row.report_id) in self._hidden

    def of(self, row: FindingSighting) -> Source:
        if row.report_id is not None:
            return self._by_report[row.report_id]
        if row.audit is not None and row.audit.kind == AuditKind.PEER:
            return self._by_audit.get(row.audit.pk, Source(SOMEBODY, is_own=False))
        return Source("The audit of the submission", is_own=True)

    def _of_report(self, report: FeedbackReport, names: dict[UUID, str]) -> Source:
        if report.kind == FeedbackKind.SELF:
            return Source(f"{self._owner} own auditor", is_own=True, report=report.pk)
        if report.pairing is None:
            return Source(SOMEBODY, is_own=False, report=report.pk)
        may_open = self._is_staff or is_granted(report.pairing)
        link = report.pk if may_open else None
        return Source(names[report.pairing.pk], is_own=False, report=link)


def _sights(row: Finding, sources: _Sources, hidden: set[UUID]) -> tuple[VisibleSighting, ...]:
    """Return the sightings that the reader may see.

    A student may always read a peer's; the site's own audits only once their verdict is released.
    """
    return tuple(
        VisibleSighting(sighting.submission, sources.of(sighting), sighting)
        for sighting in row.sightings.all()
        if not sources.is_hidden(sighting)
        and (
            sighting.audit is None
            or sighting.audit.kind == AuditKind.PEER
            or sighting.submission_id not in hidden
        )
    )


def _title(row: Finding, sights: tuple[VisibleSighting, ...], sources: _Sources) -> str:
    """Return the row's title, unless a report hidden from this reader may have given it."""
    if not any(s.present and sources.is_hidden(s) for s in row.sightings.all()):
        return row.title
    # The newest words that this reader may see.
    visible = [sight.row for sight in sights if sight.present][-1]
    return visible.text or visible.action or row.criterion_name


def _latest(sights: Iterable[VisibleSighting]) -> int:
    """Return the last audited attempt, else the last one with an uploaded report."""
    attempts = [(sight.row.audit_id is not None, sight.attempt) for sight in sights]
    return max(attempts, default=(False, 0))[1]


def _lifecycle(sights: Iterable[VisibleSighting]) -> Lifecycle:
    return lifecycle_of(
        [Observation(s.attempt, s.present, imported=s.row.audit_id is None) for s in sights]
    )


def _urgency(finding: VisibleFinding) -> tuple[Any, ...]:
    row = finding.finding
    return (
        GROUPS.index(finding.group),
        PRIORITIES.index(finding.last.row.priority),
        row.criterion_name,
        row.place,
        finding.title,
    )


@dataclass(frozen=True, slots=True)
class CriterionHelpfulness:
    """Numbers of findings of one criterion that helped, out of those with a reply."""

    criterion: str
    helped: int
    replies: int


def helped_by_criterion(assignment: Assignment) -> list[CriterionHelpfulness]:
    """Return the criteria, least helpful first, without any student's name. One query."""
    replies = FindingHelp.objects.filter(finding__assignment=assignment).order_by()
    rows = replies.values_list("finding__criterion_name", "finding__criterion_id").annotate(
        helped=Count("pk", filter=Q(helpful=True)), replies=Count("pk")
    )
    criteria = [
        CriterionHelpfulness(name or key or "no criterion", helped, replies)
        for name, key, helped, replies in rows
    ]

    # A group has at least one reply: there is no division by zero.
    return sorted(criteria, key=lambda row: (row.helped / row.replies, row.criterion))


def helpfulness_of(finding: Finding) -> bool | None:
    """Return whether it helped; None until its owner replies."""
    return FindingHelp.objects.filter(finding=finding).values_list("helpful", flat=True).first()


def keeps_verdicts(assignment: Assignment) -> bool:
    """Return whether its students see a verdict only after its release."""
    return assignment.release_policy == ReleasePolicy.AFTER_RELEASE


def histories_of(findings: Collection[UUID] | QuerySet[Any]) -> QuerySet[FindingSighting]:
    """Return every sighting of these findings, in the order of their audits, for `gone_in`."""
    sightings = FindingSighting.objects.filter(finding__in=findings).defer("audit__report")
    related = sightings.select_related("submission__assignment", "audit")
    return related.order_by("audit__created_at", "pk")


def gone_as_told(
    history: Collection[FindingSighting], grades: Mapping[GradeKey, Grade]
) -> set[UUID]:
    """Return the findings of this history (`histories_of`, with `finding`) that are gone. No query.

    The column `state` counts every audit; this result agrees with what findings_of shows the owner.
    """
    visible = [row.finding for row in history if not keeps_verdicts(row.submission.assignment)]
    withheld = [row for row in history if keeps_verdicts(row.submission.assignment)]
    fixed = {finding.pk for finding in visible if finding.state == FindingState.FIXED}
    return fixed | gone_in(withheld, grades)


def gone_but_for_withheld(findings: Collection[UUID] | QuerySet[Any]) -> set[UUID]:
    """Return which of these findings are gone, without looking at withheld verdicts. Two queries."""
    rows = list(histories_of(findings))
    return gone_in(rows, grades_of({row.submission for row in rows}))


def audit_sightings(finding: Finding) -> list[FindingSighting]:
    """Return where audits saw it, as far as its owner may know. Two queries."""
    rows = histories_of([finding.pk]).filter(present=True, audit__isnull=False)
    grades = grades_of({row.submission for row in rows})
    return [row for row in rows if _is_visible(row, grades)]


def gone_in(history: Iterable[FindingSighting], grades: Mapping[GradeKey, Grade]) -> set[UUID]:
    """Return the gone findings of sightings from `histories_of`, given the grades. No query."""
    observations: defaultdict[UUID, list[Observation]] = defaultdict(list)
    for row in history:
        if _is_visible(row, grades):
            attempt = row.submission.attempt
            observation = Observation(attempt, row.present, imported=row.audit is None)
            observations[row.finding_id].append(observation)

    return {
        key
        for key, rows in observations.items()
        if any(row.present for row in rows) and lifecycle_of(rows).state == FindingState.FIXED
    }


def _is_visible(row: FindingSighting, grades: Mapping[GradeKey, Grade]) -> bool:
    """Return whether the work's owner may know of this sighting (`row` of `histories_of`)."""
    work = row.submission
    return (
        row.audit is None
        or row.audit.kind == AuditKind.PEER
        or not is_withheld(work, grades.get((work.assignment_id, work.reader_id)))
    )


def dismissals_of(report: FeedbackReport) -> list[tuple[str, str]]:
    """Return the dismissed findings of this uploaded report as (text, reason). One query."""
    dismissal = FindingResponse.objects.filter(
        finding=OuterRef("finding"), kind=ResponseKind.DISMISSED, replaced_at=None
    )
    rows = FindingSighting.objects.filter(report=report).annotate(
        reason=Subquery(dismissal.values("reason"))
    )
    return list(rows.exclude(reason=None).values_list("text", "reason"))
