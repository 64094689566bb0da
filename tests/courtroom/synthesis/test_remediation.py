"""Remediation: changes from unmet checks, at their places, the most urgent first."""

import pytest

from courtroom.checks.pdf_concept import EXPLAINS_IT, NOWHERE, PdfConcept
from courtroom.checks.state_flow import StateFlow
from courtroom.models.evidence import Location
from courtroom.models.root_cause import RootCause
from courtroom.synthesis.advice.work import Work
from courtroom.synthesis.remediation import remediation_for
from tests.courtroom.synthesis.bench_records import (
    check,
    criterion,
    outcome,
    piece,
    rubric,
    unsafe,
    verdict,
)

NO_GRAPH = RootCause(code="no_graph", sentence="No StateGraph is built.")


def changes(criterion_, *outcomes_and_pieces):
    outcomes = {o.check: o for o, _ in outcomes_and_pieces}
    evidence = {p.id: p for _, pieces in outcomes_and_pieces for p in pieces}
    evidence = {p.id: p for _, pieces in outcomes_and_pieces for p in pieces}
    return remediation_for(criterion_, Work({}, evidence, outcomes))


def result_of(name, met, *pieces):
    return outcome(name, met, *pieces), pieces


def absence(name):
    return piece(name, found=False, location=Location(), content=f"no {name} in 12 files")


def test_met_and_unestablished_checks_need_no_change():
    quality = criterion("quality", check("tests"), check("docs"), check("lint"))
    assert changes(quality, result_of("tests", True, piece("tests")), result_of("docs", None)) == ()


def test_missing_thing_is_added_once_with_its_advice_and_snippet():
    gone = absence("tests")
    quality = criterion(
        "quality", check("tests", advice="Add a test.", snippet="def test_it(): ...")
    )
    (change,) = changes(quality, result_of("tests", False, gone))
    assert (change.path, change.line, change.action) == (None, None, "Add a test.")
    assert (change.snippet, change.priority) == ("def test_it(): ...", "high")
    assert (change.evidence, change.criterion_id) == ((gone.id,), "quality")


def test_check_without_advice_names_its_fault():
    quality = criterion("quality", check("tests"))
    (change,) = changes(quality, result_of("tests", False, absence("tests")))
    assert change.action == "Mend this: no file matches tests/**. looked."


def test_partial_result_points_at_the_first_place_found():
    partial = piece("tests", 7, location=Location(path="tests/old.py", line_start=7))
    (change,) = changes(
        criterion("quality", check("tests")), result_of("tests", False, absence("tests"), partial)
    )
    assert (change.path, change.line) == ("tests/old.py", 7)


def test_term_that_a_passage_explains_without_it_is_least_urgent():
    term = PdfConcept(id="term", goal="It is explained", term="Dialectics", essential=True)
    page = Location(page=4)
    passage = piece("term", location=page, rationale=f"Page 4 {EXPLAINS_IT}, {NOWHERE}.")
    (change,) = changes(criterion("theory", term), result_of("term", False, passage))
    assert (change.action, change.priority) == (
        "Use the term “Dialectics” where page 4 explains it.",
        "low",
    )


def test_flaw_is_fixed_at_every_line_in_file_order():
    flaws = [piece("no_shell", line) for line in (30, 4)]
    quality = criterion("quality", unsafe(advice="Use an argument list."))
    mended = changes(quality, result_of("no_shell", False, *flaws))
    assert [(c.path, c.line, c.evidence) for c in mended] == [
        ("no_shell.py", 4, (flaws[1].id,)),
        ("no_shell.py", 30, (flaws[0].id,)),
    ]


def test_change_without_a_quoted_place_cites_the_place_that_it_names():
    arrives = StateFlow(id="arrives", goal="Data arrives", faults=["early_read"])
    places = [("src/tools.py", 4), ("src/nodes.py", 9)]
    pieces = [
        piece("arrives", line, location=Location(path=path, line_start=line))
        for path, line in places
    ]
    fault = {"kind": "early_read", "sentence": "b reads `k`", "path": "src/b.py", "line": 7}
    other = {"path": "src/nodes.py", "line": 9}
    facts = {"state_flow": {"faults": [fault | {"other": other}], "unread": {}}}
    outcomes = {"arrives": outcome("arrives", False, *pieces)}
    work = Work(facts, {p.id: p for p in pieces}, outcomes)

    (change,) = remediation_for(criterion("quality", arrives), work)
    assert (change.path, change.line, change.evidence) == ("src/b.py", 7, (pieces[1].id,))


def test_essential_and_security_checks_come_first_then_the_heaviest():
    quality = criterion(
        "quality",
        check("small", weight=1),
        check("middling", weight=2),
        check("large", weight=6),
        check("vital", weight=1, essential=True),
        unsafe(weight=2),
    )
    order = changes(quality, *(result_of(c.id, False, absence(c.id)) for c in quality.checks))

    assert [
        (c.evidence[0] == absence(name).id, c.priority)
        for c, name in zip(order, ("large", "no_shell", "vital", "middling", "small"), strict=True)
    ] == [(True, "high"), (True, "high"), (True, "high"), (True, "medium"), (True, "low")]


def hanging(name, evidence_row):
    """Return the outcome of a check that hangs on an absent graph, with its evidence."""
    update = {"not_applicable": NO_GRAPH, "reason": NO_GRAPH.sentence}
    return outcome(name, None, evidence_row).model_copy(update=update), (evidence_row,)


def test_checks_that_do_not_apply_ask_once_for_what_is_not_there():
    evidence_row = absence("no_graph")
    quality = criterion(
        "quality",
        check("parallel", advice="Start from START.", snippet="START", weight=1),
        check("joined", advice="Add a join.", essential=True, weight=9),
    )
    (change,) = changes(quality, hanging("parallel", evidence_row), hanging("joined", evidence_row))
    assert (change.action, change.snippet, change.priority, change.evidence) == (
        "Build the flow as a StateGraph of nodes and edges.",
        None,
        "high",
        (evidence_row.id,),
    )


@pytest.mark.parametrize("reason", [NO_GRAPH.sentence, f"{NO_GRAPH.sentence[:-1]}: see a.py:3."])
def test_check_that_states_the_root_cause_asks_alone_for_it(reason):
    evidence_row = absence("no_graph")
    quality = criterion("quality", check("exists", advice="Build a graph."), check("parallel"))
    unmet = outcome("exists", False, evidence_row).model_copy(update={"reason": reason})
    (change,) = changes(quality, (unmet, (evidence_row,)), hanging("parallel", evidence_row))
    assert change.action == "Build a graph."


def test_root_cause_is_mended_once_in_a_report():
    evidence_row = absence("no_graph")
    first, second = (criterion(name, check(f"{name}.a")) for name in ("first", "second"))
    outcomes = [hanging("first.a", evidence_row)[0], hanging("second.a", evidence_row)[0]]
    result = verdict(
        "default", [], evidence=[evidence_row], outcomes=outcomes, rubric_=rubric(first, second)
    )
    assert [len(row.remediation) for row in result.criteria] == [1, 0]
