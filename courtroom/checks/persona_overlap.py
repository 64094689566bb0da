"""The kind `persona_overlap`: are the judges' prompts there, and different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from courtroom.checks.from_facts import (
    clues_at,
    from_facts,
    from_stored_facts,
    line_clue,
    nothing,
    unknown,
    with_place,
    with_reach,
)
from courtroom.checks.from_sources import location_clue
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import listed, number_of, place_of
from courtroom.checks.result import Clue, Finding, could_not_look, present
from courtroom.checks.subjects import Subjects, is_name_in_template
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey


ANY_TWO = "Any two of the judges' prompts share more than half of their text."
IN_COMMON = "More than one judge is told this."
# From this share of common text on, prompts are one text in which a few words differ by judge.
ONE_PROMPT = 0.9


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

    names = [prompt["persona"] for prompt in prompts]
    clues = _prompt_clues(survey) or [
        line_clue(p, f"The prompt of {p['persona']}.") for p in prompts
    ]
    if not clues:
        return nothing("No prompt of a judge was found.", "prompts of judges", survey)
    alike = {p["persona"]: p["own_words"] for p in prompts if is_name_in_template(p)}
    if check.aspect == "exist" and len(prompts) - len(alike) < check.minimum <= len(prompts):
        return _names_alone(alike, clues)
    shared = survey.facts.get("persona_prompts_shared")
    is_enough = len(prompts) >= check.minimum
    if check.aspect == "exist" and is_enough and shared is not None and shared >= ONE_PROMPT:
        return _few_words_apart(survey, shared, clues)
    # Too few personas cannot be distinct either.
    if check.aspect == "exist" or not is_enough:
        needed = "" if is_enough else f" alone; {check.minimum} are needed"
        reason = f"The work has a prompt for {listed(names)}{needed}."
        finding = present(reason, clues, met=is_enough, fault="" if is_enough else _too_few(check))
        return with_reach("judges", finding, survey) if check.aspect == "exist" else finding
    if check.aspect == "told":
        return _own_words(check, prompts, clues)
    return _distinct(survey, names, clues)


def _names_alone(alike: Mapping[str, int], clues: list[Clue]) -> Finding:
    """A prompt into which the name of each judge is put is the prompt of one grader."""
    most = max(alike.values())
    words = f"{most} word{'s' * (most != 1)} at most"
    reason = f"The prompts of {listed(alike)} are one text but for {words}."
    fault = "Judges have one prompt in common, in which little more than their names differs."
    return present(reason, clues, met=False, fault=fault)


def _few_words_apart(survey: Survey, shared: float, clues: list[Clue]) -> Finding:
    """A stance of a sentence in a long common text is no prompt of its own."""
    pair = clues_at(survey.fact_locations.get("persona_prompts_distinct", ()))
    reason = (
        f"{shared * 100:.0f} % of the words that the work spells out for two judges are the same."
    )
    fault = "Judges have one prompt in common, in which few words differ."
    return present(reason, pair or clues, met=False, fault=fault)


def _prompt_clues(survey: Survey) -> list[Clue]:
    locations = survey.fact_locations.get("persona_prompts", ())
    return [
        replace(location_clue(location), rationale=f"The prompt of {location.note or 'a judge'}.")
        for location in locations
    ]


def _distinct(survey: Survey, names: Sequence[str], clues: list[Clue]) -> Finding:
    are_distinct = survey.facts.get("persona_prompts_distinct")
    if are_distinct is None:
        return unknown("persona_prompts_distinct", survey)
    if are_distinct:
        return _apart(survey, names, clues)
    # The pair with the most text in common, where the survey was made anew.
    pair = clues_at(survey.fact_locations.get("persona_prompts_distinct", ()))
    reason = f"Two of the prompts of {listed(names)} share more than half of their text."
    if pair:
        reason = with_place(pair[0].rationale, pair[0].path or "", pair[0].line_start)
    # The note names each pair that is too close.
    is_any = len(names) > 2 and reason.count("; ") + 1 == comb(len(names), 2)
    return present(
        reason, _of_one_judge(pair, clues) or clues, met=False, fault=ANY_TWO if is_any else ""
    )


def _apart(survey: Survey, names: Sequence[str], clues: list[Clue]) -> Finding:
    """The texts of the personas differ; what stands around them all may be most of the prompt."""
    frame = next(iter(survey.facts.get("persona_prompts_framed") or ()), None)
    if frame is None:
        return present(
            f"No two prompts of {listed(names)} share more than half of their text.", clues
        )
    share = f"{frame['shared'] * 100:.0f} % of the words that the work spells out for two judges"
    place = place_of(frame["path"], frame["line"])
    reason = (
        f"No two texts on {listed(names)} share more than half of their words; with the text around"
        f" them that all judges get ({place}), up to {share} are the same."
    )
    caption = f"All judges get this text: with it {share} are the same."
    finding = present(reason, [*clues, line_clue(frame, caption)])
    return replace(finding, has_reservation=True)


def _of_one_judge(pair: Sequence[Clue], prompts: Sequence[Clue]) -> list[Clue]:
    """The places of the common text; what is said of all judges stands over the first alone."""
    captions = {(clue.path, clue.line_start): clue.rationale for clue in prompts}
    rest = (
        replace(clue, rationale=captions.get((clue.path, clue.line_start), IN_COMMON))
        for clue in pair[1:]
    )
    return [*pair[:1], *rest]


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
    lengths = listed(
        f"{count} for {prompt['persona']}" for prompt, count in zip(prompts, counts, strict=True)
    )
    long_enough = [count for count in counts if count >= check.words]
    met = len(long_enough) >= check.minimum
    reason = f"Words in passages of its own, counted in code and prompt files: {lengths}."
    return present(reason, clues, met=met)


def _too_few(check: PersonaOverlap) -> str:
    return f"The judges have fewer than {check.minimum} prompts."


def _fault(check: PersonaOverlap) -> str:
    return {
        "exist": _too_few(check),
        "distinct": "At least two of the judges' prompts share more than half of their text.",
        "told": (
            f"The prompt of a judge has fewer than {number_of(check.words, 'word')} of its own."
        ),
    }[check.aspect]


def _subjects(check: PersonaOverlap) -> Subjects:
    return Subjects(("prompts",), "no_prompts" if check.aspect == "exist" else None)


KIND = CheckKind(
    model=PersonaOverlap,
    detective="RepoInvestigator",
    detect=from_facts(personas),
    replay=from_stored_facts(personas),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Distinct personas",
        about="Whether the prompts of the judges differ, and how much is each one's own.",
        fields={"words": "Words of its own"},
    ),
    order=120,
)
