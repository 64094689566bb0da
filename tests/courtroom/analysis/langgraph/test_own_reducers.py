"""Reducers that a repository writes itself."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.own_reducers import (
    JOINED_BY_KEY,
    MERGED_BY_KEY,
    appends,
    applied_operator,
    name_of,
)
from tests.courtroom.sources import symbols_of

LOOP = "    for k, v in ({0} or {{}}).items():\n        {1}[k] = {1}.get(k, []) + v\n"
PART = "    for k in b:\n        kept[k] = b[k]\n        kept[k].extend([e for e in b[k] if e])\n"


@pytest.mark.parametrize(
    ("body", "operator"),
    [
        ("return operator.add(a, b)", "operator.add"),
        ("return (a or []) + (b or [])", "operator.add"),
        ("return [*a, *b]", "operator.add"),
        ("kept = list(a)\n    kept.extend(b)\n    return kept", "operator.add"),
        ("return operator.ior(a, b)", "operator.ior"),
        ("return a | b", "operator.or_"),
        ("return {**a, **b}", "operator.or_"),
        ("kept = dict(a)\n    kept.update(b)\n    return kept", "operator.or_"),
        ("return b", ""),
        ("return len(a) + 1", ""),
        ("return {**a, **b} if a else a + b", ""),
        (
            "for k, v in b.items():\n        a.setdefault(k, []).extend(v)\n    return a",
            JOINED_BY_KEY,
        ),
        (f"kept = dict(a or {{}})\n{LOOP.format('b', 'kept')}    return kept", JOINED_BY_KEY),
        (
            f"kept = {{}}\n{LOOP.format('a', 'kept')}{LOOP.format('b', 'kept')}    return kept",
            JOINED_BY_KEY,
        ),
        ("kept = dict(a)\n    for k in b:\n        kept[k] = b[k]\n    return kept", MERGED_BY_KEY),
        (f"kept = dict(a)\n{PART}    return kept", MERGED_BY_KEY),
        ("if b == []:\n        return []\n    return a + b", "operator.add or starts anew"),
        ("return a + [x for x in b if x not in a]", "operator.add of a part"),
        ("kept = list(a)\n    kept += b\n    return kept", "operator.add"),
        ("return Model(git=b.git or a.git, raw={**a.raw, **b.raw})", ""),
        (f"kept = {{}}\n{LOOP.format('b', 'kept')}    return kept", ""),
        (f"kept = dict(a)\n{LOOP.format('b', 'kept')}    return b", ""),
        ("kept = dict(a)\n    for k in b:\n        kept['last'] = k\n    return kept", ""),
    ],
)
def test_operator_is_that_on_both_arguments(body: str, operator: str):
    symbols = symbols_of({"src/state.py": f"def merge(a, b):\n    {body}\n"})
    assert applied_operator(symbols, "reducers.merge") == operator
    channel = "BinaryOperatorAggregate(typ=dict, operator=merge)"
    assert applied_operator(symbols, channel) == operator
    assert applied_operator(symbols, "operator.add") == ""


def test_only_what_joins_all_of_the_update_adds_a_list_to_itself():
    adding = ("operator.add", "operator.iadd", "operator.add or starts anew", JOINED_BY_KEY)
    replacing = ("operator.or_", "operator.add of a part", MERGED_BY_KEY, "")
    assert (list(map(appends, adding)), list(map(appends, replacing))) == ([True] * 4, [False] * 4)


def test_an_operator_with_words_behind_it_keeps_its_name():
    assert name_of("operator.add or starts anew") == "add"
    assert (name_of(JOINED_BY_KEY), name_of("")) == ("merge_dicts", "")


def test_name_of_two_functions_or_of_three_arguments_is_not_plain():
    two = symbols_of({f"src/{n}.py": "def merge(a, b):\n    return a + b\n" for n in "xy"})
    three = symbols_of({"src/x.py": "def merge(a, b, c):\n    return a + b + c\n"})
    assert (applied_operator(two, "merge"), applied_operator(three, "merge")) == ("", "")
