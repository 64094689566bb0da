"""Calls of the judges' model whose failure nothing catches."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.uncaught_answers import uncaught_answers
from tests.courtroom.sources import layers_of, symbols_of

CATCH = "    except Exception as error:\n        return {'errors': [str(error)]}\n"
ASK = "def ask(prompt):\n    return model.invoke(prompt)\n"


def uncaught(code: str) -> list[int] | None:
    """Return the lines of the uncaught calls; the node is the function called prosecutor."""
    symbols = symbols_of({"src/judges.py": code})
    _, layers = layers_of(symbols)
    nodes = [function for function in layers.judges if function.name == "prosecutor"]
    places = uncaught_answers(nodes, layers.judges)
    return None if places is None else sorted(line for _, line in places)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def prosecutor(s):\n    return model.invoke(s)\n", [2]),
        (f"def prosecutor(s):\n    try:\n        return model.invoke(s)\n{CATCH}", []),
        (f"{ASK}def prosecutor(s):\n    try:\n        return ask(s)\n{CATCH}", []),
        (f"{ASK}def prosecutor(s):\n    return ask(s)\n", [2]),
        (
            (
                "def prosecutor(s):\n    try:\n        return model.invoke(s)\n"
                "    except ValueError:\n        return {}\n"
            ),
            [3],
        ),
        (
            (
                "def prosecutor(s):\n    try:\n        return model.invoke(s)\n"
                "    except Exception:\n        log(s)\n        raise\n"
            ),
            [3],
        ),
        (
            (
                "def prosecutor(s):\n    try:\n        return model.invoke(s)\n"
                "    except:\n        return other.invoke(s)\n"
            ),
            [5],
        ),
    ],
)
def test_call_that_nothing_catches_ends_the_run(code, expected):
    assert uncaught(code) == expected


@pytest.mark.parametrize(
    ("imports", "decorator", "expected"),
    [
        ("from langsmith import traceable", "@traceable(name='Prosecutor')", [4]),
        ("import langsmith as ls", "@ls.traceable", [4]),
        ("from src.guards import traceable", "@traceable", None),
        ("import tenacity", "@tenacity.retry", None),
    ],
)
def test_decorator_that_only_traces_catches_nothing(imports, decorator, expected):
    code = f"{imports}\n{decorator}\ndef prosecutor(s):\n    return model.invoke(s)\n"

    assert uncaught(code) == expected


def test_judge_that_asks_no_model_leaves_the_others_known():
    code = f"def prosecutor(s):\n    try:\n        return model.invoke(s)\n{CATCH}"
    _, layers = layers_of(
        symbols_of({"src/judges.py": f"{code}def defense(s):\n    return {{}}\n"})
    )
    nodes = [f for f in layers.judges if f.name in ("prosecutor", "defense")]
    assert [len(nodes), uncaught_answers(nodes, layers.judges)] == [2, []]
    assert uncaught_answers([f for f in nodes if f.name == "defense"], layers.judges) is None


def test_functions_that_call_each_other_often_are_read_once():
    chain = "".join(
        f"def step{n}(p):\n    return [step{n + 1}(p) for _ in (step{n + 1}(p), step{n + 1}(p))]\n"
        for n in range(40)
    )
    code = f"def prosecutor(s):\n    return step0(s)\n{chain}def step40(p):\n    model.invoke(p)\n"
    assert uncaught(f"{code}    return step0(p)\n") == [84]


def test_functions_that_call_each_other_too_deeply_are_not_followed():
    chain = "".join(f"def step{n}(p):\n    return step{n + 1}(p)\n" for n in range(1_500))
    assert uncaught(f"def prosecutor(s):\n    return step0(s)\n{chain}") is None


@pytest.mark.parametrize(
    "code",
    [
        "def prosecutor(s):\n    return pool.map(s)\n",
        "def prosecutor(s):\n    return model.with_fallbacks([other]).invoke(s)\n",
        "@guarded\ndef prosecutor(s):\n    return model.invoke(s)\n",
        "def defense(s):\n    return model.invoke(s)\n",
    ],
)
def test_call_that_may_be_caught_elsewhere_is_not_established(code):
    assert uncaught(code) is None
