"""Three judges without a model: each persona is a deterministic reading of the same check outcomes.

The base is the weighted share of met checks; what differs is how heavily a persona counts what is
missing. Scores follow the scale of the rubric: 5 only when everything holds, 1 when nothing does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import cast

from courtroom.judges.opinion import Answer, Brief, failure, opinion
from courtroom.models.record import (
    CheckOutcome,
    Evidence,
    JudgeReference,
    Persona,
    Score,
    digest_of,
)
from courtroom.models.rubric import Check, Rubric

MODEL = "heuristic/2"
# Below this share of established weight a judge would be guessing.
ENOUGH = 0.5
SECURITY_CEILING = 3
WITHOUT_ESSENTIALS = 3
EFFORT_FLOOR = 3
# How often a gap counts. With these two the Prosecutor steps from 1 to 2 and the Defense from 3 to 4 where the Tech Lead
# steps from 2 to 3, at three eighths of the weight: ambiguous evidence parts the bench by two and by no more, so it is
# argued over and not heard again, and the bench's mean stays the Tech Lead's word.
PROSECUTORS_GAP, DEFENSES_GAP = 4.2, 0.36


@dataclass(frozen=True, slots=True)
class Temper:
    """How a persona weighs: `gap` multiplies what is missing, halfway back to 1 in a re-hearing."""

    gap: float
    heeds_essentials: bool
    heeds_security: bool
    credits_effort: bool

    def gap_in(self, hearing: int) -> float:
        return self.gap if hearing == 1 else (1 + self.gap) / 2


TEMPERS: dict[Persona, Temper] = {
    "Prosecutor": Temper(
        gap=PROSECUTORS_GAP, heeds_essentials=True, heeds_security=True, credits_effort=False
    ),
    "Defense": Temper(
        gap=DEFENSES_GAP, heeds_essentials=False, heeds_security=False, credits_effort=True
    ),
    "TechLead": Temper(gap=1.0, heeds_essentials=True, heeds_security=False, credits_effort=False),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A check of the criterion beside its outcome."""

    check: Check
    outcome: CheckOutcome


@dataclass(frozen=True, slots=True)
class Reading:
    """A criterion's findings, sorted by outcome; weights add up what each pile is worth."""

    met: tuple[Finding, ...]
    unmet: tuple[Finding, ...]
    open: tuple[Finding, ...]

    @staticmethod
    def weight(pile: tuple[Finding, ...]) -> float:
        return sum(finding.check.weight for finding in pile)

    @property
    def established(self) -> float:
        """Share of the weight, 0..1, for which an outcome is known."""
        known = self.weight(self.met) + self.weight(self.unmet)
        return known / (known + self.weight(self.open)) if known else 0.0


class HeuristicBench:
    """Answers from the outcomes alone: no key, no network, the same bytes on every run."""

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        return {
            persona: JudgeReference(kind="heuristic", model=MODEL, prompt_digest=_digest(persona))
            for persona in TEMPERS
        }

    @property
    def together(self) -> bool:
        return False

    def docket(
        self,
        rubric: Rubric,  # noqa: ARG002 -- the Bench protocol
        evidence: Sequence[Evidence],  # noqa: ARG002
        outcomes: Sequence[CheckOutcome],  # noqa: ARG002
    ) -> str:
        return ""

    def key(self, brief: Brief) -> str:
        return brief.digest(f"{MODEL} {_digest(brief.persona)}")

    async def hear(self, briefs: Sequence[Brief]) -> list[Answer]:
        return [answer(brief, self.key(brief)) for brief in briefs]

    async def close(self) -> None:
        """Nothing is open."""


def answer(brief: Brief, key: str) -> Answer:
    """One brief at once, for who has no event loop; `key` names the question on the record."""
    reading = read(brief)
    reason = _why_abstain(reading)
    if reason:
        return Answer(
            opinion=failure(brief, kind="abstained", message=reason, model=MODEL, key=key)
        )
    score = judge(brief, reading)
    argument, cited = argue(brief, reading, score)
    return Answer(
        opinion=opinion(brief, score=score, argument=argument, cited=cited, model=MODEL, key=key)
    )


def _digest(persona: Persona) -> str:
    temper = TEMPERS[persona]
    return digest_of(
        [MODEL, temper.gap, temper.heeds_essentials, temper.heeds_security, temper.credits_effort]
    )


def read(brief: Brief) -> Reading:
    outcomes = {outcome.check: outcome for outcome in brief.outcomes}
    findings = [
        Finding(check, outcomes[check.id])
        for check in brief.criterion.checks
        if check.id in outcomes
    ]
    return Reading(
        met=tuple(f for f in findings if f.outcome.met is True),
        unmet=tuple(f for f in findings if f.outcome.met is False),
        open=tuple(f for f in findings if f.outcome.met is None),
    )


def _why_abstain(reading: Reading) -> str:
    if not (reading.met or reading.unmet or reading.open):
        return "This criterion has no checks; it can be judged by a model or a person only."
    if reading.established < ENOUGH:
        missing = "; ".join(f"{f.check.goal}: {f.outcome.reason}" for f in reading.open)
        return f"Too little of this criterion could be established ({reading.established:.0%} of its weight). {missing}"
    return ""


def judge(brief: Brief, reading: Reading) -> Score:
    """1 + 4 x the persona's share of met weight, rounded half up, then the persona's floors and ceilings."""
    temper = TEMPERS[brief.persona]
    met, missing = (
        reading.weight(reading.met),
        reading.weight(reading.unmet) * temper.gap_in(brief.round),
    )
    score = floor(1 + 4 * met / (met + missing) + 0.5)
    if reading.unmet and not temper.credits_effort:
        score = min(score, 4)
    if temper.heeds_essentials and any(f.check.essential for f in reading.unmet):
        score = min(score, WITHOUT_ESSENTIALS)
    if temper.credits_effort and any(f.check.effort for f in reading.met):
        score = max(score, EFFORT_FLOOR)
    if temper.heeds_security and _has_security_evidence(brief):
        score = min(score, SECURITY_CEILING)
    return cast("Score", score)


def _has_security_evidence(brief: Brief) -> bool:
    return any(item.found and "security" in item.tags for item in brief.evidence)


def argue(brief: Brief, reading: Reading, score: Score) -> tuple[str, list[str]]:
    """The argument in words and the evidence it cites: this persona's own side first, and at more length."""
    speech = {"Prosecutor": _prosecute, "Defense": _defend, "TechLead": _appraise}[brief.persona]
    sentences = [speech(reading), _what_is_open(reading), _on_second_hearing(brief)]
    first, second = (
        (reading.unmet, reading.met)
        if brief.persona == "Prosecutor"
        else (reading.met, reading.unmet)
    )
    cited = [i for f in first for i in f.outcome.evidence[:2]] + [
        i for f in second for i in f.outcome.evidence[:1]
    ]
    return " ".join(s for s in [*sentences, f"Score {score}."] if s), cited


def _goals(pile: tuple[Finding, ...]) -> str:
    return "; ".join(finding.check.goal for finding in pile)


def _prosecute(reading: Reading) -> str:
    if not reading.unmet:
        return f"I looked for gaps and found none among {len(reading.met)} checks."
    held = (
        f" What does hold: {_goals(reading.met)}."
        if reading.met
        else " Nothing that was asked holds."
    )
    return f"Not met: {_goals(reading.unmet)}.{held}"


def _defend(reading: Reading) -> str:
    if not reading.met:
        return f"Nothing that was asked could be found: {_goals(reading.unmet)}."
    gap = f" Still to do: {_goals(reading.unmet)}." if reading.unmet else ""
    return f"To the author's credit: {_goals(reading.met)}.{gap}"


def _appraise(reading: Reading) -> str:
    essential = tuple(f for f in reading.unmet if f.check.essential)
    if essential:
        return f"It does not work as asked: {_goals(essential)}. Met {_count(reading)}."
    if not reading.met:
        return f"Nothing of it is there: {_goals(reading.unmet)}."
    missing = f" Missing: {_goals(reading.unmet)}." if reading.unmet else ""
    return f"The substance is there; met {_count(reading)}.{missing}"


def _count(reading: Reading) -> str:
    return f"{len(reading.met)} of {len(reading.met) + len(reading.unmet)} checks"


def _what_is_open(reading: Reading) -> str:
    return (
        f"Not established, and not held against anyone: {_goals(reading.open)}."
        if reading.open
        else ""
    )


def _on_second_hearing(brief: Brief) -> str:
    if brief.round == 1:
        return ""
    said = ", ".join(f"{o.judge} {o.score}" for o in brief.earlier)
    return f"Heard again because the bench disagreed ({said}); I weigh the gaps closer to the others' way."
