"""Findings as one reader may see them: their sightings by attempt, their state and their answers.

A withheld verdict shows a student nothing here: sightings by such audits are left out, and the
state of a finding is computed from the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db.models import Prefetch, QuerySet

from grading.audits.queries import is_withheld
from grading.core.enums import (
    AuditKind,
    FeedbackKind,
    FindingState,
    ResponseKind,
)
from grading.core.pairing_access import is_granted
from grading.findings.finding_state import Lifecycle, Observation, lifecycle_of
from grading.models import (
    Assignment,
    Enrollment,
    FeedbackReport,
    Finding,
    FindingResponse,
    FindingSighting,
    Grade,
    Submission,
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
