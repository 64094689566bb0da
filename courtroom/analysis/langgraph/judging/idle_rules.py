"""Rules of the Chief Justice that change no score, whatever the judges give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.rule_detection import RuleReading
from courtroom.analysis.langgraph.judging.score_runs import ScoreSearch
from courtroom.analysis.python.call_graph import FunctionRef

# Rules that set a score; the others write a text, or hear the judges again.
SETTING = ("security_override", "fact_supremacy", "functionality_weight")


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
