"""Resynthesis: a new verdict from a stored report, perhaps under other rules, without a model."""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.models.audit_report import (
    AuditReport,
    ConstitutionReference,
    CriterionResult,
    RecordedError,
    RubricReference,
)
from courtroom.models.canonical_json import digest_of
from courtroom.models.errors import InputRefused
from courtroom.models.rubric import Criterion, Rubric
from courtroom.replay.report_reuse import StoredReport, opinions_of, outcomes_of
from courtroom.replay.rubric_preview import RubricPreview, RubricRevision, preview_rubric
from courtroom.replay.stored_checks import NEEDS_THE_SUBMISSION
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.rubric_import.shipped_rubrics import SHIPPED
from courtroom.synthesis import chief_justice
from courtroom.synthesis.constitutions import PRESETS, constitution_of
from courtroom.synthesis.evidence_weight import dossier_of
from courtroom.synthesis.next_steps import next_steps
from courtroom.synthesis.rules import Constitution

STAGE, LEFT_OPEN, OUTDATED = "chief_justice", "check_left_open", "opinions_outdated"
# Marks the code version of a resynthesised report, so that no audit reuses its dossier.
RESYNTHESIS_PREFIX = "resynthesis of "


def resynthesise(report: AuditReport, rubric: Rubric, constitution: Constitution) -> AuditReport:
    """Return the report with the verdict of this constitution on its evidence and opinions.

    Raises InputRefused (record_other_rubric) for a report that was judged under another rubric.
    """
    # Outcomes answer the checks of one text; under another they would be guesses.
    if rubric.digest != report.rubric.digest:
        message = (
            f"The report was judged under another text of"
            f" {report.rubric.id} {report.rubric.version}."
        )
        raise InputRefused("record_other_rubric", message)

    verdict = verdict_on(report, rubric, constitution)
    changes = {
        "constitution": constitution_reference(constitution),
        "status": verdict.status,
        "overall_score": verdict.overall_score,
        "points": verdict.points,
        "steps": verdict.steps,
        "criteria": verdict.criteria,
        "next_steps": next_steps(
            rubric,
            constitution,
            dossier_of(report.evidence, outcomes_of(report), report.facts),
            verdict.criteria,
        ),
    }
    return report.model_copy(update=changes).sealed()


def resynthesise_revision(
    report: AuditReport, revision: RubricRevision, constitution: Constitution
) -> AuditReport:
    """Return the report under the changed rubric, with the verdict that `preview_rubric` shows.

    Its errors name checks that only a new audit can answer, and criteria whose opinions by a model
    are about another text. Raises InputRefused (record_other_rubric) for a report of another rubric.
    """
    # Under the same text nothing is answered again: only the constitution may differ.
    if revision.before.digest == revision.after.digest:
        return resynthesise(report, revision.after, constitution)

    preview, after = preview_rubric(report.as_json(), revision, constitution), revision.after
    changes = {
        # Marked once, however often a report is computed again.
        "engine": RESYNTHESIS_PREFIX + report.engine.removeprefix(RESYNTHESIS_PREFIX),
        "rubric": RubricReference(id=after.id, version=after.version, digest=after.digest),
        "constitution": constitution_reference(constitution),
        "status": preview.verdict.status,
        "overall_score": preview.verdict.overall_score,
        "points": preview.verdict.points,
        "steps": preview.verdict.steps,
        "criteria": tuple(_with_keys(result, after) for result in preview.verdict.criteria),
        # The preview answered some checks anew, and left others open.
        "next_steps": (),
        "evidence": preview.evidence,
        "errors": (
            *_other_errors(report),
            *_left_open(preview, after),
            *_outdated(report, preview, after),
        ),
    }

    return report.model_copy(update=changes).sealed()


def _with_keys(result: CriterionResult, rubric: Rubric) -> CriterionResult:
    """Give opinions of a preview a key that no question has, so that no audit reuses them."""
    rows = tuple(
        row
        if row.key
        else row.model_copy(
            update={"key": f"{rubric.digest[:12]} {result.id} {row.judge} {row.round}"}
        )
        for row in result.opinions
    )
    return result.model_copy(update={"opinions": rows})


def _other_errors(report: AuditReport) -> Iterator[RecordedError]:
    # These two kinds are written anew.
    return (error for error in report.errors if error.code not in {LEFT_OPEN, OUTDATED})


def _left_open(preview: RubricPreview, rubric: Rubric) -> Iterator[RecordedError]:
    """Yield an error for each check without outcome, an earlier resynthesis' included."""
    goals = {check.id: check.goal for check in rubric.checks}
    for result in preview.verdict.criteria:
        for check in result.checks:
            if check.reason == NEEDS_THE_SUBMISSION:
                message = (
                    f"{result.name}: “{goals[check.check]}” was not checked yet."
                    " A new audit is needed."
                )
                yield RecordedError(stage=STAGE, code=LEFT_OPEN, message=message)


def _outdated(
    report: AuditReport, preview: RubricPreview, rubric: Rubric
) -> Iterator[RecordedError]:
    """Yield an error for each outdated criterion, also for one that was outdated before."""
    before = {error.message for error in report.errors if error.code == OUTDATED}
    for criterion in rubric.criteria:
        message = _outdated_message(criterion)
        if criterion.id in preview.outdated or message in before:
            yield RecordedError(stage=STAGE, code=OUTDATED, message=message)


def _outdated_message(criterion: Criterion) -> str:
    return (
        f"{criterion.name}: the judges answered an earlier text of the rubric, or were not asked."
    )


def verdict_on(
    record: AuditReport | StoredReport, rubric: Rubric, constitution: Constitution
) -> chief_justice.Verdict:
    """Return the verdict of this constitution on the stored evidence, outcomes and answers."""
    return chief_justice.synthesise(
        rubric=rubric,
        constitution=constitution,
        evidence=record.evidence,
        outcomes=outcomes_of(record),
        facts=record.facts,
        opinions=opinions_of(record),
    )


def rubric_of(report: AuditReport) -> Rubric:
    """Return the shipped rubric of the report. Raises InputRefused (record_other_rubric)."""
    for name in SHIPPED:
        if shipped_rubric(name).digest == report.rubric.digest:
            return shipped_rubric(name)

    message = (
        f"{report.rubric.id} {report.rubric.version} is not a shipped rubric in this text:"
        " name its file with --rubric."
    )
    raise InputRefused("record_other_rubric", message)


def constitution_under(report: AuditReport, rubric: Rubric) -> Constitution:
    """Return the report's constitution. Raises InputRefused (record_other_constitution)."""
    for constitution in (constitution_of(rubric), *PRESETS.values()):
        if constitution_reference(constitution) == report.constitution:
            return constitution

    message = (
        f"The report's constitution {report.constitution.id} is not available:"
        " name one with --constitution."
    )
    raise InputRefused("record_other_constitution", message)


def constitution_reference(constitution: Constitution) -> ConstitutionReference:
    return ConstitutionReference(
        id=constitution.id,
        digest=digest_of(constitution.model_dump(mode="json", exclude_none=True)),
    )


def describe_changes(before: AuditReport, after: AuditReport) -> Iterator[str]:
    """Yield one line for each difference between two verdicts."""
    if before.constitution != after.constitution:
        yield f"constitution: {before.constitution.id} -> {after.constitution.id}"
    if before.status != after.status:
        yield f"status: {before.status} -> {after.status}"
    if before.overall_score != after.overall_score:
        yield f"overall: {_format_score(before.overall_score)} -> {_format_score(after.overall_score)}"
    if before.points != after.points:
        yield f"points: {_format_points(before)} -> {_format_points(after)}"
    for old, new in zip(before.criteria, after.criteria, strict=True):
        yield from _changes_of(old, new)


def _changes_of(old: CriterionResult, new: CriterionResult) -> Iterator[str]:
    score = (
        f"{_format_score(old.final_score)} -> {_format_score(new.final_score)}"
        if old.final_score != new.final_score
        else ""
    )
    level = f"{old.level} -> {new.level}" if old.level != new.level else ""
    rules = ""
    if old.resolution != new.resolution:
        rules = (
            f"rules: {', '.join(old.resolution) or 'none'} -> {', '.join(new.resolution) or 'none'}"
        )

    changes = "; ".join(part for part in (score, level, rules) if part)
    if changes:
        yield f"{new.id}: {changes}"


def _format_score(score: float | None) -> str:
    return "no score" if score is None else f"{score:g}"


def _format_points(report: AuditReport) -> str:
    return (
        f"{report.points.earned:g} of {report.points.possible:g}" if report.points else "no points"
    )
