"""Checks on what a report claims, and on the files that it names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from courtroom.analysis.pdf_claims.claimed_paths import ClaimedPath
from courtroom.analysis.pdf_claims.claims import (
    CheckedClaim,
    FeatureClaim,
    Standing,
    empty_file_claims,
)
from courtroom.analysis.pdf_claims.path_standing import CheckedPaths
from courtroom.checks.pdf_paths import (
    COMPARED,
    NO_CLAIM,
    UNCHECKED,
    PdfPaths,
    claims_hold,
    claims_supported,
)
from courtroom.checks.registry import fault_of
from tests.courtroom.analysis.pdf_claims.code_facts import CODE

TREE = ("src/__init__.py", "src/tools/ast_analyzer.py", "src/tools/repo_tools.py")
EMPTY = frozenset(TREE[:2])
REACH = f"{COMPARED}. {UNCHECKED}"


def _held(feature: str, standing: Standing) -> CheckedClaim:
    return CheckedClaim(FeatureClaim(feature, "graph", 2, f"It has {feature}."), standing)


def _paths(*hallucinated: str) -> CheckedPaths:
    return CheckedPaths(
        (), tuple(ClaimedPath(path, 1, f"See {path}.") for path in hallucinated), (), ()
    )


def _check(maximum: int) -> PdfPaths:
    return PdfPaths(id="a.b", goal="What it says is so", aspect="claims_hold", maximum=maximum)


def test_report_without_claims_about_its_code_is_not_established() -> None:
    finding = claims_hold(_check(0), (), CODE)
    assert (finding.met, finding.reason) == (None, NO_CLAIM)


@pytest.mark.parametrize(
    ("features", "reason"),
    [
        (["reducers"], "The only claim of the report could not be compared with the code."),
        (
            ["reducers", "dissent"],
            "None of the 2 claims of the report could be compared with the code.",
        ),
    ],
)
def test_claims_that_no_fact_decides_are_no_absence_of_claims(
    features: list[str], reason: str
) -> None:
    finding = claims_hold(_check(0), [_held(feature, "open") for feature in features], CODE)
    assert (finding.met, finding.reason) == (None, reason)


def test_claims_that_no_fact_decides_are_left_out_beside_others() -> None:
    held = [_held("reducers", "confirmed"), _held("opinion_join", "open")]
    assert claims_hold(_check(0), held, CODE).reason == (
        f"The code bears out 1 claim of the report: reducers. {REACH}"
    )


def test_part_of_the_report_that_was_not_checked_is_said() -> None:
    held = [_held("reducers", "confirmed"), _held("structured_output", "contradicted")]
    reason = claims_hold(_check(1), held, CODE, sentences=40).reason
    assert reason.endswith(
        f" {COMPARED}; those stand in 2 of its 40 sentences on the code. {UNCHECKED}"
    )
    assert claims_hold(_check(1), held, CODE, sentences=2).reason.endswith(f" {REACH}")


def test_only_claim_that_was_compared_and_is_wrong_stands_alone() -> None:
    finding = claims_hold(_check(0), [_held("judges_parallel", "contradicted")], CODE)
    assert finding.reason == (
        "The code contradicts 1 claim of the report: parallel judges (page 2, see src/graph.py:9)."
        f" {REACH}"
    )


@pytest.mark.parametrize(("maximum", "met"), [(0, False), (1, True)])
def test_contradicted_features_are_counted_and_shown_with_their_place(
    maximum: int, met: bool
) -> None:
    held = [_held("judges_parallel", "contradicted"), _held("reducers", "confirmed")]
    finding = claims_hold(_check(maximum), held, CODE)
    assert (finding.met, finding.reason) == (
        met,
        (
            "The code contradicts 1 claim of the report: parallel judges (page 2, see"
            f" src/graph.py:9). It bears out 1 other. {REACH}"
        ),
    )
    # What bears out a check that is met is what the report has right.
    words = (
        "Of this passage the code bears out reducers."
        if met
        else "The code contradicts this claim of parallel judges (see src/graph.py:9)."
    )
    assert [clue.rationale for clue in finding.clues] == [words]
    assert finding.has_reservation


def test_route_for_errors_that_no_run_takes_is_said_to_be_there() -> None:
    route = {"path": "src/graph.py", "line": 20, "from": "hub", "to": ["judges", "error_handler"]}
    graph = {"path": "src/graph.py", "state_graph_line": 9, "nodes": [], "conditional": [route]}
    dead = {"kind": "dead_route", "path": "src/graph.py", "line": 20}
    code = {"conditional_error_route": True, "graph": graph, "state_flow": {"faults": [dead]}}
    finding = claims_hold(_check(0), [_held("error_route", "contradicted")], code)
    words = ": a route for errors that runs take (page 2, see src/graph.py:9)."
    assert finding.reason.endswith(f"{words} {REACH}")
    assert [clue.rationale for clue in finding.clues] == [
        "The code has a route for errors, and no run takes it (see src/graph.py:9)."
    ]


@pytest.mark.parametrize(
    ("is_interim", "count", "further"),
    [
        (
            True,
            "1 claim",
            (
                " This is an interim report: other gaps that it names and that are closed since"
                " count as one claim with the first: no Chief Justice in the graph (page 2)."
            ),
        ),
        (False, "2 claims", ""),
    ],
)
def test_closed_gaps_of_an_interim_report_are_one_claim(
    is_interim: bool, count: str, further: str
) -> None:
    held = [
        _held("reducers", "confirmed"),
        _held("lacks_judges", "contradicted"),
        _held("lacks_chief_justice", "contradicted"),
    ]
    finding = claims_hold(_check(1), held, CODE, is_interim=is_interim)
    assert finding.met is is_interim
    assert f"The code contradicts {count} of the report" in finding.reason
    assert finding.reason.endswith(f"It bears out 1 other.{further} {REACH}")


def test_features_that_one_passage_claims_are_cited_once() -> None:
    held = [_held("reducers", "confirmed"), _held("dissent", "confirmed")]
    same = [replace(h, claim=replace(h.claim, passage="It has both.")) for h in held]
    finding = claims_hold(_check(0), same, CODE)
    assert [clue.rationale for clue in finding.clues] == [
        "Of this passage the code bears out reducers and an account of dissent."
    ]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (
            {"idle_rules": [{"rule": "fact_supremacy", "path": "j.py", "line": 9}]},
            "The code has fact supremacy, and it changes no score (j.py:9).",
        ),
        (
            {
                "unheld_rules": [
                    {
                        "rule": "fact_supremacy",
                        "path": "j.py",
                        "line": 9,
                        "why": "nothing calls f()",
                    }
                ]
            },
            "The code contradicts this claim of fact supremacy: at j.py:9 nothing calls f().",
        ),
        ({}, "The code contradicts this claim of fact supremacy."),
    ],
)
def test_rule_that_never_acts_is_told_with_its_line(facts: dict[str, object], words: str) -> None:
    finding = claims_hold(_check(0), [_held("fact_supremacy", "contradicted")], CODE | facts)
    assert [clue.rationale.replace(" (see src/graph.py:9)", "") for clue in finding.clues] == [
        words
    ]


def test_confirmed_claims_are_cited_when_none_fails() -> None:
    finding = claims_hold(_check(0), [_held("reducers", "confirmed")], CODE)
    assert (finding.met, [clue.rationale for clue in finding.clues]) == (
        True,
        ["Of this passage the code bears out reducers."],
    )


@pytest.mark.parametrize(("minimum", "met"), [(4, False), (3, True)])
def test_confirmed_features_and_existing_files_support_a_report(minimum: int, met: bool) -> None:
    check = PdfPaths(id="a.b", goal="Supported", aspect="claims_supported", minimum=minimum)
    held = [
        _held("reducers", "confirmed"),
        _held("dissent", "contradicted"),
        _held("url_validated", "open"),
    ]
    paths = ("src/a.py", "a.py", "b.py", "./b.py")
    there = tuple(ClaimedPath(path, 1, f"See {path}.") for path in paths)
    finding = claims_supported(check, held, CheckedPaths(there, (), (), ()))
    assert (finding.met, finding.reason) == (
        met,
        (
            "Looked in the report for files of the work and for a fixed list of features: of those"
            " that the work has, 1 feature and 2 files were recognised there."
        ),
    )
    assert [clue.rationale for clue in finding.clues] == [
        "Of this passage the code bears out reducers."
    ]


def test_report_without_confirmed_claims_has_no_support() -> None:
    check = PdfPaths(id="a.b", goal="Supported", aspect="claims_supported", minimum=1)
    finding = claims_supported(check, (), _paths("a.py"))
    assert (finding.met, [clue.statement for clue in finding.clues]) == (
        False,
        ["Looked for them in all that the report says of the code."],
    )


@pytest.mark.parametrize(
    ("path", "passage", "files"),
    [
        (
            "ast_analyzer.py",
            "Refactored ast_analyzer.py to walk the whole tree.",
            ["ast_analyzer.py"],
        ),
        ("src/tools/repo_tools.py", "src/tools/repo_tools.py clones.", []),
        ("src/__init__.py", "src/__init__.py makes it a package.", []),
        ("ast_analyzer.py", "ast_analyzer.py is still a placeholder.", []),
        ("ast_analyzer.py", "Next step: ast_analyzer.py will walk the tree.", []),
    ],
)
def test_named_file_without_content_contradicts_the_report(
    path: str, passage: str, files: list[str]
) -> None:
    held = list(empty_file_claims([ClaimedPath(path, 3, passage)], TREE, EMPTY))
    assert [(claim.claim.file, claim.standing) for claim in held] == [
        (file, "contradicted") for file in files
    ]
    if held:
        finding = claims_hold(PdfPaths(id="c", goal="g", aspect="claims_hold"), held, CODE)
        assert not finding.met
        assert "content in ast_analyzer.py, which is empty (page 3)" in finding.reason


@pytest.mark.parametrize(("right", "met"), [(3, True), (2, False)])
def test_share_of_claims_that_fail_counts_where_it_is_given(right: int, met: bool) -> None:
    check = PdfPaths(id="a.b", goal="Mostly so", aspect="claims_hold", share=0.25)
    names = ["reducers", "clone_timeout", "url_validated"][:right]
    held = [_held("judges_parallel", "contradicted"), *(_held(name, "confirmed") for name in names)]
    assert claims_hold(check, held, CODE).met is met
    assert (
        fault_of(check)
        == "More than 25% of the claims of the report on the code are contradicted there."
    )


def test_feature_that_the_code_has_otherwise_than_the_report_says_is_told_from_a_missing_one() -> (
    None
):
    held = [
        replace(_held("reducers", "contradicted"), is_there=True),
        _held("dissent", "contradicted"),
    ]
    finding = claims_hold(_check(0), held, CODE)
    assert finding.reason == (
        "The code contradicts 2 claims of the report: reducers as worded (page 2, see"
        f" src/graph.py:9) and an account of dissent (page 2, see src/graph.py:9). {REACH}"
    )
    assert [clue.rationale for clue in finding.clues] == [
        "The code has reducers, and not as this sentence says (see src/graph.py:9).",
        "The code contradicts this claim of an account of dissent (see src/graph.py:9).",
    ]
