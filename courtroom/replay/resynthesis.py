"""The verdict anew from a stored report: the same evidence and opinions, perhaps other rules, and no model call."""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.models.errors import InputRefused
from courtroom.models.record import (
    AuditReport,
    ConstitutionReference,
    CriterionResult,
    RecordedError,
    RubricReference,
    digest_of,
)
from courtroom.models.rubric import Criterion, Rubric
from courtroom.replay.report_reuse import Record, opinions_of, outcomes_of
from courtroom.replay.rubric_preview import Foresight, Revision, foresee
from courtroom.replay.stored_checks import NEEDS_THE_SUBMISSION
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.rubric_import.shipped_rubrics import SHIPPED
from courtroom.synthesis import chief_justice
from courtroom.synthesis.constitutions import PRESETS, constitution_of
from courtroom.synthesis.rules import Constitution

STAGE, LEFT_OPEN, OUTDATED = "chief_justice", "check_left_open", "opinions_outdated"
# A record that was not made from the submission alone is no dossier for a later audit (remembrance.py).
FROM_THE_RECORD = "resynthesis of "


def resynthesise(report: AuditReport, rubric: Rubric, constitution: Constitution) -> AuditReport:
    """The report with the verdict that this constitution gives on what was found and said.

    Raises InputRefused (record_other_rubric) when the report was not judged under this rubric.
    """
    if rubric.digest != report.rubric.digest:
        message = f"The report was judged under {report.rubric.id} {report.rubric.version} of another text."
        raise InputRefused("record_other_rubric", message)
    verdict = verdict_on(report, rubric, constitution)
    changes = {
        "constitution": reference_to(constitution),
        "status": verdict.status,
        "overall_score": verdict.overall_score,
        "points": verdict.points,
        "criteria": verdict.criteria,
    }
    return report.model_copy(update=changes).sealed()


def resynthesise_under(
    report: AuditReport, revision: Revision, constitution: Constitution
) -> AuditReport:
    """The report under a rubric's next text, with exactly the verdict that `foresee` shows.

    Its errors name the checks that only a new audit can answer, and the criteria that judges by a model argued on
    another text. Raises InputRefused (record_other_rubric) when it was not judged under `revision.before`.
    """
    if revision.before.digest == revision.after.digest:
        return resynthesise(report, revision.after, constitution)
    seen, after = foresee(report.as_json(), revision, constitution), revision.after
    changes = {
        "engine": FROM_THE_RECORD + report.engine.removeprefix(FROM_THE_RECORD),
        "rubric": RubricReference(id=after.id, version=after.version, digest=after.digest),
        "constitution": reference_to(constitution),
        "status": seen.verdict.status,
        "overall_score": seen.verdict.overall_score,
        "points": seen.verdict.points,
        "criteria": tuple(_named(result, after) for result in seen.verdict.criteria),
        "evidence": seen.evidence,
        "errors": (*_kept(report), *_left_open(seen, after), *_outdated(report, seen, after)),
    }
    return report.model_copy(update=changes).sealed()


def _named(result: CriterionResult, rubric: Rubric) -> CriterionResult:
    """Opinions that were foreseen get a name on the record; no question has it, so no audit takes them for answers."""
    rows = tuple(
        row
        if row.key
        else row.model_copy(
            update={"key": f"{rubric.digest[:12]} {result.id} {row.judge} {row.round}"}
        )
        for row in result.opinions
    )
    return result.model_copy(update={"opinions": rows})


def _kept(report: AuditReport) -> Iterator[RecordedError]:
    return (error for error in report.errors if error.code not in {LEFT_OPEN, OUTDATED})


def _left_open(seen: Foresight, rubric: Rubric) -> Iterator[RecordedError]:
    """Also what an earlier re-synthesis had left open."""
    goals = {check.id: check.goal for check in rubric.checks}
    for result in seen.verdict.criteria:
        for check in result.checks:
            if check.reason == NEEDS_THE_SUBMISSION:
                message = f"{result.name}: “{goals[check.check]}” was not looked for yet. It takes a new audit."
                yield RecordedError(stage=STAGE, code=LEFT_OPEN, message=message)


def _outdated(report: AuditReport, seen: Foresight, rubric: Rubric) -> Iterator[RecordedError]:
    """Also what was outdated before: the opinions are still those."""
    before = {error.message for error in report.errors if error.code == OUTDATED}
    for criterion in rubric.criteria:
        message = _argued_before(criterion)
        if criterion.id in seen.outdated or message in before:
            yield RecordedError(stage=STAGE, code=OUTDATED, message=message)


def _argued_before(criterion: Criterion) -> str:
    return (
        f"{criterion.name}: the judges argued on an earlier text of the rubric, or were not asked."
    )


def verdict_on(
    record: AuditReport | Record, rubric: Rubric, constitution: Constitution
) -> chief_justice.Verdict:
    """What this constitution makes of the evidence, the outcomes and every answer on the record."""
    return chief_justice.synthesise(
        rubric=rubric,
        constitution=constitution,
        evidence=record.evidence,
        outcomes=outcomes_of(record),
        facts=record.facts,
        opinions=opinions_of(record),
    )


def rubric_of(report: AuditReport) -> Rubric:
    """The shipped rubric that the report was judged under. Raises InputRefused: record_other_rubric."""
    for name in SHIPPED:
        if shipped_rubric(name).digest == report.rubric.digest:
            return shipped_rubric(name)
    message = f"{report.rubric.id} {report.rubric.version} is not shipped in this text: name its file with --rubric."
    raise InputRefused("record_other_rubric", message)


def constitution_under(report: AuditReport, rubric: Rubric) -> Constitution:
    """The constitution that the report names. Raises InputRefused: record_other_constitution."""
    for known in (constitution_of(rubric), *PRESETS.values()):
        if reference_to(known) == report.constitution:
            return known
    message = f"The report's constitution {report.constitution.id} is not at hand: name one with --constitution."
    raise InputRefused("record_other_constitution", message)


def reference_to(constitution: Constitution) -> ConstitutionReference:
    return ConstitutionReference(
        id=constitution.id,
        digest=digest_of(constitution.model_dump(mode="json", exclude_none=True)),
    )


def changes_between(before: AuditReport, after: AuditReport) -> Iterator[str]:
    """What another verdict changes, in sentences; nothing when they are the same."""
    if before.constitution != after.constitution:
        yield f"constitution: {before.constitution.id} -> {after.constitution.id}"
    if before.status != after.status:
        yield f"status: {before.status} -> {after.status}"
    if before.overall_score != after.overall_score:
        yield f"overall: {_shown(before.overall_score)} -> {_shown(after.overall_score)}"
    if before.points != after.points:
        yield f"points: {_sum(before)} -> {_sum(after)}"
    for old, new in zip(before.criteria, after.criteria, strict=True):
        yield from _changes_of(old, new)


def _changes_of(old: CriterionResult, new: CriterionResult) -> Iterator[str]:
    score = (
        f"{_shown(old.final_score)} -> {_shown(new.final_score)}"
        if old.final_score != new.final_score
        else ""
    )
    level = f"{old.level} -> {new.level}" if old.level != new.level else ""
    rules = ""
    if old.resolution != new.resolution:
        rules = (
            f"rules: {', '.join(old.resolution) or 'none'} -> {', '.join(new.resolution) or 'none'}"
        )
    what = "; ".join(part for part in (score, level, rules) if part)
    if what:
        yield f"{new.id}: {what}"


def _shown(score: float | None) -> str:
    return "no score" if score is None else f"{score:g}"


def _sum(report: AuditReport) -> str:
    return (
        f"{report.points.earned:g} of {report.points.possible:g}" if report.points else "no points"
    )
