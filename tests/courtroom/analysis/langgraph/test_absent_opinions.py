"""Scores that the Chief Justice writes where the opinion of a judge is absent."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.absent_opinions import absent_opinion_scores
from tests.courtroom.sources import layers_of, symbols_of


def rows(body: str) -> list[tuple[str, list[int]]]:
    code = f"def chief_justice(ops, scores, p):\n    {body}\n    return p.score\n"
    _, layers = layers_of(symbols_of(code))
    facts = absent_opinion_scores(layers.justice)
    return [(row["text"], [place["line"] for place in row["places"]]) for row in facts]


def counts(number: int, *, is_for_none: bool = False) -> str:
    where = "all opinions are" if is_for_none else "an opinion is"
    return f"chief_justice counts {number} where {where} absent."


OF_LAST = "chief_justice counts 3 for the last in its list of scores where an opinion is absent."


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("use(p.score if p else 3)", 2),
        ("use(3 if p is None else int(p.score))", 2),
        ("use(scores[0] if len(scores) > 0 else 3)", 2),
        ("use(next((op.score for op in ops if op.judge == 'Defense'), 3))", 2),
        ("use(scores.get('Prosecutor', 3))", 2),
        ("if p is None:\n        p = Opinion(judge='Defense', score=3)", 3),
        ("defense = 3\n    for op in ops:\n        defense = op.score", 2),
        ("s = {'Defense': 3, 'limit': 4}\n    for op in ops:\n        s[op.judge] = op.score", 2),
        ("if not all([tech_lead, defense]):\n        final_score = 3", 3),
        ("if not p:\n        return 3", 3),
        ("def of(op):\n        if op is None:\n            return 3\n        return op.score", 4),
        (
            "def of(a):\n        if not a:\n            return 3\n        return getattr(a, 'score')",
            4,
        ),
    ],
)
def test_number_for_an_absent_opinion_is_shown(body, line):
    assert rows(body) == [(counts(3), [line])]


@pytest.mark.parametrize(
    "body",
    [
        "if not ops:\n        return 3, 'nothing was judged'",
        "if not scores:\n        final_score = 3",
        "if not scores:\n        score, note = 3, 'nothing was judged'",
        "if not ops:\n        use(Result(final_score=3))",
    ],
)
def test_number_for_want_of_any_opinion_is_told_apart(body):
    assert rows(body) == [(counts(3, is_for_none=True), [3])]


def test_number_that_also_stands_for_one_opinion_is_no_case_apart():
    body = "if not ops:\n        return 3\n    use(p.score if p else 3)"
    assert rows(body) == [(counts(3), [3, 4])]


@pytest.mark.parametrize(
    "body",
    [
        "use(p.score if p else None)",
        "use(p.score if p else 0)",
        "use(p.weight if p else 3)",
        "use(p.score if isinstance(p, Opinion) else 3)",
        "use(next((op.path for op in ops), 3))",
        "use(scores.get('limit', 3))",
        "if not ops:\n        return None",
        "limit = 3\n    for op in ops:\n        limit = op.score",
        "s = {'Defense': 3}\n    for op in ops:\n        s[op.judge] = op.path",
        "s = {'Defense': 3}\n    for op in ops:\n        other[op.judge] = op.score",
        "if not all([tech_lead, defense]):\n        limit = 3",
        "if not all([first, second]):\n        final_score = 3",
        "def of(op):\n        if op is None:\n            return 3\n        return op.weight",
        "def of(op, other):\n        if other is None:\n            return 3\n        return op.score",
    ],
)
def test_other_numbers_stand_for_no_opinion(body):
    assert rows(body) == []


@pytest.mark.parametrize(
    ("between", "lines"),
    [
        ("if not scores:\n        return None", [5]),
        ("if not scores:\n        use(p)", [4, 5]),
        ("if not scores:\n        return None\n    scores = of(p)", [5, 6]),
        ("if not scores:\n        return None\n    scores.clear()", [5, 6]),
        ("if p:\n        if not scores:\n            return None", [5, 6]),
    ],
)
def test_default_for_an_empty_list_is_idle_below_a_return_where_it_is_empty(between, lines):
    reads = "\n    ".join(f"use(scores[{n}] if len(scores) > {n} else 3)" for n in (0, 1))
    sentence = counts(3) if len(lines) > 1 else OF_LAST
    assert rows(f"{between}\n    {reads}") == [(sentence, lines)]


def test_number_for_the_last_of_a_shorter_list_is_told_apart():
    assert rows("use(scores[2] if len(scores) > 2 else 3)") == [(OF_LAST, [2])]
    assert rows("use(scores[2] if scores[1] else 3)") == [(counts(3), [2])]


def test_places_of_one_function_and_number_are_one_fact_and_the_highest_comes_first():
    body = "use(p.score if p else 1, 2)\n    use(p.score if p else 3)\n    use(3 if not p else p.score)"
    assert rows(body) == [(counts(3), [3, 4]), (counts(1), [2])]


RULED_OUT = """
def chief_justice(state):
    opinions = state["opinions"]
    if not opinions:
        return None
    for criterion in state["criteria"]:
        criterion_ops = [op for op in opinions if op.{key} == criterion]
        if not criterion_ops:
            use(Result(final_score=1, opinions=[]))
            continue
        scores = [op.score for op in criterion_ops if op.judge]
        if not scores:
            final_score = 2
        else:
            final_score = synthesize(scores)

def synthesize(scores):
    if not scores:
        return 3
    return max(scores)
"""


@pytest.mark.parametrize("key", ["criterion", "judge"])
def test_default_behind_a_test_that_left_before_is_idle(key):
    _, layers = layers_of(symbols_of(RULED_OUT.format(key=key)))
    facts = absent_opinion_scores(layers.justice)
    # A test before the loop is of all criteria, that in it of one.
    assert [row["text"] for row in facts] == [counts(1, is_for_none=True)]


def test_default_of_a_record_that_its_class_refuses_is_none():
    _, layers = layers_of(symbols_of(RULED_OUT.format(key="criterion")))
    assert absent_opinion_scores(layers.justice, lambda _source, line: line == 9) == []


def test_long_chain_of_branches_is_read_to_its_end_or_left():
    branches = "\n".join(f"    elif p == {n}:\n        use(p)" for n in range(2000))
    code = f"def chief_justice(ops, p):\n    if not ops:\n        return 3\n{branches}\n"
    _, layers = layers_of(symbols_of(code))
    assert [row["text"] for row in absent_opinion_scores(layers.justice)] == [
        counts(3, is_for_none=True)
    ]
