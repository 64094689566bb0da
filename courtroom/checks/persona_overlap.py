"""The kind `persona_overlap`: are the judges' prompts there, and different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from courtroom.checks.from_facts import (
    clues_at,
    flag,
    from_facts,
    from_stored_facts,
    line_clue,
    nothing,
    unknown,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.result import Clue, Finding, could_not_look, present
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey

DISTINCT = ("The persona prompts are distinct.", "The persona prompts are not distinct.")


class PersonaOverlap(CheckBase):
    """`told`: each of at least `minimum` personas has at least `words` words that no other one shares."""

    kind: Literal["persona_overlap"] = "persona_overlap"
    aspect: Literal["exist", "distinct", "told"]
    minimum: int = Field(default=3, ge=2)
    words: int = Field(default=60, ge=1)


def personas(check: PersonaOverlap, survey: Survey) -> Finding:
    """There are enough persona prompts, and they differ."""
    prompts = survey.facts.get("persona_prompts")
    if prompts is None:
        return unknown("persona_prompts", survey)

    clues = clues_at(survey.fact_locations.get("persona_prompts", ())) or [
        line_clue(p, f"The prompt of {p['persona']}.") for p in prompts
    ]
    reason = f"{len(prompts)} persona prompts were found."
    if not clues:
        return nothing(reason, "persona_prompts", survey)
    # Too few personas cannot be distinct either.
    if check.aspect == "exist" or len(prompts) < check.minimum:
        return present(reason, clues, met=len(prompts) >= check.minimum)
    if check.aspect == "told":
        return _own_words(check, prompts, clues)
    return flag("persona_prompts_distinct", "persona_prompts", survey, DISTINCT)


def _own_words(
    check: PersonaOverlap, prompts: Sequence[Mapping[str, Any]], clues: list[Clue]
) -> Finding:
    """Enough personas have enough words of their own.

    A stance that does not say what to look for leads no judge anywhere.
    """
    counts = [count for prompt in prompts if (count := prompt.get("own_words")) is not None]
    # Reports of early versions hold no counts.
    if len(counts) < len(prompts):
        return could_not_look("This record does not say how long the persona prompts are.")
    listed = ", ".join(f"{p['persona']} {count}" for p, count in zip(prompts, counts, strict=True))
    long_enough = [count for count in counts if count >= check.words]
    return present(f"Words of their own: {listed}.", clues, met=len(long_enough) >= check.minimum)


def _fault(check: PersonaOverlap) -> str:
    return {
        "exist": f"The judges have fewer than {check.minimum} prompts.",
        "distinct": f"The judges do not have {check.minimum} prompts that differ.",
        "told": (
            f"Fewer than {check.minimum} judges are told {check.words} words that no other is told."
        ),
    }[check.aspect]


KIND = CheckKind(
    model=PersonaOverlap,
    detective="RepoInvestigator",
    detect=from_facts(personas),
    replay=from_stored_facts(personas),
    fault=_fault,
    label=Label(
        title="Distinct personas",
        about="Whether the prompts of the judges differ, and how much is each one's own.",
        fields={"words": "Words of its own"},
    ),
    order=120,
)
