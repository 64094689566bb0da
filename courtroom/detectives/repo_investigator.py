"""The RepoInvestigator: answers the checks on a repository from its history and its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from courtroom.analysis.git.change_times import change_times
from courtroom.analysis.git.history import History, history_facts
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.project.audit_folders import kind_of as kind_of_audit
from courtroom.analysis.project.commit_pace import deferrals_of, history_fact
from courtroom.analysis.project.feedback_answers import with_commits
from courtroom.analysis.project.misplaced_audits import misplaced_fact
from courtroom.analysis.survey import Survey
from courtroom.checks.registry import Check, kind_of, unknown_kind
from courtroom.checks.result import READ_IN_PART, Finding, not_answered
from courtroom.checks.sources import Sources
from courtroom.detectives.detective_result import (
    HISTORY_FACTS,
    SOURCE_FACTS,
    DetectiveResult,
    Suspicion,
    failed_result,
    recorded_error,
)
from courtroom.detectives.evidence_writer import write_down
from courtroom.inputs import RepositoryInputs
from courtroom.models.audit_report import RecordedError
from courtroom.models.errors import ExaminationFailed
from courtroom.models.evidence import DetectiveName, Location
from courtroom.models.facts import NO_SITE
from courtroom.models.project_facts import ExchangeFact

NAME: DetectiveName = "RepoInvestigator"

Facts = tuple[dict[str, Any], dict[str, str]]


def investigate(
    inputs: RepositoryInputs,
    snapshot: Snapshot,
    checks: Sequence[Check],
    exchange: ExchangeFact | None = None,
) -> DetectiveResult:
    """Answer every check that is owed, with verbatim quotes. Our own failures are in the result.

    `exchange` is what a site knows of the student's part in rounds of peers; null without one.
    """
    facts, reasons = _facts(inputs)
    facts["malformed_objects"] = snapshot.malformed_objects
    site_facts = (
        {} if exchange is None else {"exchange": exchange.model_dump(mode="json", by_alias=True)}
    )

    # Kinds see only what this detective read.
    sources = Sources(history=inputs.history, survey=inputs.survey, exchange=exchange)
    findings = [(check, _as_far_as_read(_finding(check, sources), facts)) for check in checks]
    try:
        evidence, outcomes = write_down(findings, snapshot)
    except ExaminationFailed as error:
        # Without the quotes nothing is verbatim: every check is open, and the site's facts remain.
        failed = failed_result(NAME, checks, error, (*HISTORY_FACTS, *SOURCE_FACTS))
        return failed.model_copy(
            update={"facts": site_facts, "reasons": failed.reasons | {"exchange": NO_SITE}}
        )

    return DetectiveResult(
        detective=NAME,
        evidence=evidence,
        outcomes=outcomes,
        facts=facts | site_facts,
        reasons=reasons | {"exchange": NO_SITE},
        errors=_errors(inputs),
        paths=inputs.survey.paths if isinstance(inputs.survey, Survey) else None,
        empty_paths=inputs.survey.empty_paths if isinstance(inputs.survey, Survey) else (),
        changed_at=change_times(inputs.history) if isinstance(inputs.history, History) else {},
        suspicions=_suspicions(inputs, snapshot),
    )


def _finding(check: Check, sources: Sources) -> Finding:
    """The answer of the check's kind. Checks of an unknown kind come here to be left open."""
    kind = kind_of(check)
    if kind is None:
        return unknown_kind(check)
    return kind.detect(check, sources) or not_answered()


def _as_far_as_read(finding: Finding, facts: Mapping[str, Any]) -> Finding:
    """Return the finding; what is said of all files is less certain where some were not read."""
    if not facts.get("unreadable_files"):
        return finding
    clues = (
        clue if clue.path or clue.commit else replace(clue, confidence=READ_IN_PART)
        for clue in finding.clues
    )
    return replace(finding, clues=tuple(clues))


def _facts(inputs: RepositoryInputs) -> Facts:
    facts: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for names, part in ((HISTORY_FACTS, inputs.history), (SOURCE_FACTS, inputs.survey)):
        if isinstance(part, ExaminationFailed):
            reasons |= dict.fromkeys(names, part.message)
            continue
        values, open_reasons = (
            _history_facts(part) if isinstance(part, History) else _source_facts(part)
        )
        facts |= values
        reasons |= open_reasons

    # Deferrals and answers stand in files and in commit messages: the facts join both.
    if isinstance(inputs.history, History) and facts.get("deferrals") is not None:
        facts["deferrals"] = [*facts["deferrals"], *deferrals_of(inputs.history)]
    facts = with_commits(facts, inputs.history)
    facts["misplaced_audits"], reasons["misplaced_audits"] = misplaced_fact(
        facts.get("own_audits"), reasons, inputs.history
    )
    return facts, reasons


def _source_facts(survey: Survey) -> Facts:
    empty = [
        path
        for path in survey.empty_paths
        if path.lower().endswith(".pdf") and kind_of_audit(path) is None
    ]
    return {**survey.facts, "empty_reports": sorted(empty)}, {**survey.reasons}


def _history_facts(history: History) -> Facts:
    facts, reasons = history_facts(history)
    if history.earlier_audits is None:
        reasons["earlier_audits"] = "git could not read the earlier versions of the audits."
    else:
        facts["earlier_audits"] = [asdict(audit) for audit in history.earlier_audits]
    story = history_fact(history)
    if story:
        return facts | {"history": story}, reasons
    return facts, reasons | {"history": "there are no commits"}


def _suspicions(inputs: RepositoryInputs, snapshot: Snapshot) -> tuple[Suspicion, ...]:
    if isinstance(inputs.suspicions, ExaminationFailed):
        return ()
    aside = inputs.survey.aside if isinstance(inputs.survey, Survey) else {}
    return tuple(
        Suspicion(
            text=passage.text,
            why=passage.why,
            # The name of a file is shown to the judges wherever it lies.
            aside=aside.get(passage.path or "", "") if passage.line_start else "",
            location=Location(
                path=passage.path,
                line_start=passage.line_start,
                line_end=passage.line_end,
                commit=passage.commit or (snapshot.commit if passage.path else None),
            ),
        )
        for passage in inputs.suspicions
    )


def _errors(inputs: RepositoryInputs) -> tuple[RecordedError, ...]:
    parts = (inputs.history, inputs.suspicions, inputs.survey)
    errors = [recorded_error(NAME, part) for part in parts if isinstance(part, ExaminationFailed)]
    if isinstance(inputs.survey, Survey):
        errors += [
            RecordedError(stage=NAME, code=code, message=text)
            for code, text in inputs.survey.errors
        ]
    return tuple(errors)
