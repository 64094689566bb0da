"""Verdict of a stored report under a changed rubric, without repository, model or graph.

The constitution and the weight, points, levels and exclusion of criteria are always computed again.
Changed checks are answered from the report's facts where that is possible (stored_checks.py), and
heuristic judges answer again where checks changed. Opinions of a model stay, and the result names
those that are outdated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from courtroom.checks.registry import Check
from courtroom.judges.heuristic import answer_now
from courtroom.judges.judge_inputs import JudgeAnswer, question_for
from courtroom.models.errors import InputRefused
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.judge_answer import PERSONAS
from courtroom.models.rubric import Criterion, Rubric
from courtroom.replay.report_reuse import StoredReport, opinions_of, outcomes_of
from courtroom.replay.stored_checks import try_check
from courtroom.synthesis.chief_justice import Verdict, contested, synthesise
from courtroom.synthesis.evidence_weight import StatedFacts, dossier_of
from courtroom.synthesis.rules import Constitution

# Fields of a check that its outcome does not depend on.
NOT_IN_QUESTION = {
    "id",
    "goal",
    "fault",
    "weight",
    "essential",
    "effort",
    "concern",
    "advice",
    "snippet",
}
# Fields of a criterion that only count; no judge is shown them.
NOT_SHOWN_TO_JUDGES = {"weight", "max_points", "levels", "architecture", "exclude_when"}
# Opinions of a preview are never looked up again.
NO_KEY = ""


@dataclass(frozen=True)
class RubricRevision:
    """Rubric before and after a change; compared once, applied to any number of reports."""

    before: Rubric
    after: Rubric

    @cached_property
    def answered_by(self) -> Mapping[str, str]:
        """New check id -> id of the old check whose outcome answers it."""
        # Reversed, so that of equal questions the first check answers.
        old = {_question(check): check.id for check in reversed(self.before.checks)}
        own = {check.id: _question(check) for check in self.before.checks}
        new = {check.id: _question(check) for check in self.after.checks}

        # A check that kept its id and question answers itself, even if another asks the same.
        return {
            name: name if own.get(name) == question else old[question]
            for name, question in new.items()
            if question in old
        }

    @cached_property
    def other_checks(self) -> tuple[Criterion, ...]:
        """New criteria whose checks differ from those that were judged."""
        return tuple(
            c for c in self.after.criteria if not (was := self._was(c)) or was.checks != c.checks
        )

    @cached_property
    def other_words(self) -> tuple[str, ...]:
        """Ids of criteria on which a judge would be asked another question."""
        return tuple(
            c.id for c in self.after.criteria if _judge_question(c) != _judge_question(self._was(c))
        )

    def _was(self, criterion: Criterion) -> Criterion | None:
        return next((c for c in self.before.criteria if c.id == criterion.id), None)


@dataclass(frozen=True, slots=True)
class RubricPreview:
    """Previewed verdict with its evidence.

    reheard   ids of criteria that the heuristic judges answered again
    outdated  ids of criteria whose opinions by a model are about another text
    open      ids of checks that only a new audit can answer
    """

    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    reheard: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def preview_rubric(
    document: Mapping[str, Any], revision: RubricRevision, constitution: Constitution
) -> RubricPreview:
    """Preview a stored report, given as JSON, that was judged under `revision.before`.

    Raises InputRefused: record_unreadable, or record_other_rubric for a report of another rubric.
    """
    record = _stored_report(document)
    if record.rubric.digest != revision.before.digest:
        message = (
            f"The report was judged under another text of"
            f" {record.rubric.id} {record.rubric.version}."
        )
        raise InputRefused("record_other_rubric", message)

    outcomes, added, left_open = _outcomes(record, document, revision)
    evidence = tuple({piece.id: piece for piece in (*record.evidence, *added)}.values())

    by_heuristics = all(judge.kind == "heuristic" for judge in record.judges.values())
    # Models cannot be asked here; their opinions stay and are named as outdated.
    changed = revision.other_checks if by_heuristics else ()
    reheard = tuple(criterion.id for criterion in changed)

    stored = [answer for answer in opinions_of(record) if answer.criterion_id not in reheard]
    fresh = answers_again(revision.after, changed, constitution, evidence, outcomes, record.facts)

    verdict = synthesise(
        rubric=revision.after,
        constitution=constitution,
        evidence=evidence,
        outcomes=outcomes,
        facts=record.facts,
        opinions=(*stored, *fresh),
    )
    outdated = () if by_heuristics else revision.other_words
    return RubricPreview(verdict, evidence, reheard, outdated, left_open)


def _stored_report(document: Mapping[str, Any]) -> StoredReport:
    try:
        return StoredReport.model_validate(document)
    except ValidationError as broken:
        field = ".".join(map(str, broken.errors()[0]["loc"]))
        raise InputRefused("record_unreadable", f"This is no stored report: {field}.") from broken


def _outcomes(
    record: StoredReport, document: Mapping[str, Any], revision: RubricRevision
) -> tuple[tuple[CheckOutcome, ...], list[Evidence], tuple[str, ...]]:
    """Return an outcome for every new check, the new evidence, and ids of checks left open."""
    stored = {outcome.check: outcome for outcome in outcomes_of(record)}
    outcomes: list[CheckOutcome] = []
    added: list[Evidence] = []
    left_open: list[str] = []

    for check in revision.after.checks:
        outcome = stored.get(revision.answered_by.get(check.id, ""))
        if outcome:
            outcomes.append(outcome.model_copy(update={"check": check.id}))
            continue

        trial = try_check(check, document)
        outcomes.append(trial.outcome)
        added += trial.evidence
        left_open += [check.id] if trial.needs_submission else []
    return tuple(outcomes), added, tuple(left_open)


def answers_again(
    rubric: Rubric,
    criteria: tuple[Criterion, ...],
    constitution: Constitution,
    evidence: tuple[Evidence, ...],
    outcomes: tuple[CheckOutcome, ...],
    facts: StatedFacts,
) -> list[JudgeAnswer]:
    """Let the heuristic judges answer, with further rounds where they differ too much."""
    answers: list[JudgeAnswer] = []
    round_number, dossier = 0, dossier_of(evidence, outcomes, facts)
    while criteria:
        round_number += 1
        questions = [
            question_for(judge, criterion, evidence, outcomes, round_number, answers)
            for criterion in criteria
            for judge in PERSONAS
        ]
        answers += [answer_now(question, NO_KEY).opinion for question in questions]

        part = rubric.model_copy(update={"criteria": criteria})
        contested_ids = contested(part, constitution, answers, round_number, dossier)
        criteria = tuple(criterion for criterion in criteria if criterion.id in contested_ids)
    return answers


def _question(check: Check) -> str:
    return check.model_dump_json(exclude=NOT_IN_QUESTION)


def _judge_question(criterion: Criterion | None) -> str:
    return criterion.model_dump_json(exclude=NOT_SHOWN_TO_JUDGES) if criterion else ""
