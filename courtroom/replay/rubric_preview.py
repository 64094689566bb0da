"""What a changed rubric or other rules would make of a stored report: no repository, no model, no graph.

Recomputed always: the constitution, and of a criterion its weight, points, levels and exclusion. Changed checks are
answered from the report's facts where they can be (detectives/recollection.py), and heuristic judges are heard again
on the criteria whose checks changed. Opinions of a model stay as they are; whoever publishes is told which are outdated.
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
from courtroom.models.record import PERSONAS, CheckOutcome, Evidence
from courtroom.models.rubric import Criterion, Rubric
from courtroom.replay.report_reuse import Record, opinions_of, outcomes_of
from courtroom.replay.stored_checks import try_check
from courtroom.synthesis.chief_justice import Verdict, contested, synthesise
from courtroom.synthesis.evidence_weight import StatedFacts, dossier_of
from courtroom.synthesis.rules import Constitution

# What a check says besides its question: the outcome does not depend on it.
BESIDE_THE_QUESTION = {"id", "goal", "weight", "essential", "effort", "advice", "snippet"}
# What a criterion counts for: no judge argues from it.
COUNTED = {"weight", "max_points", "levels", "architecture", "exclude_when"}
NO_KEY = ""  # an opinion that is foreseen is never looked up again


@dataclass(frozen=True)
class Revision:
    """A rubric as it was and as it would be: compared once, held against any number of reports."""

    before: Rubric
    after: Rubric

    @cached_property
    def answered_by(self) -> Mapping[str, str]:
        """The check of the old rubric whose outcome answers a check of the new one, by their ids."""
        old = {_question(check): check.id for check in reversed(self.before.checks)}
        own = {check.id: _question(check) for check in self.before.checks}
        asked = {check.id: _question(check) for check in self.after.checks}
        return {
            name: name if own.get(name) == question else old[question]
            for name, question in asked.items()
            if question in old
        }

    @cached_property
    def other_checks(self) -> tuple[Criterion, ...]:
        """The criteria, in their new form, whose checks are no longer those that were judged."""
        return tuple(
            c for c in self.after.criteria if not (was := self._was(c)) or was.checks != c.checks
        )

    @cached_property
    def other_words(self) -> tuple[str, ...]:
        """Ids of the criteria on which a judge would be asked something else."""
        return tuple(c.id for c in self.after.criteria if _asked(c) != _asked(self._was(c)))

    def _was(self, criterion: Criterion) -> Criterion | None:
        return next((c for c in self.before.criteria if c.id == criterion.id), None)


@dataclass(frozen=True, slots=True)
class Foresight:
    """The verdict to come, the evidence it rests on, and what it does not know.

    `reheard`: criteria the heuristic judges were heard on again; `outdated`: criteria whose opinions, by a model, were
    given on another text; `open`: checks that only a new audit can answer.
    """

    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    reheard: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def foresee(
    document: Mapping[str, Any], revision: Revision, constitution: Constitution
) -> Foresight:
    """`document` is a stored report as JSON, judged under `revision.before`.

    Raises InputRefused: record_unreadable, or record_other_rubric when it was judged under another text.
    """
    record = _record_in(document)
    if record.rubric.digest != revision.before.digest:
        message = f"The report was judged under {record.rubric.id} {record.rubric.version} of another text."
        raise InputRefused("record_other_rubric", message)
    outcomes, added, left_open = _outcomes(record, document, revision)
    evidence = tuple({piece.id: piece for piece in (*record.evidence, *added)}.values())
    by_heuristics = all(judge.kind == "heuristic" for judge in record.judges.values())
    again = revision.other_checks if by_heuristics else ()
    reheard = tuple(criterion.id for criterion in again)
    kept = [said for said in opinions_of(record) if said.criterion_id not in reheard]
    fresh = _heard_again(revision.after, again, constitution, evidence, outcomes, record.facts)
    verdict = synthesise(
        rubric=revision.after,
        constitution=constitution,
        evidence=evidence,
        outcomes=outcomes,
        facts=record.facts,
        opinions=(*kept, *fresh),
    )
    outdated = () if by_heuristics else revision.other_words
    return Foresight(verdict, evidence, reheard, outdated, left_open)


def _record_in(document: Mapping[str, Any]) -> Record:
    try:
        return Record.model_validate(document)
    except ValidationError as broken:
        place = ".".join(map(str, broken.errors()[0]["loc"]))
        raise InputRefused("record_unreadable", f"This is no stored report: {place}.") from broken


def _outcomes(
    record: Record, document: Mapping[str, Any], revision: Revision
) -> tuple[tuple[CheckOutcome, ...], list[Evidence], tuple[str, ...]]:
    """An outcome for every check of the new rubric, the evidence that is new, and the checks left open."""
    stored = {outcome.check: outcome for outcome in outcomes_of(record)}
    outcomes: list[CheckOutcome] = []
    added: list[Evidence] = []
    left_open: list[str] = []
    for check in revision.after.checks:
        known = stored.get(revision.answered_by.get(check.id, ""))
        if known:
            outcomes.append(
                known if known.check == check.id else known.model_copy(update={"check": check.id})
            )
            continue
        trial = try_check(check, document)
        outcomes.append(trial.outcome)
        added += trial.evidence
        left_open += [check.id] if trial.needs_submission else []
    return tuple(outcomes), added, tuple(left_open)


def _heard_again(
    rubric: Rubric,
    criteria: tuple[Criterion, ...],
    constitution: Constitution,
    evidence: tuple[Evidence, ...],
    outcomes: tuple[CheckOutcome, ...],
    facts: StatedFacts,
) -> list[JudgeAnswer]:
    """The heuristic judges on these criteria, and once more where they are too far apart, as in a court."""
    said: list[JudgeAnswer] = []
    hearing, dossier = 0, dossier_of(evidence, outcomes, facts)
    while criteria:
        hearing += 1
        briefs = [
            question_for(judge, criterion, evidence, outcomes, hearing, said)
            for criterion in criteria
            for judge in PERSONAS
        ]
        said += [answer_now(brief, NO_KEY).opinion for brief in briefs]
        among = rubric.model_copy(update={"criteria": criteria})
        still = contested(among, constitution, said, hearing, dossier)
        criteria = tuple(criterion for criterion in criteria if criterion.id in still)
    return said


def _question(check: Check) -> str:
    return check.model_dump_json(exclude=BESIDE_THE_QUESTION)


def _asked(criterion: Criterion | None) -> str:
    return criterion.model_dump_json(exclude=COUNTED) if criterion else ""
