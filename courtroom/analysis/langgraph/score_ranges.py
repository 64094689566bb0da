"""Ranges of each judge's score: those the code keeps it in, and those its prompt asks for."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

from courtroom.analysis.langgraph.chosen_scores import chosen_score
from courtroom.analysis.langgraph.judging.persona_names import PersonaText, persona_in
from courtroom.analysis.locations import shown
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    words_of,
)

# The judges score from 1 to 5.
LOWEST, HIGHEST = 1, 5
# Ways through the branches of one persona.
MOST_WAYS = 64
# An order to a judge, up to the end of its sentence: "Provide a low score (1-2)".
_ORDER = re.compile(
    r"\b(?:provide|give|assign|return|award|output|set|choose|use|must|only|always)\b"
    r"[^.!?\n]{0,60}?\bscores?\b[^.!?\n]{0,40}",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"(?<![\d.])([1-5]) ?(?:-|\u2013|to|through|or) ?([1-5])(?!\d)|between ([1-5]) and ([1-5])(?!\d)"
)
# Words by which an order holds in some cases only, or is advice.
_IN_SOME_CASES = re.compile(
    r"\b(?:if|when|where|unless|except|typically|usually|often|around|prefer|lean"
    r"|for (?!each|every|all|this|the))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """Lowest and highest score that the code or a prompt at `path`:`line` leaves a persona."""

    persona: str
    low: float
    high: float
    path: str
    line: int
    is_asked: bool = False


def separate_ranges(
    functions: Sequence[FunctionRef],
    sources: Sequence[SourceFile],
    prompts: Sequence[PersonaText] = (),
) -> list[dict[str, Any]]:
    """Return the pairs of personas whose scores can never be equal, as facts.

    `functions` are those of the judges, `sources` the product's files, `prompts` the personas'. A
    persona for which the code names several ranges is left out, and so is one whose prompt does.
    """
    return (
        _apart(_in_code(functions, sources))
        or _apart(_in_prompts(prompts, sources))
        or [row for function in functions for row in _apart_in_some_cases(function)]
    )


def highest_scores(
    functions: Sequence[FunctionRef], sources: Sequence[SourceFile]
) -> dict[str, ScoreRange]:
    """Return the highest range of each persona whose score the code keeps below it in every case.

    `functions` are those of the judges, `sources` the product's files.
    """
    ranges = _in_code(functions, sources)
    ways = [row for function in functions for row in _ways_by_persona(function).items()]
    # A persona with a way without a bound is kept at none.
    free = {persona for persona, spans in ways if None in spans}
    ranges += [span for persona, spans in ways if persona not in free for span in spans if span]
    highest: dict[str, ScoreRange] = {}
    for span in ranges:
        if span.persona not in highest or span.high > highest[span.persona].high:
            highest[span.persona] = span
    return {persona: span for persona, span in highest.items() if span.high < HIGHEST}


def _in_code(functions: Sequence[FunctionRef], sources: Sequence[SourceFile]) -> list[ScoreRange]:
    ranges = [score_range for function in functions for score_range in _in_function(function)]
    ranges += [score_range for source in sources for score_range in _in_models(source)]
    return [*ranges, *_in_tables(functions, sources)]


def _apart(ranges: Sequence[ScoreRange]) -> list[dict[str, Any]]:
    by_persona: dict[str, dict[tuple[float, float], ScoreRange]] = {}
    for score_range in ranges:
        span = (score_range.low, score_range.high)
        by_persona.setdefault(score_range.persona, {}).setdefault(span, score_range)
    single = [next(iter(spans.values())) for spans in by_persona.values() if len(spans) == 1]
    return [
        shown(
            _sentence(lower, upper),
            (lower.path, lower.line),
            (upper.path, upper.line),
        )
        for lower, upper in combinations(sorted(single, key=lambda r: r.low), 2)
        if lower.high < upper.low
    ]


def _sentence(lower: ScoreRange, upper: ScoreRange) -> str:
    if lower.is_asked:
        return (
            f"The prompt of {lower.persona} asks for a score from {lower.low:g} to {lower.high:g}"
            f" and that of {upper.persona} for one from {upper.low:g} to {upper.high:g}: as they"
            " are told, they can never agree."
        )
    return (
        f"The code keeps the score of {lower.persona} at {lower.high:g} or below and that of"
        f" {upper.persona} at {upper.low:g} or above: they can never agree."
    )


def _in_prompts(prompts: Sequence[PersonaText], sources: Sequence[SourceFile]) -> list[ScoreRange]:
    texts = {source.path: source.text for source in sources}
    return [
        ScoreRange(
            prompt.persona,
            low,
            high,
            prompt.path,
            _line_of(words, prompt, texts),
            is_asked=True,
        )
        for prompt in prompts
        for low, high, words in _ordered_ranges(prompt.text)
    ]


def _ordered_ranges(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the ranges that a prompt orders in every case, with their words."""
    for order in _ORDER.finditer(text):
        start = max(text.rfind(mark, 0, order.start()) for mark in ".!?\n") + 1
        found = _RANGE.search(order[0])
        if not found or _IN_SOME_CASES.search(text[start : order.end()]):
            continue
        low, high = sorted(int(number) for number in found.groups() if number)
        # The whole scale is the form of an answer.
        if (low, high) != (LOWEST, HIGHEST):
            yield low, high, found[0]


def _line_of(words: str, prompt: PersonaText, texts: Mapping[str, str]) -> int:
    lines = texts.get(prompt.path, "").split("\n")[prompt.line - 1 : prompt.end]
    return next((n for n, line in enumerate(lines, prompt.line) if words in line), prompt.line)


def _in_function(function: FunctionRef) -> Iterator[ScoreRange]:
    owner = function.site.owner.name if function.site.owner else ""
    persona = persona_in(f"{owner} {function.name}")
    for current, node in _statements(function.site.node.body, persona):
        if current is None:
            continue
        chosen = chosen_score(node, function.site.node)
        for low, high, line in [chosen] if chosen else _clamps(node):
            yield ScoreRange(current, low, high, function.source.path, line)


def _apart_in_some_cases(function: FunctionRef) -> Iterator[dict[str, Any]]:
    """Yield pairs of personas of which one keeps its bound in every case and one beyond in some."""
    ways = _ways_by_persona(function)
    for (one, of_one), (other, of_other) in permutations(ways.items(), 2):
        kept = [way for way in of_one if way is not None]
        moved = [way for way in of_other if way is not None]
        if len(kept) < len(of_one) or not moved:
            continue
        highest = max(kept, key=lambda way: way.high)
        lifted = max(moved, key=lambda way: way.low)
        if highest.high < lifted.low:
            sentence = (
                f"The code keeps the score of {one} at {highest.high:g} or below in every case and"
                f" lifts that of {other} to {lifted.low:g} or above in some: in those they can never"
                " agree."
            )
            yield shown(sentence, (highest.path, highest.line), (lifted.path, lifted.line))


def _ways_by_persona(function: FunctionRef) -> dict[str, list[ScoreRange | None]]:
    """Return the ranges that the ways through the branches of each persona leave."""
    bodies: dict[str, list[ast.stmt]] = {}
    for persona, body in _persona_branches(function.site.node.body):
        bodies.setdefault(persona, []).extend(body)
    return {persona: _ways(body, persona, function.source.path) for persona, body in bodies.items()}


def _persona_branches(body: Iterable[ast.stmt]) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Yield the branches of personas that no other condition stands around."""
    for statement in body:
        if isinstance(statement, ast.If):
            persona = _chosen_persona(statement.test)
            if persona is not None:
                yield persona, statement.body
                yield from _persona_branches(statement.orelse)
        elif isinstance(statement, ast.With | ast.AsyncWith | ast.For | ast.AsyncFor | ast.Try):
            yield from _persona_branches(statement.body)


def _ways(body: Sequence[ast.stmt], persona: str, path: str) -> list[ScoreRange | None]:
    """Return the range that each way through the statements leaves, None where none is set."""
    ways: list[ScoreRange | None] = [None]
    for statement in body:
        if isinstance(statement, ast.If):
            inner = [*_ways(statement.body, persona, path), *_ways(statement.orelse, persona, path)]
            ways = [new or way for way in ways for new in inner][:MOST_WAYS]
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return):
            bound = next(_clamps(statement), None)
            ways = [ScoreRange(persona, *bound[:2], path, bound[2])] if bound else ways
    return ways


def _statements(
    body: Iterable[ast.stmt], persona: str | None
) -> Iterator[tuple[str | None, ast.stmt]]:
    """Yield the simple statements that no condition but the choice of a persona leads to."""
    for statement in body:
        if isinstance(statement, ast.If):
            chosen = _chosen_persona(statement.test)
            if chosen is not None:
                yield from _statements(statement.body, chosen)
                yield from _statements(statement.orelse, None)
        elif isinstance(statement, ast.With | ast.AsyncWith | ast.For | ast.AsyncFor | ast.Try):
            yield from _statements(statement.body, persona)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return | ast.Expr):
            yield persona, statement


def _chosen_persona(test: ast.expr) -> str | None:
    """Return the persona that a comparison such as `judge == "Prosecutor"` chooses."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return None
    personas = {
        persona
        for side in (test.left, *test.comparators)
        for persona in [persona_in(constant_text(side) or "")]
        if persona
    }
    return personas.pop() if len(personas) == 1 else None


def _clamps(statement: ast.stmt) -> Iterator[tuple[float, float, int]]:
    """Yield the bounds that min() and max() with numbers set to a score, and their line."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        bounds = _bounds(node)
        if bounds is None:
            stack += ast.iter_child_nodes(node)
        elif _mentions_score(statement):
            yield (*bounds, getattr(node, "lineno", 1))


def _bounds(node: ast.AST) -> tuple[float, float] | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    if node.func.id not in ("min", "max") or len(node.args) != 2:
        return None
    limits = [limit for argument in node.args if (limit := _number(argument)) is not None]
    values = [argument for argument in node.args if _number(argument) is None]
    if len(limits) != 1 or not values:
        return None
    low, high = _bounds(values[0]) or (-math.inf, math.inf)
    limit = limits[0]
    if node.func.id == "min":
        return min(low, limit), min(high, limit)
    return max(low, limit), max(high, limit)


def _number(node: ast.expr) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, int | float) and type(value) is not bool else None


def _mentions_score(node: ast.AST) -> bool:
    names = (
        last_name(inner) or (inner.arg if isinstance(inner, ast.keyword) else "") or ""
        for inner in ast.walk(node)
    )
    return any({"score", "scores"} & set(words_of(name)) for name in names)


def _in_models(source: SourceFile) -> Iterator[ScoreRange]:
    """Yield the ranges of `score: int = Field(ge=1, le=2)` in the models of a persona."""
    for model in source.classes:
        persona = persona_in(model.name)
        for statement in model.body if persona else ():
            if not isinstance(statement, ast.AnnAssign) or last_name(statement.target) != "score":
                continue
            value = statement.value
            if not isinstance(value, ast.Call) or called_name(value) != "Field":
                continue
            low, high = (keyword_of(value, name) for name in ("ge", "le"))
            if low and high and (span := (_number(low), _number(high))) and None not in span:
                assert persona and span[0] is not None and span[1] is not None  # noqa: S101, PT018
                yield ScoreRange(persona, span[0], span[1], source.path, statement.lineno)


def _in_tables(functions: Sequence[FunctionRef], sources: Sequence[SourceFile]) -> list[ScoreRange]:
    """Return the ranges of a table by persona that a function of the judges clamps a score with."""
    clamping = [f for f in functions if {"min", "max"} <= f.site.mentions]
    ranges: list[ScoreRange] = []
    for source in sources:
        for statement in source.tree.body:
            if not isinstance(statement, ast.Assign | ast.AnnAssign):
                continue
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = {last_name(target) for target in targets}
            if not any(names & f.site.mentions for f in clamping):
                continue
            if isinstance(statement.value, ast.Dict) and _mentions_range(names):
                ranges += _rows(statement.value, source)
    return ranges


def _mentions_range(names: set[str]) -> bool:
    words = {word for name in names for word in words_of(name)}
    return bool(words & {"score", "scores", "range", "ranges", "band", "bands", "bounds", "limits"})


def _rows(table: ast.Dict, source: SourceFile) -> Iterator[ScoreRange]:
    for key, value in zip(table.keys, table.values, strict=True):
        persona = persona_in(constant_text(key) or "")
        if persona is None or not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != 2:
            continue
        low, high = map(_number, value.elts)
        if low is not None and high is not None:
            yield ScoreRange(persona, low, high, source.path, value.lineno)
