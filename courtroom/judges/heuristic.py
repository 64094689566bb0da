"""Three judges without a model: each persona weighs the same check outcomes in its own way.

The score is 1 + 4 x met / (met + gap x unmet), rounded half up, where met and unmet are sums of
check weights and `gap` belongs to the persona: 5 when everything holds, 1 when nothing does. Floors
and ceilings follow from the persona's other weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import cast

from courtroom.checks.registry import Check
from courtroom.judges.opinion import Answer, Question, make_failure, make_opinion
from courtroom.models.audit_report import JudgeReference
from courtroom.models.canonical_json import digest_of
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.judge_answer import HEURISTIC, Persona, Score
from courtroom.models.rubric import Rubric

MODEL = f"{HEURISTIC}2"
# Below this share of established weight a score would be a guess.
LEAST_ESTABLISHED_SHARE = 0.5
SECURITY_CEILING = 3
CEILING_WITHOUT_ESSENTIALS = 3
EFFORT_FLOOR = 3
# Factors for what is missing. With these two the Prosecutor steps from 1 to 2 and the Defense from
# 3 to 4 where the Tech Lead steps from 2 to 3, at three eighths of the weight: on ambiguous
# evidence the judges differ by two and by no more, so that no second round follows and the mean is
# the Tech Lead's.
PROSECUTOR_GAP, DEFENSE_GAP = 4.2, 0.36


@dataclass(frozen=True, slots=True)
class PersonaWeights:
    """Weights of a persona. `gap` multiplies what is missing, and moves halfway to 1 in a second
    round.
    """

    gap: float
    heeds_essentials: bool
    heeds_security: bool
    credits_effort: bool

    def gap_in(self, round_number: int) -> float:
        return self.gap if round_number == 1 else (1 + self.gap) / 2


PERSONA_WEIGHTS: dict[Persona, PersonaWeights] = {
    "Prosecutor": PersonaWeights(
        gap=PROSECUTOR_GAP, heeds_essentials=True, heeds_security=True, credits_effort=False
    ),
    "Defense": PersonaWeights(
        gap=DEFENSE_GAP, heeds_essentials=False, heeds_security=False, credits_effort=True
    ),
    "TechLead": PersonaWeights(
        gap=1.0, heeds_essentials=True, heeds_security=False, credits_effort=False
    ),
}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Check of the criterion with its outcome."""

    check: Check
    outcome: CheckOutcome


@dataclass(frozen=True, slots=True)
class OutcomeGroups:
    """Results of a criterion, grouped by outcome."""

    met: tuple[CheckResult, ...]
    unmet: tuple[CheckResult, ...]
    open: tuple[CheckResult, ...]

    @staticmethod
    def weight(results: tuple[CheckResult, ...]) -> float:
        return sum(result.check.weight for result in results)

    @property
    def established(self) -> float:
        """Share of the weight, 0..1, whose outcome is established."""
        established = self.weight(self.met) + self.weight(self.unmet)
        return established / (established + self.weight(self.open)) if established else 0.0


class HeuristicBench:
    """Bench that scores check outcomes: no key, no network, the same bytes on every run."""

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        return {
            persona: JudgeReference(kind="heuristic", model=MODEL, prompt_digest=_digest(persona))
            for persona in PERSONA_WEIGHTS
        }

    @property
    def asks_all_at_once(self) -> bool:
        return False

    def shared_prompt(
        self,
        rubric: Rubric,  # noqa: ARG002 -- the Bench protocol
        evidence: Sequence[Evidence],  # noqa: ARG002
        outcomes: Sequence[CheckOutcome],  # noqa: ARG002
    ) -> str:
        return ""

    def key(self, question: Question) -> str:
        return question.digest(f"{MODEL} {_digest(question.persona)}")

    async def answer(self, questions: Sequence[Question]) -> list[Answer]:
        return [answer_now(question, self.key(question)) for question in questions]

    async def close(self) -> None:
        """Do nothing: no connection is open."""


def answer_now(question: Question, key: str) -> Answer:
    """Answer one question without an event loop; `key` identifies the question in the report."""
    groups = group_outcomes(question)
    reason = _why_abstain(groups)
    if reason:
        return Answer(
            opinion=make_failure(question, kind="abstained", message=reason, model=MODEL, key=key)
        )
    score = score_of(question, groups)
    argument, cited = argue(question, groups, score)
    return Answer(
        opinion=make_opinion(
            question, score=score, argument=argument, cited=cited, model=MODEL, key=key
        )
    )


def _digest(persona: Persona) -> str:
    weights = PERSONA_WEIGHTS[persona]
    return digest_of(
        [
            MODEL,
            weights.gap,
            weights.heeds_essentials,
            weights.heeds_security,
            weights.credits_effort,
        ]
    )


def group_outcomes(question: Question) -> OutcomeGroups:
    outcomes = {outcome.check: outcome for outcome in question.outcomes}
    results = [
        CheckResult(check, outcomes[check.id])
        for check in question.criterion.checks
        if check.id in outcomes
    ]
    return OutcomeGroups(
        met=tuple(f for f in results if f.outcome.met is True),
        unmet=tuple(f for f in results if f.outcome.met is False),
        open=tuple(f for f in results if f.outcome.met is None),
    )


def _why_abstain(groups: OutcomeGroups) -> str:
    if not (groups.met or groups.unmet or groups.open):
        return "This criterion has no checks; it can be judged by a model or a person only."
    if groups.established < LEAST_ESTABLISHED_SHARE:
        missing = "; ".join(f"{f.check.goal}: {f.outcome.reason}" for f in groups.open)
        return (
            "Too little of this criterion could be established"
            f" ({groups.established:.0%} of its weight). {missing}"
        )
    return ""


def score_of(question: Question, groups: OutcomeGroups) -> Score:
    """Return the persona's score: its share of met weight, then its floors and ceilings."""
    weights = PERSONA_WEIGHTS[question.persona]
    met = groups.weight(groups.met)
    missing = groups.weight(groups.unmet) * weights.gap_in(question.round)
    score = floor(1 + 4 * met / (met + missing) + 0.5)
    # Rounding may reach 5 with a gap left; Prosecutor and Tech Lead give 5 for no gap only.
    if groups.unmet and not weights.credits_effort:
        score = min(score, 4)
    if weights.heeds_essentials and any(f.check.essential for f in groups.unmet):
        score = min(score, CEILING_WITHOUT_ESSENTIALS)
    if weights.credits_effort and any(f.check.effort for f in groups.met):
        score = max(score, EFFORT_FLOOR)
    if weights.heeds_security and _has_security_evidence(question):
        score = min(score, SECURITY_CEILING)
    return cast("Score", score)


def _has_security_evidence(question: Question) -> bool:
    return any(item.found and "security" in item.tags for item in question.evidence)


def argue(question: Question, groups: OutcomeGroups, score: Score) -> tuple[str, list[str]]:
    """Return the argument and the ids it cites; the persona's own side comes first."""
    speech = {"Prosecutor": _prosecute, "Defense": _defend, "TechLead": _appraise}[question.persona]
    sentences = [speech(groups), _open_checks(groups), _on_second_round(question)]
    # A judge cites its own side at more length than the other.
    first, second = (
        (groups.unmet, groups.met)
        if question.persona == "Prosecutor"
        else (groups.met, groups.unmet)
    )
    cited = [i for f in first for i in f.outcome.evidence[:2]] + [
        i for f in second for i in f.outcome.evidence[:1]
    ]
    return " ".join(s for s in [*sentences, f"Score {score}."] if s), cited


def _goals(results: tuple[CheckResult, ...]) -> str:
    return "; ".join(result.check.goal for result in results)


def _prosecute(groups: OutcomeGroups) -> str:
    if not groups.unmet:
        return f"I looked for gaps and found none among {len(groups.met)} checks."
    met = f" Met: {_goals(groups.met)}." if groups.met else " Nothing is met."
    return f"Not met: {_goals(groups.unmet)}.{met}"


def _defend(groups: OutcomeGroups) -> str:
    if not groups.met:
        return f"Nothing that the criterion asks for was found: {_goals(groups.unmet)}."
    gap = f" Still to do: {_goals(groups.unmet)}." if groups.unmet else ""
    return f"To the author's credit: {_goals(groups.met)}.{gap}"


def _appraise(groups: OutcomeGroups) -> str:
    essential = tuple(f for f in groups.unmet if f.check.essential)
    if essential:
        return f"It does not work as asked: {_goals(essential)}. Met {_count(groups)}."
    if not groups.met:
        return f"Nothing of it exists: {_goals(groups.unmet)}."
    missing = f" Missing: {_goals(groups.unmet)}." if groups.unmet else ""
    return f"The substance is there; met {_count(groups)}.{missing}"


def _count(groups: OutcomeGroups) -> str:
    return f"{len(groups.met)} of {len(groups.met) + len(groups.unmet)} checks"


def _open_checks(groups: OutcomeGroups) -> str:
    return f"Not established, so not counted: {_goals(groups.open)}." if groups.open else ""


def _on_second_round(question: Question) -> str:
    if question.round == 1:
        return ""
    opinions = ", ".join(f"{o.judge} {o.score}" for o in question.earlier)
    return (
        f"Second round, because the judges disagreed ({opinions});"
        " I now weigh the gaps closer to how the others weigh them."
    )
