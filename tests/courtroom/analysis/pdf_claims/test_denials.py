"""Sentences of a report that deny what the code has by now."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.denials import is_interim_report, stale_denials
from courtroom.checks.pdf_paths import PdfPaths, claims_hold

CODE: dict[str, Any] = {
    "graph": {
        "path": "src/graph.py",
        "state_graph_line": 9,
        "nodes": ["vision_inspector", "prosecutor", "chief_justice"],
        "edges": [["START", "vision_inspector"], ["vision_inspector", "prosecutor"]],
        "edge_paths": ["src/graph.py", "src/bench.py"],
        "edge_lines": [11, 12],
        "conditional": [
            {
                "from": "prosecutor",
                "to": ["chief_justice", "END"],
                "path": "src/graph.py",
                "line": 14,
            }
        ],
    },
    "conditional_error_route": False,
    "detectives_parallel": True,
    "judges_parallel": True,
    "pydantic_models": ["Evidence"],
    "structured_output_calls": None,
    "structured_output_retry": True,
    "rules": {"security_override": True, "fact_supremacy": False},
    "markdown_report": True,
    "clone_timeout": False,
    "clone_function": {"name": "clone", "path": "t.py", "line": 3, "is_repeated": True},
    "os_system_calls": [],
}


def _denied(*lines: str, headings: tuple[str, ...] = ()) -> list[str]:
    marked = frozenset((1, line) for line in headings)
    reading = PdfReading(pages=("\n".join((*headings, *lines)),), headings=marked)
    return [held.claim.feature for held in stale_denials(reading, CODE)]


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("• No judicial layer (Prosecutor, Defense, TechLead)", "lacks_judges"),
        ("Judges not implemented: no dialectical opinions.", "lacks_judges"),
        ("No ChiefJusticeNode or rules", "lacks_chief_justice"),
        ("2. VisionInspector currently commented out in graph.py.", "lacks_vision_inspector"),
        ("The graph has no conditional edges yet.", "lacks_conditional_edges"),
        ("Gap: no conditional edges at all.", "lacks_conditional_edges"),
        ("No true parallel fan-out yet", "lacks_parallel_nodes"),
        ("1. No true parallel execution of judges: one node.", "lacks_parallel_judges"),
        ("A first part; src/state.py lacks Pydantic/BaseModel usage.", "lacks_pydantic_models"),
        ("No Markdown report generation", "lacks_markdown_report"),
        ("The judges are still missing.", "lacks_judges"),
        ("Prosecutor node missing from the graph", "lacks_judges"),
        ("The tools are there (all three); no judges.", "lacks_judges"),
        ("• Git operations use raw os.system() calls, no list.", "uses_os_system"),
        ("• Gaps / Risks: No retry on malformed outputs.", "lacks_output_retry"),
        ("No retry logic for LLM answers with invalid JSON", "lacks_output_retry"),
        ("Gap 2: No security override", "lacks_security_override"),
        ("Gap 2: No Security Override Current: Opinions win.", "lacks_security_override"),
        (
            "Errors are handled; retries exist for judges but not for clone/network.",
            "lacks_clone_retry",
        ),
        ("There is no retry logic around git clone.", "lacks_clone_retry"),
        ("Detectives collect; the judges (to be implemented later) decide.", "lacks_judges"),
        ("The judicial and synthesis layers remain to be implemented.", "lacks_judges"),
        ("The synthesis engine is yet to be built.", "lacks_chief_justice"),
        (
            "The three judges are currently called inside one node in sequence.",
            "lacks_parallel_judges",
        ),
        ("The detectives run one after another.", "lacks_parallel_detectives"),
        (
            "Replace os.system() with subprocess.run() in src/tools.py - it was named by the audit.",
            "uses_os_system",
        ),
    ],
)
def test_denial_of_what_the_code_has_is_contradicted(sentence: str, part: str) -> None:
    assert _denied(sentence) == [part]


def test_row_of_a_long_table_in_one_line_is_read() -> None:
    row = f"VisionInspector not implemented {'Add src/detectives.py to the graph. ' * 15}"
    assert _denied(row.replace(". ", " ")) == ["lacks_vision_inspector"]


def test_sentence_that_denies_two_parts_misleads_once() -> None:
    assert _denied("The judicial and synthesis layers are not built.") == ["lacks_judges"]
    assert _denied("No judges.", "No chief justice.") == ["lacks_judges", "lacks_chief_justice"]


@pytest.mark.parametrize(
    ("heading", "parts"),
    [
        ("6.1 Not Yet Implemented", ["lacks_judges", "lacks_conditional_edges"]),
        ("6.1 Implemented", []),
        ("6.1 Not implemented by the peer", []),
    ],
)
def test_items_under_a_heading_on_what_is_not_implemented_are_denials(
    heading: str, parts: list[str]
) -> None:
    items = "\uf0b7 VisionInspector (reading of pictures) \uf0b7 Judicial personas \uf0b7 Conditional error edges \uf0b7 Tests of the judges"
    assert _denied(items, headings=(heading,)) == parts


@pytest.mark.parametrize(
    "sentence",
    [
        "No conditional edges for failures.",
        "No structured output.",
        "No clone timeout.",
        "No retry logic for transient failures.",
        "No retry of failed clones.",
        "Gap 3: No fact supremacy",
        "No security override triggered.",
        "There were no judges.",
        "The interim graph has no judges.",
        "Their work has no judges.",
        "The peer's judges are missing.",
        "Prosecutor (1): 'No judges at all. No Markdown report.'",
        "The check flags a graph that has no judges.",
        "No judges are needed there.",
        "The git operations do not use os.system().",
        "Code that uses os.system is capped.",
        "The verdict is low when code uses os.system.",
        "Pre-fix gap. No judges.",
        "Aim for a graph that branches. Avoid: A plain line. No judges.",
        "Prosecutor cited missing explicit definition in src/graph.py.",
        "Judges: missing tests of the prompts.",
        "The fields are plain (inputs; no judges).",
        "The VisionInspector is not implemented (returns placeholders).",
        "Vision Inspector Not Implemented - it cannot read pictures.",
        "No judge or aggregator can mutate the facts.",
        "The judges run in parallel, all inside one graph node or another.",
        "The judges run over the criteria sequentially.",
        "Replace any os.system() with subprocess.run() in src/tools.py.",
        "The audit flagged detectives that lack conditional edges.",
        "The rows stand apart (a list. No judges).",
    ],
)
def test_denial_that_is_true_open_or_about_something_else_does_not_count(sentence: str) -> None:
    assert _denied(sentence) == []


def test_chapter_on_a_peer_denies_nothing_of_this_code() -> None:
    assert _denied("No judges.", headings=("Peer Review",)) == []
    assert _denied("No judges.", headings=("Known Gaps",)) == ["lacks_judges"]


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("No judicial layer.", "judges in the graph (see src/bench.py:12)"),
        ("No VisionInspector.", "VisionInspector in the graph (see src/graph.py:11)"),
        ("No Chief Justice.", "Chief Justice in the graph (see src/graph.py:14)"),
        ("No conditional edges.", "conditional edges (see src/graph.py:14)"),
        ("No parallel execution of judges.", "parallel judges (see src/graph.py:9)"),
    ],
)
def test_finding_says_that_the_code_has_what_is_denied_at_its_edge(
    sentence: str, words: str
) -> None:
    reading = PdfReading(pages=(sentence,), headings=frozenset())
    check = PdfPaths(id="c", goal="a goal", aspect="claims_hold")
    finding = claims_hold(check, tuple(stale_denials(reading, CODE)), CODE)
    assert finding.met is False
    assert finding.clues[0].rationale == (
        f"The code has what the report says is not there: {words}."
    )


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("No conditional edges for failures.", ["lacks_error_route"]),
        ("No conditional edges for clone/PDF failure.", []),
    ],
)
def test_denied_route_for_failures_is_held_against_that_fact(
    sentence: str, parts: list[str]
) -> None:
    reading = PdfReading(pages=(sentence,), headings=frozenset())
    held = stale_denials(reading, {**CODE, "conditional_error_route": True})
    assert [claim.claim.feature for claim in held] == parts


@pytest.mark.parametrize(
    ("page", "is_interim"),
    [
        ("Week 2: Interim Report\nAuditor", True),
        ("Final Report\nIt follows the interim report.", False),
        (f"Report\n{'word ' * 200}interim", False),
    ],
)
def test_report_is_interim_by_its_beginning(page: str, is_interim: bool) -> None:
    assert is_interim_report(PdfReading(pages=(page,))) is is_interim
