"""Reader held against LangGraph on the corpus of constructs: never false, mostly exact."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.graph_constructs import Comparison, comparisons

# Constructs that are read exactly. The others depend on the run, and the reader says so.
EXACT = 196


@pytest.fixture(scope="module")
def results() -> list[Comparison]:
    return comparisons()


@pytest.mark.slow
def test_no_construct_is_read_wrongly_without_a_word(results):
    false = [f"{r.construct.name}: {r.difference}" for r in results if r.outcome == "false"]
    assert false == []


@pytest.mark.slow
def test_as_many_constructs_as_before_are_read_exactly(results):
    assert Counter(r.outcome for r in results)["exact"] == EXACT
