"""Rows that are never saved: an institution, a student, their attempts and what was found in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from grading.core.enums import AuditState, BulkState, BulkVerb, FindingState, ResponseKind
from grading.findings.finding_state import Life
from grading.findings.queries import SeenFinding, Sight, Witness
from grading.models import (
    Assignment,
    Audit,
    BulkRun,
    Cohort,
    Enrollment,
    Finding,
    FindingResponse,
    FindingSighting,
    Organization,
    RubricVersion,
    Submission,
)
from grading.submissions.queries import Attempt

AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
LONG = "a_name_that_goes_on_" * 4
NOBODY = UUID(int=1)
INSTITUTE = Organization(pk=1, name="Example institute", slug="example")
COHORT = Cohort(pk=1, organization=INSTITUTE, name="Autumn", slug="autumn")
STUDENT = Enrollment(
    pk=1, organization=INSTITUTE, cohort=COHORT, name="Ada Example", email="ada@example.org"
)
ASSIGNMENT = Assignment(
    pk=1, organization=INSTITUTE, cohort=COHORT, title="The Automaton Auditor", slug="auditor"
)
FAILURE = "The repository did not answer within 60 s. Look whether it is public, and hand in again."


def hand_in(attempt: int) -> Submission:
    return Submission(
        pk=UUID(int=attempt),
        organization=INSTITUTE,
        assignment=ASSIGNMENT,
        student=STUDENT,
        attempt=attempt,
        repo_url="https://git.example.org/ada/automaton",
        resolved_commit="4f2a9c1d7e0b35a86c1f9d2e4b7a60c3d8e5f412",
        handed_in_at=AT,
    )


def audit_in(state: AuditState, stage: str = "") -> Audit:
    """The audit of a first attempt, in this state; a failed one says why."""
    failed, taken = (
        state == AuditState.FAILED,
        state not in {AuditState.RECEIVED, AuditState.QUEUED},
    )
    return Audit(
        id=NOBODY,
        organization=INSTITUTE,
        submission=hand_in(1),
        state=state,
        stage=stage,
        queued_at=AT,
        started_at=AT + timedelta(seconds=4) if taken else None,
        finished_at=AT + timedelta(seconds=64) if failed else None,
        opinions_expected=30 if taken else 0,
        opinions_done=12 if taken else 0,
        failure_code="clone_timeout" if failed else "",
        failure_message=FAILURE if failed else "",
    )


def attempts() -> list[Attempt]:
    """One in every state that an attempt can be in."""
    return [
        Attempt(hand_in(number), audit_in(state), "", 3.2 if state == AuditState.DONE else None)
        for number, state in enumerate(AuditState, start=1)
    ]


def findings() -> list[SeenFinding]:
    """Open and owed, come back and answered, gone: as their owner sees them."""
    return [
        _seen(
            "No call goes through a shell",
            "src/tools/clone.py",
            Life(FindingState.OPEN, 1, 3, None),
            (),
        ),
        _seen(
            LONG,
            f"src/{LONG}.py",
            Life(FindingState.REGRESSED, 1, 3, None),
            (_answer(verified=False),),
        ),
        _seen(
            "The README names a command",
            "",
            Life(FindingState.FIXED, 1, 2, 3),
            (_answer(verified=True),),
        ),
    ]


def _seen(title: str, place: str, life: Life, answers: tuple[FindingResponse, ...]) -> SeenFinding:
    finding = Finding(
        id=NOBODY, organization=INSTITUTE, title=title, place=place, criterion_name="Safe tools"
    )
    row = FindingSighting(
        finding=finding, present=True, priority="high", lines=[12, 40] if place else []
    )
    sights = (
        Sight(hand_in(1), Witness("my own audits", is_own=True), row),
        Sight(hand_in(2), Witness("Peer 482", is_own=False), row),
    )
    return SeenFinding(
        finding=finding, title=title, sights=sights, life=life, latest=3, answers=answers
    )


def _answer(*, verified: bool) -> FindingResponse:
    return FindingResponse(
        kind=ResponseKind.FIXED, commit="4f2a9c1d7e", verified=verified, verification="Looked up."
    )


def bulk_run() -> BulkRun:
    return BulkRun(
        id=NOBODY,
        organization=INSTITUTE,
        assignment=ASSIGNMENT,
        verb=BulkVerb.REJUDGE,
        rubric_version=RubricVersion(pk=1, number=2),
        state=BulkState.RUNNING,
        total=120,
        created_at=AT,
    )
