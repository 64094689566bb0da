"""Literal scores of judges without a model, and pairs of judges that can never agree on a criterion."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from courtroom.analysis.langgraph.judging.persona_names import persona_in
from courtroom.analysis.langgraph.judging.written_numbers import written_numbers
from courtroom.analysis.locations import shown
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import constant_text, keyword_of, walk

# Keywords of an opinion that name its criterion.
_CRITERIA = ("criterion", "criterion_id", "criterion_name", "dimension", "dimension_id")


@dataclass(frozen=True, slots=True)
class LiteralOpinion:
    """Opinion that a function makes; `scores` are all that the code can give it.

    None where the score may be anything else. `criterion` is "" where it is no literal.
    """

    persona: str
    criterion: str
    scores: frozenset[float] | None
    path: str
    line: int


def literal_opinions(functions: Sequence[FunctionRef]) -> list[LiteralOpinion]:
    return [opinion for function in functions for opinion in _in_function(function)]


def scores_apart(opinions: Sequence[LiteralOpinion]) -> list[dict[str, Any]]:
    """Return the pairs of judges that have no score in common on a criterion, as facts."""
    by_criterion: dict[str, dict[str, list[LiteralOpinion]]] = {}
    for opinion in opinions:
        if opinion.criterion:
            judges = by_criterion.setdefault(opinion.criterion, {})
            judges.setdefault(opinion.persona, []).append(opinion)
    return [
        shown(_sentence(criterion, pair), *((side[0].path, side[0].line) for side in pair))
        for criterion, judges in by_criterion.items()
        for pair in combinations(judges.values(), 2)
        if all(
            left.scores and right.scores and not left.scores & right.scores
            for left, right in product(*pair)
        )
    ]


def _sentence(criterion: str, pair: Sequence[Sequence[LiteralOpinion]]) -> str:
    sides = " and ".join(
        f"{side[0].persona} {_alternatives({n for o in side for n in o.scores or ()})}"
        for side in pair
    )
    return f"On “{criterion}” the code gives {sides}: they can never agree."


def _alternatives(numbers: set[float]) -> str:
    return " or ".join(f"{number:g}" for number in sorted(numbers))


def _in_function(function: FunctionRef) -> Iterator[LiteralOpinion]:
    owner = function.site.owner.name if function.site.owner else ""
    own = persona_in(f"{owner} {function.name}")
    for call in walk(function.site.node):
        score = keyword_of(call, "score") if isinstance(call, ast.Call) else None
        if score is None or not isinstance(call, ast.Call):
            continue
        judge = keyword_of(call, "judge")
        persona = persona_in(constant_text(judge) or "") if judge is not None else own
        criterion = keyword_of(call, *_CRITERIA)
        if persona or own:
            yield LiteralOpinion(
                persona or own or "",
                (constant_text(criterion) or "") if criterion is not None else "",
                written_numbers(score, function.site.node),
                function.source.path,
                score.lineno,
            )
