"""The RepoInvestigator: answers the checks about a repository from what was read of its history and source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from courtroom.analysis.git.history import History, history_facts
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.project.commit_pace import deferrals_of, story_of
from courtroom.analysis.survey import Survey
from courtroom.detectives.detective_result import (
    HISTORY_FACTS,
    SOURCE_FACTS,
    DetectiveResult,
    Suspicion,
    failed_result,
    recorded_error,
)
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.exchange_checks import with_records
from courtroom.detectives.fact_checks import FACT_CHECKS
from courtroom.detectives.findings import Finding, could_not_look
from courtroom.detectives.history_checks import deferred_in_commits, finding_on_history
from courtroom.detectives.source_checks import sighted
from courtroom.inputs import RepositoryInputs
from courtroom.models.errors import ExaminationFailed
from courtroom.models.facts import NO_SITE
from courtroom.models.project_facts import ExchangeFact
from courtroom.models.record import DetectiveName, Location, RecordedError
from courtroom.models.rubric import Check, CommitHistory, CommunicationLog, FeedbackLog

NAME: DetectiveName = "RepoInvestigator"


def investigate(
    scene: RepositoryInputs,
    snapshot: Snapshot,
    checks: Sequence[Check],
    exchange: ExchangeFact | None = None,
) -> DetectiveResult:
    """Answer every check that is owed, with verbatim quotes. What failed on our side is on the testimony.

    `exchange` is what a site knows of the student's part in rounds of peers; null without one.
    """
    facts, reasons = _facts(scene)
    facts["malformed_objects"] = snapshot.malformed_objects
    on_record = (
        {} if exchange is None else {"exchange": exchange.model_dump(mode="json", by_alias=True)}
    )
    findings = [
        (check, _with_records(check, _finding_on(check, scene), exchange)) for check in checks
    ]
    try:
        evidence, outcomes = write_down(findings, snapshot)
    except ExaminationFailed as error:
        failed = failed_result(NAME, checks, error, (*HISTORY_FACTS, *SOURCE_FACTS))
        return failed.model_copy(
            update={"facts": on_record, "reasons": failed.reasons | {"exchange": NO_SITE}}
        )
    return DetectiveResult(
        detective=NAME,
        evidence=evidence,
        outcomes=outcomes,
        facts=facts | on_record,
        reasons=reasons | {"exchange": NO_SITE},
        errors=_errors(scene),
        paths=scene.survey.paths if isinstance(scene.survey, Survey) else None,
        suspicions=_suspicions(scene, snapshot),
    )


def _with_records(check: Check, in_repository: Finding, exchange: ExchangeFact | None) -> Finding:
    if isinstance(check, FeedbackLog | CommunicationLog):
        return with_records(check, in_repository, exchange)
    return in_repository


def _finding_on(check: Check, scene: RepositoryInputs) -> Finding:
    if isinstance(check, CommitHistory):
        if isinstance(scene.history, ExaminationFailed):
            return could_not_look(scene.history.message)
        return finding_on_history(check, scene.history)
    if isinstance(scene.survey, ExaminationFailed):
        return could_not_look(scene.survey.message)
    finding = FACT_CHECKS.get(type(check), sighted)(check, scene.survey)
    if isinstance(check, FeedbackLog) and check.aspect == "deferred" and finding.met is False:
        return deferred_in_commits(scene.history) or finding
    return finding


def _facts(scene: RepositoryInputs) -> tuple[dict[str, Any], dict[str, str]]:
    facts: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for names, part in ((HISTORY_FACTS, scene.history), (SOURCE_FACTS, scene.survey)):
        if isinstance(part, ExaminationFailed):
            reasons |= dict.fromkeys(names, part.message)
        else:
            known, unknown = (
                _history(part) if isinstance(part, History) else (part.facts, part.reasons)
            )
            facts |= known
            reasons |= unknown
    if isinstance(scene.history, History) and facts.get("deferrals") is not None:
        facts["deferrals"] = [*facts["deferrals"], *deferrals_of(scene.history)]
    return facts, reasons


def _history(history: History) -> tuple[dict[str, Any], dict[str, str]]:
    facts, reasons = history_facts(history)
    story = story_of(history)
    return (
        (facts | {"history": story}, reasons)
        if story
        else (facts, reasons | {"history": "there are no commits"})
    )


def _suspicions(scene: RepositoryInputs, snapshot: Snapshot) -> tuple[Suspicion, ...]:
    if isinstance(scene.suspicions, ExaminationFailed):
        return ()
    return tuple(
        Suspicion(
            text=one.text,
            why=one.why,
            location=Location(
                path=one.path,
                line_start=one.line_start,
                line_end=one.line_end,
                commit=one.commit or (snapshot.commit if one.path else None),
            ),
        )
        for one in scene.suspicions
    )


def _errors(scene: RepositoryInputs) -> tuple[RecordedError, ...]:
    parts = (scene.history, scene.suspicions, scene.survey)
    failed = [recorded_error(NAME, part) for part in parts if isinstance(part, ExaminationFailed)]
    if isinstance(scene.survey, Survey):
        failed += [
            RecordedError(stage=NAME, code=code, message=text) for code, text in scene.survey.errors
        ]
    return tuple(failed)
