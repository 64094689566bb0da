"""When a rule applies to a criterion: its guard, asked of what was found and said there.

A guard is CEL over the names of guard_words.py. What it cannot answer (a fact that is not known, and not asked whether
it is) is no false: a person has to decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from courtroom.models.errors import RubricRefused
from courtroom.models.rubric import Criterion
from courtroom.synthesis.evidence_weight import Dossier, mean_confidence
from courtroom.synthesis.guard_errors import GuardFault
from courtroom.synthesis.guard_language import Situation, compiled, situation
from courtroom.synthesis.guard_variables import known_or_not
from courtroom.synthesis.opinions import Opinions, Voices, spread_of
from courtroom.synthesis.rules import AnyRule, Constitution


@dataclass(frozen=True, slots=True)
class Law:
    """The constitution with the rules that apply to one criterion; `unclear` is why that cannot be said of one."""

    constitution: Constitution
    unclear: str = ""


def fault_of(guard: str) -> GuardFault | None:
    """What is wrong with a guard's text. Raises RubricRefused: rubric_guard_unavailable."""
    read = compiled(guard)
    return read if isinstance(read, GuardFault) else None


def refuse_unsound(constitution: Constitution) -> None:
    """Before anybody is heard: every guard can be asked. Raises RubricRefused: rubric_guard_*."""
    for rule in constitution.rules:
        if rule.when and (fault := fault_of(rule.when)):
            message = f"The guard of {rule.kind}, character {fault.offset + 1}: {fault.message}"
            raise RubricRefused("rubric_guard_invalid", message)


def law_on(
    criterion: Criterion, constitution: Constitution, voices: Voices, dossier: Dossier
) -> Law:
    """The rules without a guard, and those whose guard holds.

    What the judges said is what they said last; for the rule that has them heard again, what they said first.
    """
    if not any(rule.when for rule in constitution.rules):
        return Law(constitution)
    last = _asked_of(criterion, voices.standing, dossier)
    first = _asked_of(criterion, voices.first, dossier) if voices.rounds > 1 else last
    answers = {
        rule.kind: _answer(rule, first if rule.kind == "variance_re_evaluation" else last)
        for rule in constitution.rules
    }
    rules = tuple(rule for rule in constitution.rules if answers[rule.kind] is True)
    unclear = [f"{kind}: {said}" for kind, said in answers.items() if isinstance(said, str)]
    why = f"Whether a rule applies could not be said. {'; '.join(unclear)}." if unclear else ""
    return Law(constitution.model_copy(update={"rules": rules}), why)


def _answer(rule: AnyRule, here: Situation) -> bool | str:
    if not rule.when:
        return True
    read = compiled(rule.when)
    return read.message if isinstance(read, GuardFault) else read.answer(here)


def _asked_of(criterion: Criterion, opinions: Opinions, dossier: Dossier) -> Situation:
    exhibits = dossier.exhibits(criterion, opinions.values())
    confidence = mean_confidence(exhibits)
    said = {
        "criterion.id": criterion.id,
        "criterion.weight": criterion.weight,
        "criterion.architecture": criterion.architecture,
        "criterion.target": criterion.target_artifact,
        **_scores(opinions),
        "spread": spread_of(opinion.score for opinion in opinions.values()),
        "mean_confidence": None if confidence is None else float(confidence),
        "tags": sorted({tag for piece in exhibits if piece.found for tag in piece.tags}),
    }
    return situation(known_or_not(said) | dossier.asked_facts)


def _scores(opinions: Opinions) -> Mapping[str, int | None]:
    names = {"Prosecutor": "prosecutor", "Defense": "defense", "TechLead": "tech_lead"}
    scores = {str(judge): opinion.score for judge, opinion in opinions.items()}
    return {f"scores.{name}": scores.get(judge) for judge, name in names.items()}
