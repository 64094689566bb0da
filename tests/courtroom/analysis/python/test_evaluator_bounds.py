"""Values that grow with each line of a work: the evaluator lets them go before they are large."""

from __future__ import annotations

import gc
from time import process_time

import pytest

from courtroom.analysis.langgraph.graph_evaluator import GraphEvaluator
from courtroom.analysis.python.symbolic_execution.data_files import path_text
from courtroom.analysis.python.symbolic_execution.value_operations import (
    MAX_MEMBERS,
    MAX_TEXT,
    is_known,
)
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    ListValue,
    Template,
    Value,
    choices_of,
    join,
)
from tests.courtroom.sources import symbols_of, values_of

# Doublings that make a million of one, which a machine still holds.
LINES = 20


@pytest.mark.parametrize(
    "line",
    [
        "a = a + a",
        "a += a",
        "a.extend(a)",
        "a = [*a, *a]",
        "a = sum([a, a], [])",
        "a = list(itertools.chain(a, a))",
        "a = twice(a)",
    ],
)
def test_list_that_doubles_with_each_line_is_not_known_once_it_is_long(line: str):
    code = "import itertools\ndef twice(a):\n    yield from a\n    yield from a\na = [1]\n"
    value = values_of(code + f"{line}\n" * LINES)["a"]
    assert not is_known(value)
    assert not isinstance(value, ListValue) or len(value.members) <= MAX_MEMBERS


@pytest.mark.parametrize(
    "test", ["a == [1, 1]", "1 in [a]", "max(a)", "len({*a}) == 2", "[a] > [1]"]
)
def test_list_of_too_many_lists_is_not_compared(test: str):
    names = values_of("a = [1]\n" + "a = [a, a]\n" * LINES + f"b = {test}\n")
    assert names["b"] is UNKNOWN


@pytest.mark.parametrize(
    "code",
    [
        "a = '%s%s' % (a, a)",
        "a = '{}{}'.format(a, a)",
        "a = f'{a}{a}'",
        "a = a.replace('x', a)",
        "a = a.join([a, a])",
        "a = a + a",
    ],
)
@pytest.mark.parametrize("first", ["'xx'", "open('a') + 'xx'"])
def test_text_that_doubles_with_each_line_ends_short(code: str, first: str):
    value = values_of(f"a = {first}\n" + f"{code}\n" * LINES)["a"]
    assert len(value.text if isinstance(value, Template) else str(value)) <= MAX_TEXT


@pytest.mark.parametrize(
    "code", ["a.format(b)", "a.format(x=b)", "c % {'x': b}", "b.join(a[:2000])"]
)
def test_text_of_many_long_parts_is_not_made(code: str):
    names = values_of(f"a = '{{0}}{{x}}' * 2000\nc = '%(x)s' * 4000\nb = 'x' * 60000\nd = {code}\n")
    assert names["d"] is UNKNOWN


def test_number_that_doubles_with_each_line_is_not_written():
    names = values_of("a = 1\n" + "a = a + a\n" * 5000 + "b = f'{a}'\nc = str(a)\n")
    assert names["a"] is UNKNOWN
    assert names["b"] == Template(HOLE)
    names = values_of(f"a = 0x{'f' * 5000}\nb = f'{{a}}'\nc = str(a)\n")
    assert (names["b"], names["c"]) == (Template(HOLE), Template(HOLE))


def test_sum_of_a_number_beyond_floats_is_not_known():
    names = values_of(f"import statistics\nrow = [0x{'f' * 5000}, 1.5]\na = sum(row)\n")
    assert names["a"] is UNKNOWN


def test_path_that_doubles_with_each_line_is_not_known():
    code = "import os\np = os.path.join('a', 'b')\n"
    assert path_text(values_of(code)["p"]) == "a/b"
    assert path_text(values_of(code + "p = os.path.join(p, p)\n" * LINES)["p"]) == HOLE


def test_long_list_costs_as_much_as_it_holds():
    symbols = symbols_of({"work.py": "a = list(range(1000))\n" + "b = 1001 in a\n" * 100})
    evaluator = GraphEvaluator(symbols, should_enter=lambda _name: False, fuel=10_000)
    evaluator.load_module(symbols.codebase.files["work.py"])
    assert evaluator.fuel < 5_000


def test_sets_are_joined_by_their_members():
    names = values_of(
        "a = {1, 2, 3}\nb = {3, 4}\n"
        "c, d, e, f = a | b, a & b, a - b, a ^ b\n"
        "g, h, i = a.union(b, [5]), a.intersection(b), a.difference(b)\n"
        "j = set([2, 1, 2])\n"
    )
    joined: dict[str, list[Value]] = {"c": [1, 2, 3, 4], "d": [3], "e": [1, 2], "f": [1, 2, 4]}
    joined |= {"g": [1, 2, 3, 4, 5], "h": [3], "i": [1, 2], "j": [2, 1]}
    assert {name: names[name] for name in joined} == {
        name: ListValue(members) for name, members in joined.items()
    }


def test_time_of_a_join_grows_with_the_number_of_its_texts():
    few, long = (seconds_of_join([str(number) for number in range(n)]) for n in (500, 2000))
    assert long < 4 * 2.5 * few + 0.05


def seconds_of_join(texts: list[Value]) -> float:
    gc.disable()
    try:
        begin = process_time()
        assert choices_of(join([*texts, *texts])) == texts
        return process_time() - begin
    finally:
        gc.enable()
