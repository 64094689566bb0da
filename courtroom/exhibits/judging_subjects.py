"""Requests on judging: personas and their prompts, structured answers, and the synthesis."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.node_roles import JUDGE_WORDS, JUSTICE_WORDS
from courtroom.exhibits.material import LARGE, Material, words_in
from courtroom.exhibits.room import Request
from courtroom.exhibits.units import Unit, unique

_ANSWERS = re.compile(
    r"invoke\(|\bretr(?:y|ies)|attempt|except\b|structured"
    r"|ValidationError|model_validate|json\.loads"
)

# Signs that code tells the judges apart, or changes what one of them said.
_PERSONAS = re.compile(
    r"(?i)prosecutor|defen[sc]e|tech_?\s?lead|persona|judge_name|system_prompt|score\s*[-+*]?=[^=]"
)
_CHANGES_SCORE = re.compile(
    r"(?i)score\s{0,4}(?:[-+*]=|=[^=]{0,40}(?:\b(?:min|max)\(|score\s{0,4}[-+*]))"
)


def prompts(material: Material) -> Iterator[Request]:
    places = material.facts.persona_prompts or ()
    requests = [material.around(p.path, p.line, "prompt of a persona") for p in places]
    yield from filter(None, requests)
    for unit, lines in material.users_of(_persona_prompts(material)).items():
        yield material.whole(unit, "uses a prompt", lines, LARGE)
    judges = _changing_scores_first(material, _judges(material))
    yield from material.wholes(judges, "a judge", LARGE)
    called = material.by_signs(material.called_by(judges, 2), _PERSONAS)
    called = _changing_scores_first(material, called)
    yield from material.matching(called, _PERSONAS, "is called by a judge", LARGE)


def _changing_scores_first(material: Material, units: Iterable[Unit]) -> list[Unit]:
    """Return the units in their order, but first those that change a score.

    Of a large class that says more than what names every persona.
    """
    return sorted(units, key=lambda unit: not material.lines_matching(unit, _CHANGES_SCORE))


def structured_output(material: Material) -> Iterator[Request]:
    calls = material.facts.structured_output_calls or ()
    units = unique(u for c in calls if (u := material.unit_at(c.path, c.line)) is not None)
    lines = [call.line for call in calls]
    for unit in units:
        yield material.whole(unit, "asks for structured output", lines, LARGE)
    near = [unit for unit, _ in material.callers_of(units)]
    classes = [owner for unit in units for owner in material.outline.named(unit.owner)]
    near += material.by_signs(
        (part for c in unique(classes) for part in material.methods(c)), _ANSWERS
    )
    yield from material.matching(unique(near), _ANSWERS, "calls what is shown", LARGE)
    judges = _judges(material)
    yield from material.matching(judges, _ANSWERS, "a judge", LARGE)
    callees = unique([*material.called_by(units), *material.called_by(judges, 2)])
    called = material.by_signs(callees, _ANSWERS)
    yield from material.matching(called, _ANSWERS, "is called by a judge", LARGE)


def synthesis(material: Material) -> Iterator[Request]:
    nodes = [unit for unit in material.nodes if JUSTICE_WORDS & words_in(unit)]
    units = nodes or material.functions_named(JUSTICE_WORDS)
    yield from material.wholes(units, "the synthesis")
    callees = material.called_by(units, 2)
    yield from material.wholes(callees, "is called by the synthesis", LARGE)


def _judges(material: Material) -> list[Unit]:
    """Return the judges' nodes, else what uses their prompts, else functions named after judges."""
    nodes = [unit for unit in material.nodes if JUDGE_WORDS & words_in(unit)]
    users = (unit for unit in material.users_of(_persona_prompts(material)))
    functions = [unit for unit in users if unit.kind == "function"]
    return nodes or functions or material.functions_named(JUDGE_WORDS)


def _persona_prompts(material: Material) -> list[Unit]:
    places = material.facts.persona_prompts or ()
    units = (material.unit_at(place.path, place.line) for place in places)
    return unique(unit for unit in units if unit is not None)
