"""Steps for a route around the judges where nothing was found: its edges, names and example."""

from itertools import pairwise
from typing import Any

import pytest

from courtroom.synthesis.advice import wiring_steps
from courtroom.synthesis.advice.work import Work


def error_route(*last, quotes=(), **more):
    edges = [("join", "prosecutor"), ("join", "defense"), ("chief_justice", "END"), *last]
    graph = {"path": "g.py", "state_graph_line": 1, "edges": edges, "conditional": []}
    graph |= {"nodes": ["join", "prosecutor", "defense", "chief_justice"]}
    graph |= {"edge_paths": ["g.py"] * len(edges), "edge_lines": range(1, len(edges) + 1)}
    reducers = [{"field": "evidences", "reducer": "operator.ior"}]
    facts = {"graph": graph, "reducers": reducers, **more}
    place = type("Place", (), {"path": "g.py"})
    pieces = [type("Piece", (), {"content": text, "location": place}) for text in quotes]
    evidence: dict[str, Any] = {f"E-{number}": piece for number, piece in enumerate(pieces)}
    (step,) = wiring_steps.topology_steps("conditional_error_route", Work(facts, evidence, {}))
    return step


def test_route_without_evidence_passes_a_clean_up_and_no_other_node():
    edges = "Replace the edges join → prosecutor and join → defense by a conditional edge"
    way = "that leads to a new node where nothing was found, and from there to"
    end = (
        "It writes what failed, such as the clone, where chief_justice writes the report, and gives no"
        " scores."
    )
    assert error_route().action == f"{edges} {way} END. {end}"
    assert error_route(("save_report", "END")).action == f"{edges} {way} END. {end}"
    assert error_route(("cleanup", "END")).action == f"{edges} {way} cleanup. {end}"


def test_route_before_judges_in_a_row_leads_to_all_once_they_start_together():
    clause = (
        " Once the judges start together, let the conditional edge lead to prosecutor, defense and"
        " tech_lead, in place of the edges to them."
    )
    edges = [("defense", "tech_lead")]
    assert error_route(*edges, judges_parallel=True).action.endswith("no scores.")
    nodes = ["join", "prosecutor", "defense", "tech_lead"]
    graph = {"path": "g.py", "state_graph_line": 1, "conditional": [], "nodes": nodes}
    graph |= {"edges": [*pairwise(nodes)]}
    graph |= {"edge_paths": ["g.py"] * 3, "edge_lines": [1, 2, 3]}
    assert error_route(graph=graph, judges_parallel=False).action.endswith(clause)


EDGE = 'flow.add_edge("join", "prosecutor")'
LISTS = "    evidences: Annotated[dict[str, list[Evidence]], operator.ior]"
FOUND = "class Evidence(BaseModel):\n    goal: str\n    found: bool"


OPEN = LISTS.replace("Evidence", "Any")


class Piece:
    """Evidence as Pydantic keeps it: dict() takes its fields."""

    def __init__(self, *, is_found):
        self.found = is_found

    def __iter__(self):
        return iter([("found", self.found)])


@pytest.mark.parametrize(
    ("lists", "models", "pieces"),
    [
        (LISTS, (), [Piece(is_found=False)]),
        (LISTS, ("Evidence",), [Piece(is_found=False), {"found": False}]),
        (OPEN, ("Evidence",), [Piece(is_found=False), {"found": False}, {"goal": "graph"}]),
    ],
)
def test_route_without_evidence_looks_at_what_was_found(lists, models, pieces):
    snippet = error_route(quotes=(EDGE, lists, FOUND), pydantic_models=models).snippet
    added = []
    names = ("add_node", "add_edge", "add_conditional_edges")
    flow = type("Flow", (), {name: lambda _, *part: added.append(part) for name in names})()
    exec(snippet, {"flow": flow, "report_failure": "its function"})  # noqa: S102
    node, edge, (start, router, ways) = added
    judges = ["prosecutor", "defense"]
    assert (node, edge) == (("report_failure", "its function"), ("report_failure", "__end__"))
    assert (start, ways) == ("join", [*judges, "report_failure"])
    assert router({"evidences": {"repo": pieces}}) == "report_failure"
    assert router({"evidences": {"repo": [*pieces, Piece(is_found=True)]}}) == judges


def test_evidence_that_is_always_found_is_mended_before_the_route_is_of_use():
    rows = [
        {"text": "Look: no condition on what was examined leads to it.", "places": [place]}
        for place in [{"path": "vision.py", "line": 37}]
    ]
    rows.append({"text": "Says “pending”.", "places": [{"path": "vision.py", "line": 50}]})
    action = error_route(assumed_pictures=rows, assumed_evidence=[]).action
    _, sentence = action.split(" no scores. ")
    assert sentence == (
        "No run goes there before vision.py:37 is mended: this evidence is always found, and"
        " other evidence may be."
    )


@pytest.mark.parametrize("kind", ["BaseModel", "dataclass"])
def test_route_without_evidence_reads_an_attribute_of_a_model(kind):
    state_class = {"name": "State", "path": "s.py", "line": 1, "kind": kind}
    snippet = error_route(quotes=(EDGE, LISTS, FOUND), state_class=state_class).snippet
    assert "for rows in state.evidences.values()" in snippet


def test_route_past_judges_of_many_criteria_counts_their_edges():
    judges = [("join", f"prosecutor_{number}") for number in range(9)]
    nodes = ["join", "prosecutor", "defense", *(name for _, name in judges)]
    edges = [("join", "prosecutor"), ("join", "defense"), *judges]
    graph = {"path": "g.py", "state_graph_line": 1, "edges": edges, "conditional": []}
    graph |= {"nodes": nodes, "edge_paths": ["g.py"] * 11, "edge_lines": range(1, 12)}
    step = error_route(quotes=(EDGE, LISTS, FOUND), graph=graph)
    assert (step.snippet, step.action) == (
        None,
        (
            "Replace the 11 edges from join to the judges by a conditional edge that leads to a new node"
            " where nothing was found, and from there to END. It writes what failed, such as the clone,"
            " where the Chief Justice writes the report, and gives no scores."
        ),
    )


@pytest.mark.parametrize("quotes", [(EDGE, LISTS), (EDGE, FOUND), (LISTS, FOUND)])
def test_route_without_evidence_has_no_example_where_its_names_are_not_known(quotes):
    assert error_route(quotes=quotes).snippet is None


def test_route_without_evidence_leaves_out_what_is_there_without_the_clone():
    step = error_route(
        quotes=(EDGE, LISTS, FOUND), clone_function={"name": "c", "path": "t.py", "line": 1}
    )
    assert step.action.endswith(
        " Let the router look only at what a failed clone leaves empty, not at evidence on the report,"
        " and see that the node that clones returns its failure: an error that it raises ends the run"
        " before the router."
    )
    assert (
        "# Of all evidence: leave out the keys that a failed clone does not leave empty."
        in step.snippet
    )
