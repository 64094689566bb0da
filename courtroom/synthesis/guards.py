"""Guards of rules: conditions that say to which criteria a rule applies.

A guard is CEL over the names in guard_variables.py. One without an answer, such as a guard on an
unknown fact, is not false: a person decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from courtroom.models.errors import RubricRefused
from courtroom.models.rubric import Criterion
from courtroom.synthesis.evidence_weight import Dossier, mean_confidence
from courtroom.synthesis.guard_errors import GuardError
from courtroom.synthesis.guard_language import GuardContext, compile_guard, guard_context
from courtroom.synthesis.guard_variables import criterion_variables
from courtroom.synthesis.opinions import CriterionAnswers, Opinions, spread_of
from courtroom.synthesis.rules import AnyRule, Constitution


@dataclass(frozen=True, slots=True)
class ApplicableRules:
    """Constitution with the rules that apply to one criterion.

    `unclear` tells why a guard has no answer; empty when all have one.
    """

    constitution: Constitution
    unclear: str = ""


def find_guard_error(guard: str) -> GuardError | None:
    """Return the error in a guard, if any. Raises RubricRefused (rubric_guard_unavailable)."""
    result = compile_guard(guard)
    return result if isinstance(result, GuardError) else None


def refuse_invalid_guards(constitution: Constitution) -> None:
    """Check every guard before a judge is asked. Raises RubricRefused (rubric_guard_*)."""
    for rule in constitution.rules:
        if rule.when and (error := find_guard_error(rule.when)):
            message = f"The guard of {rule.kind}, character {error.offset + 1}: {error.message}"
            raise RubricRefused("rubric_guard_invalid", message)


def applicable_rules(
    criterion: Criterion, constitution: Constitution, voices: CriterionAnswers, dossier: Dossier
) -> ApplicableRules:
    """Return the rules without a guard, and those whose guard is true.

    Guards read the latest opinions; the guard of variance_re_evaluation reads the first ones,
    because that rule itself asks for the later ones.
    """
    if not any(rule.when for rule in constitution.rules):
        return ApplicableRules(constitution)
    last = _guard_context_of(criterion, voices.standing, dossier)
    # The rule that asks for another round must be judged by the opinions before that round.
    first = _guard_context_of(criterion, voices.first, dossier) if voices.rounds > 1 else last
    answers = {
        rule.kind: _answer(rule, first if rule.kind == "variance_re_evaluation" else last)
        for rule in constitution.rules
    }
    rules = tuple(rule for rule in constitution.rules if answers[rule.kind] is True)
    unclear = [f"{kind}: {why}" for kind, why in answers.items() if isinstance(why, str)]
    why = f"The guard of a rule has no answer. {'; '.join(unclear)}." if unclear else ""
    return ApplicableRules(constitution.model_copy(update={"rules": rules}), why)


def _answer(rule: AnyRule, context: GuardContext) -> bool | str:
    if not rule.when:
        return True
    guard = compile_guard(rule.when)
    return guard.message if isinstance(guard, GuardError) else guard.answer(context)


def _guard_context_of(criterion: Criterion, opinions: Opinions, dossier: Dossier) -> GuardContext:
    items = dossier.evidence_items(criterion, opinions.values())
    confidence = mean_confidence(items)
    values = {
        "criterion.id": criterion.id,
        "criterion.weight": criterion.weight,
        "criterion.architecture": criterion.architecture,
        "criterion.target": criterion.target_artifact,
        **_scores(opinions),
        "spread": spread_of(opinion.score for opinion in opinions.values()),
        "mean_confidence": None if confidence is None else float(confidence),
        "tags": sorted({tag for piece in items if piece.found for tag in piece.tags}),
    }
    return guard_context(criterion_variables(values) | dossier.fact_variables)


def _scores(opinions: Opinions) -> Mapping[str, int | None]:
    names = {"Prosecutor": "prosecutor", "Defense": "defense", "TechLead": "tech_lead"}
    scores = {str(judge): opinion.score for judge, opinion in opinions.items()}
    return {f"scores.{name}": scores.get(judge) for judge, name in names.items()}
