"""Each kind of check turns what was read into one finding: met, unmet or open, with something to show."""

from dataclasses import replace

import pytest

from courtroom.analysis.diagrams.diagram_kind import DiagramResult
from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.pdf.read_pdf import PdfImage, PdfReading
from courtroom.analysis.pdf_claims.claim_patterns import FEATURES
from courtroom.analysis.pdf_claims.claimed_paths import ClaimedPath
from courtroom.analysis.pdf_claims.claims import FILE_CONTENT
from courtroom.analysis.pdf_claims.commit_counts import COMMIT_COUNT
from courtroom.analysis.pdf_claims.denials import PARTS
from courtroom.analysis.pdf_claims.path_standing import check_against_tree
from courtroom.checks.communication_log import CommunicationLog
from courtroom.checks.diagram import Diagram, best_diagram, is_present
from courtroom.checks.feature_words import (
    FEATURE_WORDS,
    MADE_CHANGE,
    PATH_CHECK,
    QUOTED_TEXT,
    WITH_DETAIL,
)
from courtroom.checks.file_exists import FileExists
from courtroom.checks.pdf_concept import PdfConcept, concept
from courtroom.checks.pdf_paths import PdfPaths, names_files
from courtroom.checks.registry import replay
from courtroom.checks.result import Clue, Finding
from courtroom.checks.sources import Comparison
from courtroom.detectives.cross_reference import finding_from_both, is_open_again
from courtroom.detectives.detective_result import Claim
from courtroom.models.evidence import CheckOutcome
from courtroom.replay.stored_report import StoredReport
from tests.courtroom.surveys import CHECK_FIELDS, detected, location_at, survey

# -- what a finding may be ------------------------------------------------------------------------


def test_an_established_finding_without_a_clue_cannot_be_made():
    with pytest.raises(ValueError, match="shows clues when it is established"):
        Finding(met=True, reason="because")


def test_an_open_finding_with_a_clue_cannot_be_made():
    with pytest.raises(ValueError, match="none when it is not"):
        Finding(met=None, reason="because", clues=(Clue(rationale="here"),))


# -- checks that point ----------------------------------------------------------------------------


def test_what_nobody_could_look_into_is_open_with_the_reason():
    finding = detected(
        FileExists(**CHECK_FIELDS, any_of=("x",)), survey(unanswered={"c": "no reader for it"})
    )
    assert (finding.met, finding.reason) == (None, "no reader for it")


def test_what_was_not_seen_is_absent_and_says_what_was_looked_for():
    finding = detected(FileExists(**CHECK_FIELDS, any_of=("x.md", "y.md")), survey(locations=()))
    assert (finding.met, finding.reason) == (
        False,
        "No file of the repository matches x.md or y.md.",
    )
    assert finding.clues[0].statement == (
        "Looked for a file matching x.md or y.md among the 2 files of the repository: there is none."
    )


def test_a_file_is_named_and_a_line_is_quoted():
    finding = detected(
        FileExists(**CHECK_FIELDS, any_of=("a*",)),
        survey(locations=(SourceLocation("a.py", None, None), location_at("b.py", 3))),
    )
    assert [(c.path, c.line_start, c.statement) for c in finding.clues] == [
        ("a.py", None, "The tree has a.py."),
        ("b.py", 3, None),
    ]


@pytest.mark.parametrize(("locations", "met"), [((), True), ((location_at("a.py", 1),), False)])
def test_a_negative_check_is_met_when_nothing_is_found(locations, met):
    check = FileExists(**CHECK_FIELDS, any_of=(".env",), polarity="negative")
    assert detected(check, survey(locations=locations)).met is met


def test_only_the_first_places_are_shown_and_the_rest_is_counted():
    finding = detected(
        FileExists(**CHECK_FIELDS, any_of=("*",)),
        survey(locations=tuple(location_at("a.py", n) for n in range(1, 10))),
    )
    assert (finding.reason, len(finding.clues)) == (
        "a.py is in the repository. There are at least 8 more of this kind.",
        4,
    )


@pytest.mark.parametrize(("minimum", "met"), [(2, True), (3, False)])
def test_a_communication_log_needs_enough_entries(minimum, met):
    entries = (location_at("log.md", 1), location_at("log.md", 2))
    assert (
        detected(CommunicationLog(**CHECK_FIELDS, minimum=minimum), survey(locations=entries)).met
        is met
    )


# -- checks on the report -------------------------------------------------------------------------


@pytest.mark.parametrize(("use", "met"), [("mentioned", True), ("substantive", False)])
def test_a_dropped_term_is_mentioned_and_not_explained(use, met):
    finding = concept(
        PdfConcept(**CHECK_FIELDS, term="Metacognition", use=use),
        PdfReading(("We used Metacognition.",)),
    )
    assert (finding.met, [(c.page, c.statement) for c in finding.clues]) == (
        met,
        [(1, "We used Metacognition.")],
    )


def test_an_absent_term_says_where_it_was_looked_for():
    finding = concept(
        PdfConcept(**CHECK_FIELDS, term="Metacognition"), PdfReading(("Nothing.", ""))
    )
    assert (finding.met, finding.reason) == (False, "The report nowhere uses “Metacognition”.")
    assert (
        finding.clues[0].statement
        == "Looked for “Metacognition” and its usual spellings on 2 pages: it is absent."
    )


def test_files_named_are_counted_once_each():
    paths = ("a.py", "./src/a.py", "src/a.py")
    claims = [Claim(path=path, page=1, passage=f"see {path}") for path in paths]
    assert (
        names_files(claims, PdfReading(("",))).reason
        == "The report mentions 1 path of a file: src/a.py."
    )
    assert names_files([], PdfReading(("",))).met is False


def test_file_of_another_work_is_no_file_that_the_report_names():
    passage = "Compare a repository's graph.png with the code."
    finding = names_files([Claim(path="graph.png", page=2, passage=passage)], PdfReading(("",)))
    assert (finding.met, finding.reason) == (
        False,
        "The report names no file as part of this work.",
    )


def test_file_with_a_space_in_its_name_is_named_whole_where_the_tree_is_known():
    check = PdfPaths(**CHECK_FIELDS, aspect="claims_any")
    claim = ClaimedPath("Byron.md", 1, "The full output: audit/report_Ada Byron.md")
    report = PdfReading((claim.passage,))
    paths = check_against_tree([claim], ["audit/report_Ada Byron.md", "main.py"])
    comparison = Comparison(report, {}, paths, None, (), None, None, ())
    outcome = CheckOutcome(check=check.id, met=True, reason="")
    assert is_open_again(check, outcome, comparison)
    finding = finding_from_both(check, comparison)
    assert finding.reason == "The report mentions 1 path of a file: audit/report_Ada Byron.md."
    assert [clue.statement for clue in finding.clues] == [claim.passage]
    unread = replace(comparison, paths=None)
    assert not is_open_again(check, outcome, unread)


def test_origin_of_a_report_is_said_where_it_names_no_file():
    check = PdfPaths(**CHECK_FIELDS, aspect="claims_any")
    origin = "By its title the report is an interim one."
    paths = check_against_tree([], ["main.py"])
    report = PdfReading(("text",))
    comparison = Comparison(report, {}, paths, None, (), None, None, (), origin=origin)
    outcome = CheckOutcome(check=check.id, met=False, reason="")
    assert is_open_again(check, outcome, comparison)
    finding = finding_from_both(check, comparison)
    assert (finding.met, finding.reason) == (False, f"The report names no file. {origin}")
    assert not is_open_again(check, outcome, replace(comparison, paths=None))


def test_a_picture_is_a_diagram_that_nobody_looked_at():
    reading = PdfReading(("text",), images=(PdfImage(1, 400, 300),))
    finding = is_present(reading)
    assert (finding.met, [(c.page, c.rationale) for c in finding.clues]) == (
        True,
        [(1, "The report has a picture on page 1.")],
    )


def test_of_several_unread_pictures_none_is_said_to_be_the_diagram():
    images = (PdfImage(1, 400, 300), PdfImage(3, 400, 300), PdfImage(4, 400, 300))
    pages = ("text", "text", "Figure 2: the architecture", "text")
    (clue,) = is_present(PdfReading(pages, images=images)).clues
    assert (clue.page, clue.rationale) == (
        3,
        "The report has pictures on pages 1, 3 and 4; this check reads none of them.",
    )


def test_a_report_without_pictures_has_no_diagram_and_a_scan_may_have_one():
    assert is_present(PdfReading(("text",))).met is False
    assert is_present(PdfReading(("",), text_layer="none")).met is None


@pytest.mark.parametrize(
    ("kind", "parallel", "accurate"),
    [
        ("accurate", True, True),
        ("parallel_shown", True, False),
        ("linear", False, False),
        (None, None, None),
    ],
)
def test_a_diagram_is_judged_by_its_kind(kind, parallel, accurate):
    seen = DiagramResult(kind, "why", 2, "a, b")
    asked = [Diagram(**CHECK_FIELDS, aspect=aspect) for aspect in ("parallel", "accurate")]
    assert [best_diagram(check, seen).met for check in asked] == [parallel, accurate]


@pytest.mark.parametrize(
    ("facts", "met"),
    [
        ({"detectives_parallel": None}, None),
        ({"detectives_parallel": False}, False),
        ({"detectives_parallel": None, "own_runner": {"name": "threading.Thread"}}, False),
    ],
)
def test_diagram_is_compared_with_the_code_only_where_its_graph_could_be_read(facts, met):
    shown = DiagramResult("parallel_shown", "side by side: a | b", 2, "a, b")
    code = {"graph": None, **facts}
    comparison = Comparison(PdfReading(("text",)), code, None, None, (), shown, None, ())
    finding = finding_from_both(Diagram(**CHECK_FIELDS, aspect="accurate"), comparison)
    branches = finding_from_both(Diagram(**CHECK_FIELDS, aspect="parallel"), comparison)
    assert (finding.met, branches.met) == (met, True)


def test_picture_of_which_boxes_were_counted_does_not_match_the_graph_in_words():
    picture = DiagramResult("accurate", "boxes side by side: 3, then 3", 4)
    finding = best_diagram(Diagram(**CHECK_FIELDS, aspect="accurate"), picture)
    assert finding.met is True
    assert finding.reason == (
        "The picture on page 4 has rows of boxes like the graph of the code"
        " (boxes side by side: 3, then 3)."
    )


def test_likeness_of_a_diagram_that_the_report_calls_planned_has_a_reservation():
    picture = DiagramResult("accurate", "boxes side by side: 3, then 3", 4, is_planned=True)
    finding = best_diagram(Diagram(**CHECK_FIELDS, aspect="accurate"), picture)
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason.endswith(" The report calls it planned, not built.")


def test_diagram_without_all_nodes_of_the_code_is_not_like_it():
    diagram = DiagramResult("accurate", "side by side: a | b", 2, "a, b", lacks_nodes=True)
    asked = [Diagram(**CHECK_FIELDS, aspect=aspect) for aspect in ("parallel", "accurate")]
    findings = [best_diagram(check, diagram) for check in asked]
    assert [finding.met for finding in findings] == [True, False]
    branches = "the parallel branches of the graph of the code, and not all of its nodes"
    reason = f"The diagram on page 2 has {branches} (side by side: a | b)."
    assert {finding.reason for finding in findings} == {reason}


def test_diagram_of_one_split_of_the_code_does_not_show_all():
    diagram = DiagramResult("parallel_shown", "side by side: a | b", 2, "a, b", is_partial=True)
    asked = [Diagram(**CHECK_FIELDS, aspect=aspect) for aspect in ("parallel", "accurate")]
    findings = [best_diagram(check, diagram) for check in asked]
    assert [finding.met for finding in findings] == [False, False]
    reason = "The diagram on page 2 does not show all parallel branches (side by side: a | b)."
    assert {finding.reason for finding in findings} == {reason}


@pytest.mark.parametrize(
    ("splits", "met"), [([["a", "b"]], False), ([["a", "b"], ["c", "d"]], True), ([], True)]
)
def test_stored_diagram_of_one_split_of_the_code_does_not_show_all(splits, met):
    drawn = {"page": 2, "drawn_as": "characters", "side_by_side": splits}
    facts = {"pdf_diagram": "parallel_shown", "pdf_characters": 9, "diagrams": [drawn]}
    stored = StoredReport({"facts": facts, "pdf_sha256": "0", "evidence": []})
    check = Diagram(**CHECK_FIELDS, aspect="parallel")
    finding = replay(check, stored)
    assert finding is not None
    assert finding.met is met


def test_picture_with_further_branches_shows_those_of_the_code_and_is_not_like_it():
    picture = DiagramResult("accurate", "boxes side by side: 3", 4, has_more=True)
    asked = [Diagram(**CHECK_FIELDS, aspect=aspect) for aspect in ("parallel", "accurate")]
    findings = [best_diagram(check, picture) for check in asked]
    assert [finding.met for finding in findings] == [True, False]
    reason = "The picture on page 4 has the rows of boxes of the graph of the code, and others"
    assert {finding.reason for finding in findings} == {f"{reason} (boxes side by side: 3)."}


def test_every_feature_that_a_report_can_claim_has_its_words():
    features = {feature.id for feature in FEATURES}
    apart = {FILE_CONTENT, COMMIT_COUNT, MADE_CHANGE, QUOTED_TEXT, PATH_CHECK, *WITH_DETAIL}
    assert set(FEATURE_WORDS) == {*features, *(part.id for part in PARTS), *apart}
