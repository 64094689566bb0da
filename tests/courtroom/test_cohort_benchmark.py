"""Figures of the cohort benchmark."""

from __future__ import annotations

from math import isnan

import pytest

from benchmarks.agreement import Overlap, f1_of, overlap, scalars, sets, weighted_kappa
from benchmarks.cohort import _spread


def test_unestablished_fact_agrees_only_with_itself() -> None:
    label = {"commit_count": 3, "rules": {"dissent": True}, "state_class": None}
    expected, reported = scalars(label), scalars({})
    assert sorted(name for name in expected if expected[name] != reported[name]) == [
        "commit_count",
        "rules.dissent",
    ]


def test_graphs_compare_by_names_including_terminals() -> None:
    graph = {
        "nodes": ["a"],
        "edges": [["__start__", "a"]],
        "conditional": [{"from": "a", "to": ["__end__", "b"]}],
    }
    members = sets({"graph": graph})

    assert members["graph.edges"] == {("START", "a")}
    assert members["graph.conditional"] == {("a", "END"), ("a", "b")}


def test_two_empty_sets_agree_fully() -> None:
    assert overlap(frozenset(), frozenset()).f1 == 1.0


def test_large_graph_does_not_outweigh_a_small_one() -> None:
    overlaps = [Overlap(common=1, extra=0, missed=0), Overlap(common=0, extra=0, missed=80)]
    assert f1_of("graph.edges", overlaps) == 0.5
    assert f1_of("reducers", overlaps) == pytest.approx(2 / 82)


def test_kappa_is_one_for_equality_zero_for_chance_and_nan_for_one_grade() -> None:
    assert weighted_kappa([(1, 1), (3, 3), (5, 5)]) == 1.0
    assert weighted_kappa([(1, 1), (1, 5), (5, 1), (5, 5)]) == 0.0
    assert isnan(weighted_kappa([(3, 3), (3, 3)]))


def test_spread_counts_the_latest_opinion_of_each_judge() -> None:
    opinions = [
        {"judge": "Prosecutor", "score": 1, "round": 1},
        {"judge": "Defense", "score": 4, "round": 1},
        {"judge": "TechLead", "score": None, "round": 1},
        {"judge": "Prosecutor", "score": 2, "round": 2},
    ]
    assert [_spread({"opinions": opinions}, last) for last in (1, 2)] == [3, 2]
    assert _spread({"opinions": []}, 1) is None
