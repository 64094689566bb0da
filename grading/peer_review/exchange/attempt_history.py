"""The loop: changes in each attempt, the peers that led to them, and who caught which findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.core.enums import ResponseKind
from grading.core.team_access import work_key
from grading.findings.queries.visible_findings import (
    Changes,
    VisibleFinding,
    changes_in,
    findings_of,
)
from grading.models import Assignment, Enrollment, Submission
from grading.submissions.queries import Attempt, attempts_of, staff_attempt, visible_attempts


@dataclass(frozen=True, slots=True)
class Fix:
    """Finding that was fixed in an attempt.

    `commit` is the one its owner named if it changes the place, else the attempt's; `led_by` are the
    peers who had reported it in an earlier attempt.
    """

    finding: VisibleFinding
    commit: str
    led_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """Attempt with its changes; `changes` is None where the reader may not see its findings."""

    attempt: Attempt
    changes: Changes | None
    fixes: tuple[Fix, ...]

    @property
    def submission(self) -> Submission:
        return self.attempt.submission


@dataclass(frozen=True, slots=True)
class Caught:
    """Findings of all attempts by who reported them: peers, own audits or both."""

    peers_alone: tuple[VisibleFinding, ...]
    both: tuple[VisibleFinding, ...]
    own_alone: tuple[VisibleFinding, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    turns: tuple[Turn, ...]
    caught: Caught

    @property
    def is_audited_by_peers(self) -> bool:
        return bool(self.caught.peers_alone or self.caught.both)


def loop_of(assignment: Assignment, student: Enrollment, *, is_staff: bool) -> Loop:
    """Return every attempt of the student in order, as this reader may see it.

    The number of queries does not depend on the data.
    """
    submissions = list(attempts_of(student, assignment))
    attempts = (
        [staff_attempt(submission) for submission in submissions]
        if is_staff
        else visible_attempts(submissions)
    )
    withheld = {attempt.submission.pk for attempt in attempts if attempt.visibility == "withheld"}

    author = work_key(assignment, student)
    findings = (
        findings_of(assignment, author, is_staff=is_staff, withheld=withheld)
        if author is not None
        else ()
    )
    reported = {sighting.attempt for finding in findings for sighting in finding.sights}
    turns = [_turn(attempt, findings, reported) for attempt in reversed(attempts)]
    return Loop(tuple(turns), _caught(findings))


def _turn(attempt: Attempt, findings: Sequence[VisibleFinding], reported: set[int]) -> Turn:
    number = attempt.submission.attempt
    is_judged = (
        attempt.audit is not None and attempt.audit.has_report and attempt.visibility != "withheld"
    )
    # An imported report may show findings of an attempt that has no verdict yet.
    if not is_judged and number not in reported:
        return Turn(attempt, None, ())

    changes = changes_in(findings, number)
    return Turn(
        attempt, changes, tuple(_fix(finding, attempt.submission) for finding in changes.fixed)
    )


def _fix(finding: VisibleFinding, submission: Submission) -> Fix:
    answer = finding.answer.row if finding.answer else None
    named_commit = (
        answer.commit if answer and answer.kind == ResponseKind.FIXED and answer.verified else ""
    )

    led_by = dict.fromkeys(
        sighting.source.name
        for sighting in finding.sights
        # Earlier attempts only: a report on the fixed attempt cannot have led to the fix.
        if sighting.present and not sighting.source.is_own and sighting.attempt < submission.attempt
    )
    return Fix(finding, named_commit or submission.resolved_commit, tuple(led_by))


def _caught(findings: Sequence[VisibleFinding]) -> Caught:
    return Caught(
        peers_alone=tuple(row for row in findings if row.peers and not row.is_own),
        both=tuple(row for row in findings if row.peers and row.is_own),
        own_alone=tuple(row for row in findings if not row.peers),
    )
