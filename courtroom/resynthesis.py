"""The verdict anew from a stored report: the same evidence and opinions, perhaps other rules, and no model call."""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.errors import InputRefused
from courtroom.justice import synthesis
from courtroom.justice.constitutions import PRESETS, constitution_of
from courtroom.justice.rules import Constitution
from courtroom.record import (
    AuditReport,
    ConstitutionReference,
    CriterionResult,
    digest_of,
)
from courtroom.remembrance import Record, opinions_of, outcomes_of
from courtroom.rubric import Rubric
from courtroom.rubric_reading.reader import SHIPPED, shipped_rubric


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


def verdict_on(record: AuditReport | Record, rubric: Rubric, constitution: Constitution) -> synthesis.Verdict:
    """What this constitution makes of the evidence, the outcomes and every answer on the record."""
    return synthesis.synthesise(
        rubric=rubric,
        constitution=constitution,
        evidence=record.evidence,
        outcomes=outcomes_of(record),
        unknown=record.facts.unknown,
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
    message = (
        f"The report's constitution {report.constitution.id} is not at hand: name one with --constitution."
    )
    raise InputRefused("record_other_constitution", message)


def reference_to(constitution: Constitution) -> ConstitutionReference:
    return ConstitutionReference(id=constitution.id, digest=digest_of(constitution.model_dump(mode="json")))


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
        rules = f"rules: {', '.join(old.resolution) or 'none'} -> {', '.join(new.resolution) or 'none'}"
    what = "; ".join(part for part in (score, level, rules) if part)
    if what:
        yield f"{new.id}: {what}"


def _shown(score: float | None) -> str:
    return "no score" if score is None else f"{score:g}"


def _sum(report: AuditReport) -> str:
    return f"{report.points.earned:g} of {report.points.possible:g}" if report.points else "no points"
