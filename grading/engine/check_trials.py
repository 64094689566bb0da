"""Trials of one check on a stored report or on a submission.

Importing this module is cheap. A trial on a stored report loads nothing heavy; `examine` runs an
audit and is for jobs only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from django.conf import settings
from pydantic import Field

from grading.core.async_stream import listen
from grading.core.errors import InputRefused
from grading.core.uploads import copy_pdf
from grading.engine import rubrics as engine_rubrics
from grading.engine.report import Evidence, Report, RootCause, parse_report
from grading.engine.report_facts import ReportRecord
from grading.engine.repository_access import opened_repository
from grading.engine.rubrics import RubricFault
from grading.models import Audit

if TYPE_CHECKING:
    from courtroom import Case
    from courtroom.models.evidence import CheckOutcome
    from courtroom.models.repository_access import RepositoryAccess

CHECK_IN_A_RUBRIC = ("criteria", 0, "checks", 0)
# A rubric around the check, so that its faults are found as in a rubric. One line stands before.
BEFORE = (
    '{"id": "trial", "name": "Trial", "version": "0", '
    '"criteria": [{"id": "trial", "name": "Trial", "checks": [\n'
)
AFTER = "\n]}]}"
# A trial has no lease to renew, so its beats are ignored.
BEAT_SECONDS = 60
NOT_ESTABLISHED = "Nothing could be established."


class Trial(ReportRecord):
    """Outcome of one check: `met` is null where it is not established or does not apply.

    With `needs_submission` the stored report cannot tell: the repository must be read again.
    """

    goal: str
    fault: str = ""
    met: bool | None
    reason: str
    evidence: tuple[Evidence, ...] = ()
    not_applicable: RootCause | None = Field(None, exclude_if=lambda cause: cause is None)
    needs_submission: bool = False


def read_check(text: str) -> tuple[dict[str, Any], tuple[RubricFault, ...]]:
    """Return a check and its faults by line; a check with faults must not be used."""
    # Parsed alone first: inside the rubric, “{…}, {…}” would be two valid checks.
    values = _values_in(text)
    if len(values) != 1 or not isinstance(values[0], dict):
        _, faults = engine_rubrics.read_rubric_text(text)
        invalid = [fault for fault in faults if fault.kind == "json_invalid"]
        return {}, tuple(invalid) or (
            RubricFault((), "not_a_check", "A check is one JSON object.", 1, 1),
        )

    _, faults = engine_rubrics.read_rubric_text(f"{BEFORE}{text}{AFTER}")
    return values[0], tuple(_within_check(fault) for fault in faults)


def _values_in(text: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return []


def _within_check(fault: RubricFault) -> RubricFault:
    return replace(
        fault,
        place=fault.place[len(CHECK_IN_A_RUBRIC) :],
        # BEFORE takes one line; a fault of the whole may be on it.
        line=fault.line and max(1, fault.line - 1),
    )


def try_check(check: Mapping[str, Any], report: Mapping[str, Any]) -> Trial:
    """Try a check without faults on the facts of a stored report."""
    from courtroom import Rubric
    from courtroom import try_check as try_on_report
    from courtroom.checks.registry import fault_of

    model = Rubric.model_validate(_rubric_of(check)).checks[0]
    trial = try_on_report(model, report)
    return Trial(
        goal=model.goal,
        fault=fault_of(model),
        met=trial.outcome.met,
        reason=trial.outcome.reason,
        evidence=tuple(
            Evidence.model_validate(piece.model_dump(mode="json")) for piece in trial.evidence
        ),
        not_applicable=_root_cause(trial.outcome),
        needs_submission=trial.needs_submission,
    )


def _root_cause(outcome: CheckOutcome) -> RootCause | None:
    cause = outcome.not_applicable
    return RootCause(code=cause.code, sentence=cause.sentence) if cause else None


def examine(audit: Audit, check: Mapping[str, Any]) -> Trial:
    """Try a check on the submission, cloned again at the judged commit in the sandbox.

    The judges are the heuristic ones, so no model is called. Raises InputRefused, UploadUnreadable.
    """
    from courtroom import BenchSettings, hold_audit
    from courtroom import CourtroomError as Refused

    bench = BenchSettings(kind="heuristic", fence_secret=settings.EVIDENCE_SECRET)
    with TemporaryDirectory(prefix="upload-") as folder:
        pdf = copy_pdf(audit.submission, Path(folder)) if audit.submission.pdf else None
        try:
            with opened_repository(audit.submission, "a trial of a check") as access:
                case = _case(audit, check, pdf, access)
                events = list(
                    listen(lambda: hold_audit(case, bench=bench), beat_seconds=BEAT_SECONDS)
                )
        except Refused as error:
            raise InputRefused(error.code, error.message) from error
    report = next(event.report for event in reversed(events) if event and event.report)
    return _trial_in(parse_report(report.as_json()), check)


def _case(
    audit: Audit, check: Mapping[str, Any], pdf: Path | None, access: RepositoryAccess | None
) -> Case:
    from courtroom import Case, Rubric, preset

    submission = audit.submission
    return Case(
        repo_url=submission.repo_url,
        ref=submission.resolved_commit or submission.ref or None,
        pdf=pdf,
        rubric=Rubric.model_validate(_rubric_of(check)),
        # A trial reads no score, so any constitution would do.
        constitution=preset("default"),
        allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
        access=access,
    )


def _trial_in(report: Report, check: Mapping[str, Any]) -> Trial:
    outcomes = [outcome for criterion in report.criteria for outcome in criterion.checks]
    # Where nothing at all could be read, the report is degraded and its errors say why.
    if not outcomes:
        reasons = [error.message for error in report.errors]
        return Trial(goal=check["goal"], met=None, reason=" ".join(reasons) or NOT_ESTABLISHED)

    outcome = outcomes[0]
    pieces = tuple(piece for piece in report.evidence if piece.id in outcome.evidence)
    return Trial(
        goal=outcome.goal,
        fault=outcome.fault,
        met=outcome.met,
        reason=outcome.reason,
        evidence=pieces,
        not_applicable=outcome.not_applicable,
    )


def _rubric_of(check: Mapping[str, Any]) -> dict[str, Any]:
    criterion = {"id": "trial", "name": "Trial", "checks": [check]}
    return {"id": "trial", "name": "Trial", "version": "0", "criteria": [criterion]}
