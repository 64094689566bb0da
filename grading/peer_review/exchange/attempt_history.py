"""The loop: what each attempt changed, whose finding led to it, and what one's own auditor and the peers' each caught."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.core.enums import AuditState, ResponseKind
from grading.findings.queries import Changes, VisibleFinding, changes_in, findings_of
from grading.models import Assignment, Enrollment, Submission
from grading.submissions.queries import Attempt, attempts_of, audit_to_show, visible_attempts


@dataclass(frozen=True, slots=True)
class Fix:
    """A finding that was gone in an attempt. `commit` is the one its owner named where that was verified, else the
    attempt's; `led_by` the peers who had seen it in an attempt before."""

    seen: VisibleFinding
    commit: str
    led_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt; `changes` is null where its reader may know nothing of what was found in it."""

    attempt: Attempt
    changes: Changes | None
    fixes: tuple[Fix, ...]

    @property
    def submission(self) -> Submission:
        return self.attempt.submission


@dataclass(frozen=True, slots=True)
class Caught:
    """Findings by who saw them, whenever: matched by identity."""

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
    """Every attempt of the student in order, as this reader may see them. As many queries whatever there is."""
    submissions = list(attempts_of(student, assignment))
    attempts = (
        [_staffs(each) for each in submissions] if is_staff else visible_attempts(submissions)
    )
    withheld = {each.submission.pk for each in attempts if each.visibility == "withheld"}
    seen = findings_of(assignment, student, is_staff=is_staff, withheld=withheld)
    heard = {sight.attempt for each in seen for sight in each.sights}
    turns = [_turn(attempt, seen, heard) for attempt in reversed(attempts)]
    return Loop(tuple(turns), _caught(seen))


def _staffs(submission: Submission) -> Attempt:
    """As the audit has it, whatever was released."""
    audit = audit_to_show(submission)
    judged = audit is not None and audit.state == AuditState.DONE
    return Attempt(submission, audit, "", audit.overall_score if audit and judged else None)


def _turn(attempt: Attempt, seen: Sequence[VisibleFinding], heard: set[int]) -> Turn:
    number = attempt.submission.attempt
    is_judged = (
        attempt.audit is not None and attempt.audit.has_report and attempt.visibility != "withheld"
    )
    if not is_judged and number not in heard:
        return Turn(attempt, None, ())
    changes = changes_in(seen, number)
    return Turn(attempt, changes, tuple(_fix(each, attempt.submission) for each in changes.fixed))


def _fix(seen: VisibleFinding, submission: Submission) -> Fix:
    answer = seen.answer
    named = (
        answer.commit if answer and answer.kind == ResponseKind.FIXED and answer.verified else ""
    )
    led_by = dict.fromkeys(
        sight.source.name
        for sight in seen.sights
        if sight.present and not sight.source.is_own and sight.attempt < submission.attempt
    )
    return Fix(seen, named or submission.resolved_commit, tuple(led_by))


def _caught(seen: Sequence[VisibleFinding]) -> Caught:
    return Caught(
        peers_alone=tuple(each for each in seen if each.peers and not each.is_own),
        both=tuple(each for each in seen if each.peers and each.is_own),
        own_alone=tuple(each for each in seen if not each.peers),
    )
