"""Evidence that a node puts under a second key."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import GRAPH, flow_of, sentences

CODE = """
def detective(state):
    return {"evidences": {"repo": [{"found": True}]}}
def aggregator(state):
    evidences = state.get("evidences") or {}
    rows = []
    for source, items in evidences.items():
        for item in items or []:
            rows.append(item)
    by_goal = {}
    for row in rows:
        by_goal.setdefault(row["goal"], [])
        by_goal[row["goal"]].append(row)
    merged = []
    for goal, group in by_goal.items():
        merged.append(max(group, key=len).copy())
    return {"evidences": {"all": merged}}
def judge(state):
    texts = [str(item) for items in state["evidences"].values() for item in items]
    return {"opinions": [model.invoke(texts)]}
"""
JOINED = GRAPH.replace(
    'g.add_edge("detective", "judge")',
    'g.add_node("aggregator", aggregator)\n'
    'g.add_edge("detective", "aggregator")\n'
    'g.add_edge("aggregator", "judge")',
)


def copies(code: str) -> list[str]:
    return sentences(flow_of(code, graph=JOINED), "copied_evidence")


def test_evidence_of_all_keys_under_a_second_one_is_there_twice():
    assert copies(CODE) == [
        (
            "aggregator puts what lies under the keys of `evidences` under `all` as well; all keys are"
            " read by judge, so that the same evidence is there twice"
        )
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rows.append(item)", "rows.append(len(item))"),
        ('{"all": merged}', '{"all": [{"count": len(merged)}]}'),
        ('{"evidences": {"all": merged}}', '{"opinions": merged}'),
        ('state["evidences"].values()', '[state["evidences"]["all"]]'),
        ("in evidences.items():", 'in [("repo", evidences.get("repo"))]:'),
    ],
    ids=["numbers", "new", "another field", "one key", "part"],
)
def test_evidence_that_is_read_once_is_no_copy(old: str, new: str):
    assert old in CODE
    assert copies(CODE.replace(old, new)) == []
