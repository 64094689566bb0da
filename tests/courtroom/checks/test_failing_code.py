"""Lines of the judges, of the Chief Justice and of the rest that fail, as facts and as a check."""

import pytest

from courtroom.checks.failing_code import FailingCode, failing_code
from courtroom.checks.result import SEARCHED
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, survey

LINE = {"path": "a.py", "line": 7, "part": "judges", "function": "judge", "why": "uses x"}
FACT = {"functions": {"graph": 2, "judges": 3, "justice": 0}, "lines": [LINE]}


def finding(part, fact=FACT):
    check = FailingCode(**CHECK_FIELDS, part=part)
    return failing_code(
        check, survey(facts={"failing_code": fact}, reasons={"failing_code": "not read"})
    )


def test_line_that_fails_is_shown():
    result = finding("judges")
    assert (result.met, clue_lines(result)) == (False, [("a.py", 7)])
    assert result.clues[0].rationale == "judge uses x."


def test_lines_that_most_runs_reach_come_first_and_their_handlers_are_named():
    caught_line = LINE | {"line": 2, "caught_at": 4}
    later_line = LINE | {"line": 3, "after_failure": 1}
    result = finding(
        "judges", FACT | {"lines": [caught_line, later_line, LINE | {"nodes": ["judge"]}]}
    )
    assert clue_lines(result) == [("a.py", 7), ("a.py", 2), ("a.py", 3)]
    assert result.reason == (
        "judge uses x (a.py:7). judge uses x (a.py:2). The handler in line 4 catches it, and the run"
        " goes on without what this line was to do. judge uses x (a.py:3). It runs only where the"
        " `try` in line 1 fails or is passed over."
    )


def test_part_without_such_a_line_meets_its_check():
    result = finding("graph")
    assert result.met is True
    assert "2 functions" in result.clues[0].statement
    assert result.clues[0].rationale == SEARCHED


@pytest.mark.parametrize("part", ["graph", "judges"])
def test_import_that_the_lock_file_does_not_bring_is_told_of_its_part_and_not_counted(part):
    row = {"name": "pypdf", "path": "a.py", "line": 3, "part": "graph"}
    scope = {"lock": "uv.lock", "unlocked": [row, row | {"name": "rich", "part": None}]}
    check = FailingCode(**CHECK_FIELDS, part=part)
    result = failing_code(check, survey(facts={"failing_code": FACT, "scope": scope}))
    sentence = " Not counted: as far as recognised, at least 1 import fails in an install by uv.lock: pypdf (a.py:3)."
    is_graph = part == "graph"
    assert (result.met, result.has_reservation) == (is_graph, is_graph)
    assert result.reason.endswith(sentence) == is_graph


def test_functions_of_a_work_without_a_graph_are_not_said_to_be_called_by_one():
    check = FailingCode(**CHECK_FIELDS, part="graph")
    facts = {"failing_code": FACT, "graph": None, "detectives_parallel": False}
    reason = failing_code(check, survey(facts=facts)).reason
    assert reason.startswith("Looked in the 2 functions of the code outside the judges")
    reason = finding("graph", FACT).reason
    assert reason == (
        "Looked in the 2 functions that a run of the program reaches outside the judges and"
        " the Chief Justice for thirteen kinds of such lines."
    )


@pytest.mark.parametrize(
    ("part", "fact", "reason"),
    [
        ("justice", FACT, "No function of the Chief Justice was found."),
        ("judges", None, "not read"),
    ],
)
def test_part_that_was_not_read_leaves_its_check_open(part, fact, reason):
    result = finding(part, fact)
    assert (result.met, result.reason) == (None, reason)


def test_judge_that_others_may_replace_ends_some_runs_alone():
    lines = [
        LINE | {"nodes": ["batch"], "instead": ["single"]},
        LINE | {"nodes": ["single"], "instead": ["batch"]},
    ]
    check = FailingCode(**CHECK_FIELDS, part="judges", every_run=True)
    result, of_both = (
        failing_code(check, survey(facts={"failing_code": FACT | {"lines": rows}}))
        for rows in (lines[:1], lines)
    )
    assert (result.met, result.has_reservation) == (True, True)
    assert result.reason == (
        "No run of `batch` gets to its end, for the failing code at a.py:7; the graph has a route that"
        " may choose `single` instead."
    )
    assert of_both.met is False


@pytest.mark.parametrize(
    ("nodes", "met", "reason"),
    [
        (("prosecutor",), False, "No run of `prosecutor` gets to its end: judge uses x (a.py:7)."),
        ((), True, "No node is sure to reach the line that fails at a.py:7."),
        (None, None, "An earlier version did not look for the runs that reach a line."),
    ],
)
def test_line_that_ends_every_run_is_told_from_others(nodes, met, reason):
    fact = FACT | {"lines": [LINE | {"nodes": nodes}]}
    check = FailingCode(**CHECK_FIELDS, part="judges", every_run=True)
    result = failing_code(check, survey(facts={"failing_code": fact}))
    assert (result.met, result.reason) == (met, reason)


def test_line_below_an_early_return_ends_only_the_runs_that_pass_it():
    returns = [{"path": "a.py", "line": 3}, {"path": "a.py", "line": 5}]
    line = LINE | {"nodes": ["prosecutor"], "returns_before": returns}
    check = FailingCode(**CHECK_FIELDS, part="judges", every_run=True)
    result = failing_code(check, survey(facts={"failing_code": FACT | {"lines": [line]}}))
    assert (result.met, result.fault) == (
        False,
        "A judge fails on every run that does not return early.",
    )
    assert result.reason == (
        "No run of `prosecutor` that does not end before, by a return at a.py:3 and 5, gets to its end:"
        " judge uses x (a.py:7)."
    )


def test_line_that_no_run_reaches_is_told_and_not_counted():
    closed = LINE | {"line": 9, "closed_by": "before judge, repo always fills `evidences`"}
    sentences = (
        " Not counted, as no run reaches the line: judge uses x (a.py:9): before judge, repo always"
        " fills `evidences`."
    )
    alone = finding("judges", FACT | {"lines": [closed]})
    assert (alone.met, alone.has_reservation, alone.reason.endswith(sentences)) == (
        True,
        True,
        True,
    )
    beside = finding("judges", FACT | {"lines": [LINE, closed]})
    assert (beside.met, beside.reason) == (False, f"judge uses x (a.py:7).{sentences}")


def test_search_for_what_an_object_lacks_says_of_which_objects():
    (clue,) = finding("graph").clues
    limit = "that an object lacks whose class the function itself or an annotation names"
    assert limit in clue.statement
