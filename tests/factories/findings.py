"""Reports as the courtroom writes them, made of checks and where they looked: what findings are
told from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django_scopes import scope

from courtroom.models.audit_report import (
    AuditReport,
    ConstitutionReference,
    CriterionCheck,
    CriterionResult,
    Integrity,
    Remediation,
    RubricReference,
    Usage,
)
from courtroom.models.evidence import Evidence, Location, evidence
from courtroom.models.facts import establish
from grading import workflow
from grading.core.enums import AuditKind, AuditState
from grading.engine.events import Verdict
from grading.models import Audit, Submission
from tests.factories.work import CRITERIA, AuditFactory, SubmissionFactory, claimed, criterion_row

Place = tuple[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """One check of a criterion: what it came to, and where. `flaw`: what was found there should not
    be there.
    """

    name: str
    met: bool | None = False
    places: Sequence[Place] = ()
    flaw: bool = False
    goal: str = ""
    criterion: str = "tidy"


def missing(name: str = "tidy.readme", **fields: Any) -> Checked:
    """Something that should be there and is not."""
    return Checked(name, **fields)


def flaw(*places: Place, name: str = "tidy.shell", **fields: Any) -> Checked:
    """Something that should not be there, and is: in these files and lines."""
    return Checked(name, places=places, flaw=True, **fields)


def met(name: str = "tidy.readme", **fields: Any) -> Checked:
    return Checked(name, met=True, **fields)


def report_of_checks(
    *checks: Checked, commit: str = "c" * 40, excluded: Sequence[str] = ()
) -> dict[str, Any]:
    """An `automaton-auditor/report@1` whose criteria hold these checks."""
    criteria = dict.fromkeys(check.criterion for check in checks)
    evidence = {check: _evidence(check, commit) for check in checks}
    pieces = {piece.id: piece for rows in evidence.values() for piece in rows}
    report = AuditReport(
        repo_url="https://git.example.org/student/work",
        commit=commit,
        ref=None,
        pdf_sha256=None,
        rubric=RubricReference(id="small", version="1", digest="d" * 64),
        constitution=ConstitutionReference(id="default", digest="d" * 64),
        judges={},
        status="verdict",
        overall_score=3.0,
        points=None,
        criteria=tuple(
            _criterion(
                name,
                {c: rows for c, rows in evidence.items() if c.criterion == name},
                name in excluded,
            )
            for name in criteria
        ),
        evidence=tuple(pieces.values()),
        facts=establish({}, {}),
        integrity=Integrity(),
        errors=(),
        usage=Usage(),
        timings={},
    )

    return report.sealed().as_json()


def _evidence(check: Checked, commit: str) -> tuple[Evidence, ...]:
    if check.met is None:
        return ()

    where = [
        Location(path=path, line_start=line, line_end=line, commit=commit)
        for path, line in check.places
    ]

    return tuple(
        evidence(
            detective="RepoInvestigator",
            check=check.name,
            goal=check.goal or check.name,
            rationale="Looked for.",
            found=check.flaw != check.met,
            location=location,
            content=None,
        )
        for location in where or [Location()]
    )


def _criterion(
    name: str, checks: dict[Checked, tuple[Evidence, ...]], excluded: bool
) -> CriterionResult:
    return CriterionResult(
        id=name,
        name=name.title(),
        final_score=None if excluded else 3,
        excluded=excluded,
        rationale="As it is.",
        checks=tuple(_row(check, pieces) for check, pieces in checks.items()),
        remediation=tuple(
            change
            for check, pieces in checks.items()
            if check.met is False
            for change in _changes(check, pieces)
        ),
    )


def _row(check: Checked, pieces: tuple[Evidence, ...]) -> CriterionCheck:
    return CriterionCheck(
        check=check.name,
        kind="file_exists",
        goal=check.goal or check.name,
        fault=f"Not so: {check.goal or check.name}",
        met=check.met,
        reason=f"{check.name} was looked for.",
        weight=1.0,
        evidence=tuple(piece.id for piece in pieces),
    )


def _changes(check: Checked, pieces: tuple[Evidence, ...]) -> list[Remediation]:
    groups = [(piece,) for piece in pieces] if check.flaw else [pieces]
    return [
        Remediation(
            path=group[0].location.path,
            line=group[0].location.line_start,
            action=f"Mend {check.name}.",
            snippet=None,
            priority="high",
            evidence=tuple(piece.id for piece in group),
            criterion_id=check.criterion,
        )
        for group in groups
    ]


def attempt_of(before: Submission, **fields: Any) -> Submission:
    """The same student's next attempt at the same assignment."""
    made: Submission = SubmissionFactory.create(
        assignment=before.assignment,
        student=before.student,
        attempt=before.attempt + 1,
        resolved_commit=f"{before.attempt + 1:040x}",
        **fields,
    )

    return made


def audited(submission: Submission, *checks: Checked, kind: AuditKind = AuditKind.SELF) -> Audit:
    """An audit of the submission that a worker has just finished, with these checks in its report."""
    audit: Audit = AuditFactory.create(submission=submission, kind=kind)
    finish(audit, *checks)
    return audit


def finish(audit: Audit, *checks: Checked) -> None:
    lease = claimed(audit)
    report = report_of_checks(*checks, commit=audit.submission.resolved_commit or "c" * 40)
    with scope(organization=audit.organization):
        workflow.finish_audit(
            lease=lease,
            verdict=Verdict(
                state=AuditState.DONE,
                report=report,
                digest=report["digest"],
                overall_score=3.0,
                commit=report["commit"],
                criteria=tuple(criterion_row(name, score=3) for name in CRITERIA),
                evidence=(),
            ),
        )
