"""Rules of the Chief Justice that change no score, whatever the judges give."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.rule_detection import RuleReading
from courtroom.analysis.langgraph.judging.score_runs import USUAL_SCALE, ScoreSearch
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, words_of

# Rules that set a score; the others write a text, or hear the judges again.
SETTING = ("security_override", "fact_supremacy", "functionality_weight")
LOWER_BOUNDS, UPPER_BOUNDS = ("ge", "min_value"), ("le", "max_value")


@dataclass(frozen=True, slots=True)
class IdleRule:
    rule: str
    function: FunctionRef
    line: int


def idle_rules(
    readings: Mapping[str, RuleReading], justice: Iterable[FunctionRef], scale: range
) -> Iterator[IdleRule]:
    """Yield each rule whose lines, left out, change the result of no run."""
    search = ScoreSearch({function.name: function for function in justice}, scale)
    for rule in SETTING:
        lines: dict[tuple[str, int], tuple[FunctionRef, set[int]]] = {}
        for function, line in readings[rule].lines:
            lines.setdefault(function.key, (function, set()))[1].add(line)
        rows = list(lines.values())
        if rows and all(search.is_idle(function, frozenset(at)) for function, at in rows):
            function, at = rows[0]
            yield IdleRule(rule, function, min(at))


def score_scale(symbols: SymbolTable) -> range:
    """Return the scores that the work's model of an opinion lets through; 1 to 5 by default."""
    for source in symbols.codebase.production:
        for model in source.classes:
            if "opinion" not in words_of(model.name):
                continue
            scales = (_scale_of(part) for part in model.body if isinstance(part, ast.AnnAssign))
            if scale := next(filter(None, scales), None):
                return scale
    return USUAL_SCALE


def _scale_of(field: ast.AnnAssign) -> range | None:
    if last_name(field.target) != "score" or not isinstance(field.value, ast.Call):
        return None
    bounds = [_bound(field.value, names) for names in (LOWER_BOUNDS, UPPER_BOUNDS)]
    low, high = bounds
    if called_name(field.value) != "Field" or low is None or high is None or low >= high:
        return None
    return range(low, high + 1)


def _bound(call: ast.Call, names: Iterable[str]) -> int | None:
    values = (keyword_of(call, name) for name in names)
    numbers = (value.value for value in values if isinstance(value, ast.Constant))
    return next((number for number in numbers if type(number) is int), None)
