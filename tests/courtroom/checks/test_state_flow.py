"""The kind `state_flow`: none of these faults stands in the flow of data."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from courtroom.checks.registry import subjects_of
from courtroom.checks.result import SEARCHED
from courtroom.checks.state_flow import CUT, WORDS, StateFlow
from courtroom.checks.subjects import absence_of
from courtroom.models.state_flow_facts import FaultKind
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, detected, survey

FAULT = {
    "kind": "no_update",
    "sentence": "judge returns only `verdict`",
    "path": "a.py",
    "line": 4,
    "other": {"path": "b.py", "line": 2},
}
FACT = {"faults": [FAULT], "unread": {"undeclared_read": "a.py:9: the key is not known"}}


def found(*kinds: str, fact=FACT, reasons=None):
    check = StateFlow(**CHECK_FIELDS, faults=kinds)
    return detected(check, survey(facts={"state_flow": fact}, reasons=reasons))


def test_a_fact_that_is_null_leaves_the_check_open():
    finding = found("no_update", fact=None, reasons={"state_flow": "the analysis itself failed"})

    assert (finding.met, finding.reason) == (None, "the analysis itself failed")


def test_what_a_run_does_with_its_clone_is_open_where_no_run_makes_one():
    function = {
        "name": "fetch",
        "path": "t.py",
        "line": 3,
        "is_uncalled": True,
        "losses": ["it is"],
    }
    facts = {"state_flow": FACT | {"faults": []}, "clone_function": function}
    check = StateFlow(**CHECK_FIELDS, faults=("deleted_clone", "left_clone"))
    finding = detected(check, survey(facts=facts))
    assert (finding.met, finding.reason) == (
        None,
        "Nothing that runs calls fetch (t.py:3), so no run makes a clone. Once it is called: it is.",
    )
    called = facts | {"clone_function": function | {"is_uncalled": False}}
    assert detected(check, survey(facts=called)).met is True


def test_a_fault_is_shown_with_both_places():
    finding = found("undeclared_read", "no_update")

    assert (finding.met, finding.reason) == (False, "judge returns only `verdict` (a.py:4).")
    assert finding.fault == "There is a node whose whole return is lost."
    assert clue_lines(finding) == [("a.py", 4), ("b.py", 2)]


@pytest.mark.parametrize(
    ("facts", "is_beside"),
    [({"security_ground": "either"}, True), ({"loose_caps": [{}]}, True), ({}, False)],
)
def test_absence_of_loose_rules_denies_no_fault_of_the_cap(facts: dict[str, Any], is_beside: bool):
    check = StateFlow(**CHECK_FIELDS, faults=("loose_rule",))
    finding = detected(check, survey(facts=facts | {"state_flow": FACT | {"faults": []}}))
    assert finding.met is True
    assert finding.reason.startswith("No weight of the Tech Lead") is is_beside
    assert finding.reason.startswith("No cap for security that") is not is_beside


@pytest.mark.parametrize(
    ("kinds", "is_met"),
    [(("unshown_evidence",), False), (("other_key", "unused_prompt"), True)],
)
def test_requests_to_a_model_are_not_spoken_of_where_judges_are_plain_code(kinds, is_met):
    judges = [{"name": "defense", "path": "a.py", "line": 3}]
    facts = {"plain_judges": judges, "state_flow": {"faults": [], "unread": {}}}
    check = StateFlow(**CHECK_FIELDS, faults=kinds)
    finding = detected(check, survey(facts=facts))
    assert finding.met is is_met
    assert "text for a model" not in finding.reason
    assert bool(absence_of(subjects_of(check), facts)) is not is_met


KINDS = ("undeclared_read", "early_read", "dead_route")


@pytest.mark.parametrize(
    ("kinds", "graph", "is_met"), [(KINDS, {}, True), (KINDS, None, None), (KINDS[:2], {}, None)]
)
def test_kind_that_was_not_read_to_the_end_leaves_many_others_answered(kinds, graph, is_met):
    check = StateFlow(**CHECK_FIELDS, faults=kinds)
    facts = {"graph": graph, "state_flow": FACT | {"faults": []}}
    finding = detected(check, survey(facts=facts))
    assert (finding.met, finding.has_reservation) == (is_met, bool(is_met))
    assert "a.py:9: the key is not known." in finding.reason
    assert finding.reason.startswith("Looked for such faults in the 2 Python files") is bool(is_met)


def test_few_faults_are_all_named():
    lines = [FAULT | {"line": line} for line in (4, 7)]
    finding = found("no_update", fact={"faults": lines, "unread": {}})

    assert finding.reason == ("judge returns only `verdict` (a.py:4 and 7).")


def test_many_faults_are_counted():
    lines = [FAULT | {"line": line} for line in (4, 5, 6, 7)]
    finding = found("no_update", fact={"faults": lines, "unread": {}})

    assert finding.reason == "judge returns only `verdict` (a.py:4, 5, 6 and 7)."

    others = [fault | {"sentence": f"judge {n} fails"} for n, fault in enumerate(lines)]
    finding = found("no_update", fact={"faults": others, "unread": {}})
    assert finding.reason == "judge 0 fails (a.py:4). There are at least 3 more of this kind."


def test_a_single_fault_behind_many_of_another_kind_has_its_place():
    many = [FAULT | {"line": number, "other": None} for number in range(1, 10)]
    single = FAULT | {"kind": "early_read", "path": "c.py", "line": 7, "other": None}
    finding = found("no_update", "early_read", fact=FACT | {"faults": [*many, single]})
    places = [("a.py", number) for number in range(1, 8)]
    assert clue_lines(finding)[:8] == [*places, ("c.py", 7)]


def test_fault_that_counts_for_nothing_goes_on_after_a_colon():
    minor = FAULT | {
        "sentence": "the constant `X` is set",
        "kind": "unused_result",
        "is_minor": True,
    }
    assert found("unused_result", fact={"faults": [minor], "unread": {}}).reason == (
        "Not counted, as neither a route nor the verdict makes use of it: the constant `X` is set"
        " (a.py:4)."
    )


def test_cut_score_counts_for_nothing_though_the_verdict_depends_on_it():
    unused = FAULT | {"sentence": "`x` is set", "kind": "unused_verdict", "is_minor": True}
    cut = unused | {"sentence": f"settle() {CUT}", "line": 9}
    finding = found("unused_verdict", fact={"faults": [cut, unused], "unread": {}})
    assert finding.reason == (
        "Not counted, as neither a route nor the verdict makes use of it: `x` is set (a.py:4). Not"
        f" counted: settle() {CUT} (a.py:9)."
    )


def test_faults_of_another_kind_are_named_beside_the_first():
    other = FAULT | {"kind": "broken_import"}
    finding = found(
        "no_update", "broken_import", fact={"faults": [FAULT, other, other], "unread": {}}
    )

    assert finding.fault == (
        "There is a node whose whole return is lost, and an import that cannot resolve on the"
        " way from the graph's file."
    )
    assert finding.reason == (
        "judge returns only `verdict` (a.py:4). judge returns only `verdict` (a.py:4)."
        " There is at least 1 more of the last kind."
    )


def test_what_was_not_read_leaves_the_check_open():
    finding = found("undeclared_read")

    assert finding.met is None
    assert finding.reason == "Not everything was read: a.py:9: the key is not known."


def test_no_fault_where_everything_was_read_meets_the_check():
    finding = found("broken_import")

    assert (finding.met, finding.reason) == (
        True,
        (
            "No import that cannot resolve on the way from the graph's file was recognised in the 2"
            " Python files of the repository."
        ),
    )


def test_several_kinds_are_listed_in_the_evidence_alone():
    kinds = ("broken_import", "early_read", "no_update", "lost_clone")
    finding = found(*kinds, fact={"faults": [], "unread": {}})

    assert finding.reason == "Looked for such faults in the 2 Python files of the repository."
    assert finding.clues[0].rationale == SEARCHED
    assert all(WORDS[kind] in finding.clues[0].statement for kind in kinds)


@pytest.mark.parametrize(
    ("kind", "lost"),
    [("undeclared_write", FAULT), ("other_key", FAULT | {"channel": "evidences"})],
)
def test_a_return_that_is_lost_is_never_beside_a_check_that_denies_it(kind, lost):
    assert found(kind, fact={"faults": [lost], "unread": {}}).met is False


def test_a_return_that_is_lost_says_nothing_of_other_lookups():
    assert found("other_key", fact={"faults": [FAULT], "unread": {}}).met is True


def test_judges_who_look_up_evidence_in_vain_send_none():
    lookup = FAULT | {"kind": "other_key"}
    assert found("unshown_evidence", fact={"faults": [lookup], "unread": {}}).met is True
    blind = {"faults": [lookup | {"is_blinding": True}], "unread": {}}
    for kind in ("unshown_evidence", "other_key"):
        finding = found(kind, fact=blind)
        assert (finding.met, finding.fault) == (False, "No judge sees any evidence.")
    guess = FAULT | {"kind": "guessed_criterion", "sentence": "No request names it"}
    both = {"faults": [guess, lookup | {"is_blinding": True}], "unread": {}}
    finding = found("other_key", "guessed_criterion", fact=both)
    assert finding.reason.startswith(FAULT["sentence"])
    assert finding.reason.endswith("No request names it (a.py:4).")


def test_every_fault_has_its_words():
    assert set(WORDS) == set(get_args(FaultKind))


@pytest.mark.parametrize("faults", [(), ("another",)])
def test_a_check_without_a_known_fault_is_refused(faults):
    with pytest.raises(ValidationError):
        StateFlow(**CHECK_FIELDS, faults=faults)


def test_key_that_nobody_reads_is_said_beside_values_that_are_not_used():
    fault = {
        "kind": "unread_write",
        "sentence": "chief_justice writes `final_report`, which no code reads",
        "path": "justice.py",
        "line": 9,
        "other": None,
        "nodes": ["chief_justice"],
    }
    fact = {"faults": [fault], "unread": {}}
    verdict, result = (found(kind, fact=fact) for kind in ("unused_verdict", "unused_result"))

    assert (verdict.met, verdict.reason.partition(" Not counted: ")[2]) == (
        True,
        "chief_justice writes `final_report`, which no code reads (justice.py:9).",
    )
    assert "Not counted" not in result.reason
    of_judge = {"faults": [{**fault, "nodes": ["defense"]}], "unread": {}}
    assert "Not counted: chief" in found("unused_result", fact=of_judge).reason
    assert "Not counted" not in found("unread_write", fact=fact).reason


@pytest.mark.parametrize(
    "kind",
    [
        "shallow_history",
        "broken_import",
        "dead_route",
        "unshown_evidence",
        "absent_key",
        "refused_value",
        "undeclared_write",
    ],
)
@pytest.mark.parametrize(
    "beside",
    [
        "cut_text",
        "repeated_clone",
        "moved_directory",
        "named_folder",
        "carried_state",
        "broken_command",
        "failing_command",
        "absent_file",
        "stale_readme",
        "unnamed_key",
        "unused_key",
        "router_write",
        "copied_evidence",
        "moved_score",
        "twice_filled",
        "dead_pattern",
        "empty_entry",
    ],
)
def test_fault_that_stands_beside_another_one_is_not_counted(kind: str, beside: str):
    cut = {"kind": beside, "sentence": "log() cuts", "path": "t.py", "line": 7, "other": None}
    finding = found(kind, fact={"faults": [cut], "unread": {}})
    places = {
        "broken_command": "broken_import",
        "failing_command": "broken_import",
        "absent_file": "broken_import",
        "stale_readme": "broken_import",
        "unnamed_key": "broken_import",
        "unused_key": "broken_import",
        "router_write": "dead_route",
        "copied_evidence": "unshown_evidence",
        "moved_score": "refused_value",
        "twice_filled": "refused_value",
        "carried_state": "undeclared_write",
        "dead_pattern": "absent_key",
        "empty_entry": "other_key",
    }
    is_beside = kind == places.get(beside, "shallow_history")
    assert (finding.met, "Not counted: log() cuts (t.py:7)." in finding.reason) == (True, is_beside)
    deep = cut | {"kind": kind, "sentence": "clone() cuts", "line": 3}
    finding = found(kind, fact={"faults": [deep, cut], "unread": {}})
    assert (finding.met, "Not counted: log() cuts" in finding.reason) == (False, is_beside)


def test_text_that_a_second_rule_replaces_is_not_said_to_be_never_read():
    sentence = "justice() writes `dissent` and, by a second rule in line 9, writes it anew: where"
    fault = FAULT | {"kind": "unused_verdict", "sentence": sentence}
    replaced, unread = fault, fault | {"sentence": "justice() makes `dissent` and never uses it"}
    titles = [
        found("unused_verdict", fact={"faults": [*faults], "unread": {}}).fault
        for faults in ([replaced, replaced], [unread])
    ]
    assert titles == [
        "There is a text of the Chief Justice that a second rule replaces unread.",
        "There is a value inside the Chief Justice's code that is never read.",
    ]


@pytest.mark.parametrize(
    ("more", "is_written", "is_met"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"callers": [{"path": "main.py", "line": 3, "key": "report"}]}, True, False),
        ({"channel": "opinions"}, True, False),
        ({"nodes": ["defense"]}, True, False),
    ],
)
def test_lost_return_of_a_chief_justice_that_wrote_its_report_counts_for_nothing(
    more: dict[str, Any], is_written: bool, is_met: bool
):
    fault = FAULT | {"nodes": ["chief_justice"]} | more
    facts = {"state_flow": {"faults": [fault], "unread": {}}, "markdown_report": is_written}
    check = StateFlow(**CHECK_FIELDS, faults=("no_update", "broken_import"))
    finding = detected(check, survey(facts=facts))
    assert (finding.met, "Not counted" in finding.reason) == (is_met, is_met)
    declared = StateFlow(**CHECK_FIELDS, faults=("undeclared_write",))
    reason = detected(declared, survey(facts=facts)).reason
    assert reason.startswith(" Not counted".strip()) is is_met


def test_minor_fault_is_told_and_counts_for_nothing():
    minor = {
        "kind": "unused_result",
        "sentence": "judge() makes `ids` and never uses it",
        "path": "judges.py",
        "line": 4,
        "other": None,
        "is_minor": True,
    }
    sentences = (
        "Not counted, as neither a route nor the verdict makes use of it: judge() makes `ids` and never"
        " uses it (judges.py:4)."
    )
    met = found("unused_result", fact={"faults": [minor], "unread": {}})
    assert (met.met, met.reason) == (True, sentences)
    assert str(met.clues[0].statement).endswith(": nothing that counts was found.")
    beside = found("unused_result", "broken_import", fact={"faults": [minor], "unread": {}})
    assert beside.clues[0].statement == (
        "Looked for an import that cannot resolve on the way from the graph's file in the 2 Python"
        " files of the repository: nothing was found."
    )
    heavy = minor | {"sentence": "join() makes `all` and never uses it", "is_minor": False}
    unmet = found("unused_result", fact={"faults": [heavy, minor], "unread": {}})
    assert (unmet.met, unmet.reason) == (
        False,
        f"join() makes `all` and never uses it (judges.py:4). {sentences}",
    )


def test_each_fault_has_its_place_before_the_second_places():
    lines = [FAULT | {"line": line} for line in range(1, 11)]
    few, many = (found("no_update", fact={"faults": lines[:n], "unread": {}}) for n in (3, 10))

    assert clue_lines(few) == [("a.py", 1), ("a.py", 2), ("a.py", 3), ("b.py", 2)]
    assert clue_lines(many) == [("a.py", line) for line in range(1, 9)]


@pytest.mark.parametrize("kind", get_args(FaultKind))
def test_sentence_on_a_fault_states_no_alternative(kind):
    finding = found(kind, fact={"faults": [FAULT | {"kind": kind}], "unread": {}})
    assert " or " not in finding.fault


def test_way_closed_by_what_a_node_writes_is_not_said_to_be_absent_beside_other_kinds():
    needless = {"faults": [FAULT | {"kind": "needless_route"}], "unread": {}}
    clean: dict[str, Any] = {"faults": [], "unread": {}}

    findings = [found("lost_clone", "dead_route", fact=fact) for fact in (needless, clean)]
    searched = [str(finding.clues[0].statement) for finding in findings]
    assert [WORDS["dead_route"] in statement for statement in searched] == [False, True]


PROOF = {
    "text": "In a.md they give 5, and the verdict is 3.",
    "places": [{"path": "a.md", "line": 8}],
}


@pytest.mark.parametrize(
    ("sentence", "is_shown"),
    [
        ("f() looks for a word: the rule matches a word, and no flaw", True),
        ("f() takes the highest score, up to a limit, for security", True),
        ("f() lets the Tech Lead weigh more in every criterion", False),
    ],
)
def test_cap_for_security_is_shown_at_work_in_a_committed_audit(sentence: str, is_shown: bool):
    fault = FAULT | {"kind": "loose_rule", "sentence": sentence, "other": None}
    facts = {"state_flow": {"faults": [fault], "unread": {}}, "undercut_verdicts": [PROOF]}
    check = StateFlow(**CHECK_FIELDS, faults=("loose_rule",))
    finding = detected(check, survey(facts=facts))
    assert finding.reason.endswith(PROOF["text"]) is is_shown
    assert (("a.md", 8) in clue_lines(finding)) is is_shown


@pytest.mark.parametrize("kind", ["broken_import", "dead_route"])
def test_import_that_an_install_does_not_bring_is_told_beside_broken_ones(kind: str):
    row = {"name": "rich", "path": "main.py", "line": 3}
    scope = {"lock": "uv.lock", "unlocked": [row, row | {"name": "pypdf", "part": "graph"}]}
    facts = {"state_flow": {"faults": [], "unread": {}}, "scope": scope}
    finding = detected(StateFlow(**CHECK_FIELDS, faults=(kind,)), survey(facts=facts))
    sentence = "Not counted: as far as recognised, at least 1 import fails in an install by uv.lock: rich (main.py:3)."
    is_import = kind == "broken_import"
    assert (finding.met, finding.has_reservation) == (True, is_import)
    assert finding.reason.endswith(sentence) == is_import
    fault = FAULT | {"kind": "undeclared_import", "path": "main.py", "line": 3}
    counted = facts | {"state_flow": {"faults": [fault], "unread": {}}}
    beside = detected(StateFlow(**CHECK_FIELDS, faults=(kind,)), survey(facts=counted))
    assert "Not counted" not in beside.reason
    scope["unlocked"] = [row | {"user": "read"}]
    needed = detected(StateFlow(**CHECK_FIELDS, faults=(kind,)), survey(facts=facts))
    words = "rich (main.py:3; without it read() cannot work)."
    assert needed.reason.endswith(words) == is_import


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("judge() looks for evidence with 'safe' in its goal; no", "a search for evidence by its"),
        ("judge() looks up `doc` in `evidences`", "a lookup by a key that finds nothing"),
    ],
)
def test_search_by_a_goal_is_no_lookup_by_a_key(sentence: str, subject: str):
    fault = FAULT | {"kind": "other_key", "sentence": sentence}
    finding = found("other_key", fact={"faults": [fault], "unread": {}})
    assert finding.fault.startswith(f"There is {subject}")


def test_second_line_of_a_look_at_the_wrong_folder_claims_no_path_of_the_clone():
    fault = FAULT | {"kind": "own_directory"}
    facts = {"state_flow": {"faults": [fault], "unread": {}}}
    finding = detected(StateFlow(**CHECK_FIELDS, faults=("own_directory",)), survey(facts=facts))
    (_, other) = finding.clues
    assert other.rationale == "Here is the other line of this fault."
