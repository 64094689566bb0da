"""Results of a first round that a reducer keeps, whatever later rounds give."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.kept_results import kept_results
from tests.courtroom.sources import symbols_of

MERGE = """
class Result(BaseModel):
    final_score: float
    weight: float = 0.5

def merge(left, right):
    merged = dict(left)
    for key, new in right.items():
        if key not in merged or new.weight {sign} merged[key].weight:
            merged[key] = new
    return merged

def verdict(score):
    return Result(final_score=score, weight={weight})
"""


@pytest.mark.parametrize(
    ("sign", "weight", "rows"),
    [
        (">", "1.0", [("merge", "weight", 1.0)]),
        (">=", "1.0", []),
        (">", "score / 5", []),
        (">", "1.0)\n\ndef other():\n    return Result(final_score=2, weight=2.0", []),
    ],
)
def test_reducer_that_asks_for_more_of_a_constant_keeps_the_first_result(sign, weight, rows):
    symbols = symbols_of({"src/state.py": MERGE.format(sign=sign, weight=weight)})

    assert list(kept_results(symbols, ["merge", "operator.add"])) == rows


def test_field_that_is_set_later_may_be_greater():
    code = MERGE.format(sign=">", weight="1.0") + "\ndef weigh(result):\n    result.weight = 2\n"

    assert list(kept_results(symbols_of({"src/state.py": code}), ["merge"])) == []
