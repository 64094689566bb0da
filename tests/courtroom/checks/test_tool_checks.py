"""Checks on the clone and on unsafe calls turn the facts of a survey into one finding."""

from __future__ import annotations

import pytest

from courtroom.checks.sandboxed_clone import SandboxedClone, clone
from courtroom.checks.unsafe_call import UnsafeCallCheck, unsafe_calls
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, location_at, survey


def test_each_unsafe_call_is_shown_and_counts_against():
    facts = {
        "os_system_calls": [{"path": "t.py", "line": 2}],
        "shell_true_calls": [],
        "eval_exec_calls": [],
    }
    check = UnsafeCallCheck(**CHECK_FIELDS, polarity="negative")
    unsafe = unsafe_calls(check, survey(facts=facts))
    safe = unsafe_calls(check, survey(facts={**facts, "os_system_calls": []}))
    assert (unsafe.met, clue_lines(unsafe)) == (False, [("t.py", 2)])
    assert (safe.met, clue_lines(safe)) == (True, [(None, None)])


@pytest.mark.parametrize(
    ("graph", "idle"), [("src/graph.py", [("t.py", False), ("old.py", True)]), ("old.py", None)]
)
def test_calls_in_files_that_no_entry_point_reaches_are_idle_and_come_last(graph, idle):
    facts = {
        "os_system_calls": [{"path": "old.py", "line": 7}, {"path": "t.py", "line": 2}],
        "scope": {"unreached": ["old.py"]},
        "graph": {"path": graph},
    }
    check = UnsafeCallCheck(**CHECK_FIELDS, polarity="negative", any_of=("os_system",))
    finding = unsafe_calls(check, survey(facts=facts))

    clues = [(clue.path, clue.is_idle) for clue in finding.clues]
    assert clues == (idle or [("old.py", False), ("t.py", False)])
    where = ", in a file to which no import leads from an entry point" if idle else ""
    assert f"old.py:7 has a call of os that runs a shell{where}." in {
        clue.rationale for clue in finding.clues
    }
    assert finding.fault == "The work has a call of os that runs a shell."


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("src/tools.py", ""),
        (".env", ""),
        ("testing.py", ""),
        ("old.py", ", in a file to which no import leads from an entry point"),
        ("test/key.py", ", in a file that is no part of the product"),
        ("notes/test.py", ", in a file that is no part of the product"),
    ],
)
def test_secret_counts_in_every_file_and_caps_where_the_product_may_read_it(path, where):
    aside = [{"path": "test/"}, {"path": "notes/test.py"}]
    facts = {
        "committed_secrets": [{"path": path, "line": 1, "kind": "private key"}],
        "scope": {"unreached": ["old.py"], "aside": aside},
        "graph": {"path": "src/graph.py"},
    }
    check = UnsafeCallCheck(**CHECK_FIELDS, polarity="negative", any_of=("committed_secret",))
    finding = unsafe_calls(check, survey(facts=facts))

    reasons = [(clue.rationale, clue.is_idle) for clue in finding.clues]
    assert reasons == [(f"{path}:1 has a committed secret{where}: private key.", bool(where))]
    assert (finding.met, finding.fault) == (False, f"The work has a committed secret{where}.")


def test_possible_dangers_are_named_and_change_nothing():
    facts = {
        "unsafe_calls": [],
        "committed_secrets": [],
        "possible_unsafe_calls": [{"path": "q.py", "line": 3, "kind": "sql_from_strings"}],
        "possible_secrets": [{"path": "t.py", "line": 2, "kind": "private key"}],
    }
    dangers = ("sql_from_strings", "committed_secret")
    findings = [
        unsafe_calls(
            UnsafeCallCheck(**CHECK_FIELDS, polarity="negative", any_of=(danger,)),
            survey(facts=facts),
        )
        for danger in dangers
    ]
    assert [(item.met, len(item.clues)) for item in findings] == [(True, 1), (True, 1)]
    assert [str(item.clues[0].statement).rpartition(": ")[2] for item in findings] == [
        "q.py:3.",
        "t.py:2.",
    ]
    assert findings[0].reason == (
        "Looked in the code of the product for a query put together from strings."
        " Possible, and counted for nothing: a query put together from strings (q.py:3)."
    )
    assert "nothing certain was found" in str(findings[0].clues[0].statement)


@pytest.mark.parametrize("danger", ["os_system", "shell_true"])
def test_scan_of_the_work_that_goes_by_words_is_told_beside_its_danger(danger):
    scan = {"kind": "word_scan", "sentence": "scan() goes by words", "path": "t.py", "line": 7}
    flow = {"faults": [scan | {"keys": ["os_system"]}], "unread": {}}
    facts = {"os_system_calls": [], "shell_true_calls": [], "state_flow": flow}
    check = UnsafeCallCheck(**CHECK_FIELDS, polarity="negative", any_of=(danger,))
    finding = unsafe_calls(check, survey(facts=facts))
    is_named = finding.reason.endswith(" Not counted: scan() goes by words (t.py:7).")
    assert (finding.met, finding.has_reservation, is_named) == (True, *(danger == "os_system",) * 2)


def test_unsafe_calls_that_nobody_looked_for_are_open():
    finding = unsafe_calls(
        UnsafeCallCheck(**CHECK_FIELDS, polarity="negative"), survey(facts={"os_system_calls": []})
    )
    assert (finding.met, finding.reason) == (None, "The survey did not establish shell_true_calls.")


def test_address_that_some_test_refuses_is_not_said_to_be_unchecked():
    facts = {"clone_function": {"name": "fetch", "path": "t.py", "line": 1}, "url_validated": False}
    places = {"address_refused": (location_at("t.py", 3),), "clone_call": (location_at("t.py", 7),)}
    check = SandboxedClone(**CHECK_FIELDS, aspect="url_validated")
    finding = clone(check, survey(facts=facts, places=places))
    assert finding.reason == "fetch refuses some addresses by another test (t.py:3)."


@pytest.mark.parametrize(("aspect", "met"), [("exists", True), ("timeout", False)])
def test_a_clone_function_is_judged_aspect_by_aspect(aspect, met):
    facts = {"clone_function": {"name": "fetch", "path": "t.py", "line": 3}, "clone_timeout": False}
    finding = clone(
        SandboxedClone(**CHECK_FIELDS, aspect=aspect),
        survey(facts=facts, places={"clone_function": (location_at("t.py", 3),)}),
    )
    assert (finding.met, clue_lines(finding)) == (met, [("t.py", 3)])


def test_without_a_clone_function_every_aspect_is_unmet():
    facts = {"clone_function": None, "clone_in_tempdir": False}
    reasons = {"clone_function": "nothing clones"}
    for aspect in ("exists", "in_tempdir", "timeout", "errors_handled", "url_validated"):
        finding = clone(
            SandboxedClone(**CHECK_FIELDS, aspect=aspect), survey(facts=facts, reasons=reasons)
        )
        assert (finding.met, finding.reason) == (False, "nothing clones")


@pytest.mark.parametrize(("aspect", "met"), [("exists", True), ("in_tempdir", False)])
def test_precautions_of_a_clone_that_nothing_calls_are_none(aspect, met):
    function = {"name": "fetch", "path": "t.py", "line": 3, "is_uncalled": True}
    facts = {"clone_function": function, "clone_in_tempdir": True}
    finding = clone(SandboxedClone(**CHECK_FIELDS, aspect=aspect), survey(facts=facts))

    assert (finding.met, clue_lines(finding)) == (met, [("t.py", 3)])
    assert finding.reason == "fetch (t.py:3) clones the repository, but nothing that runs calls it."


def test_deadline_that_a_clone_lacks_is_missing_in_it_also_where_nothing_calls_it():
    function = {"name": "fetch", "path": "t.py", "line": 3, "is_uncalled": True}
    facts = {"clone_function": function, "clone_in_tempdir": True, "clone_timeout": False}
    finding = clone(SandboxedClone(**CHECK_FIELDS, aspect="timeout"), survey(facts=facts))

    assert (finding.met, finding.reason) == (False, "fetch clones without a timeout.")


@pytest.mark.parametrize(
    ("error", "met", "words"),
    [
        (
            "RuntimeError",
            False,
            "When fetch fails, RuntimeError leaves look uncaught, which ends the run",
        ),
        ("TimeoutExpired", True, "is handled, but TimeoutExpired ends the run: no node catches it"),
    ],
)
def test_error_of_a_clone_that_nothing_catches_ends_the_run(error, met, words):
    escaping = [{"name": error, "node": "look", "path": "n.py", "line": 9}]
    function = {"name": "fetch", "path": "t.py", "line": 3, "escaping": escaping}
    facts = {"clone_function": function, "clone_errors_handled": True}
    places = {"clone_errors_handled": (location_at("t.py", 5),)}
    check = SandboxedClone(**CHECK_FIELDS, aspect="errors_handled")
    finding = clone(check, survey(facts=facts, places=places))

    assert (finding.met, finding.has_reservation) == (met, met)
    assert words in finding.reason


def test_clone_whose_failure_nothing_handles_is_one_of_those_that_there_may_be():
    function = {"name": "fetch", "path": "t.py", "line": 3}
    facts = {"clone_function": function, "clone_errors_handled": False}
    places = {"clone_function": (location_at("t.py", 3),)}
    check = SandboxedClone(**CHECK_FIELDS, aspect="errors_handled")
    finding = clone(check, survey(facts=facts, places=places))
    assert (finding.met, finding.fault) == (
        False,
        "There is a clone whose failure nothing handles.",
    )


def test_refused_address_whose_error_nothing_catches_stands_beside_its_check():
    refused = [{"name": "ValueError", "node": "look", "path": "n.py", "line": 9}]
    function = {"name": "fetch", "path": "t.py", "line": 3, "refused": refused}
    facts = {"clone_function": function, "url_validated": True}
    places = {"url_validated": (location_at("t.py", 5),)}
    check = SandboxedClone(**CHECK_FIELDS, aspect="url_validated")
    finding = clone(check, survey(facts=facts, places=places))

    assert finding.met
    assert finding.reason == (
        "The address is checked before fetch clones it; ValueError for an address that it refuses is"
        " caught by no node, which ends the run (t.py:5)."
    )
