"""Overall scores that documents name, held against the committed audits."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.score_claims import (
    claims_in,
    claims_in_document,
    claims_on_pages,
    held_claims,
)


def scores(text: str) -> list[tuple[int, float, float]]:
    return [(line, claim["score"], claim["maximum"]) for line, claim in claims_in(text)]


@pytest.mark.parametrize(
    "text",
    [
        "The self-audit yielded an aggregate score of 3.2 / 5.",
        "Self-Audit Aggregate Score: 3.2/5.0",
        "In our final self-audit, the system achieved a score of **3.2/5.0**.",
        "### Overall Score: 3.2/5",
        "Self-audit aggregate score: 3.2/5 (64/100) \u2014 below the 4/5 target. It counts.",
        "The self-audit ended with an overall score of 3.2/5 (64%) in May.",
        "With an overall normalised score of 3.2 out of 5, it works.",
    ],
)
def test_an_overall_score_is_a_claim(text):
    assert scores(f"# Report\n\n{text}\n") == [(3, 3.2, 5.0)]


@pytest.mark.parametrize(
    "text",
    [
        "The peer's overall score was 3.2/5.",
        "The initial self-audit had a score of 1.9/5.",
        "The overall score rose from 1.9/5 to 4.0/5.",
        "We aim at an overall score of 4/5.",
        "The overall score is capped at 3/5 by the rule.",
        "Prosecutor: overall score 2/5.",
        "The self-audit found 3/5 of the nodes.",
        "Graph Orchestration: 4/5",
        "Overall score: 7/5",
        "The overall score went from 3.2/5 (64/100) to 4.0/5.",
        "Overall score: 3.2/5 (80/100)",
        "On 12/10 the overall score changed.",
    ],
)
def test_a_score_of_something_else_is_no_claim(text):
    assert scores(text) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("A self-audit with it shows progress.", ", up from the first 1.9/5.0.", [4.0]),
        ("A self-audit of our peer shows progress.", ".", []),
        ("A test shows progress.", ".", []),
        ("The self-audit ended. It was late.", ".", []),
    ],
)
def test_score_of_the_final_work_after_a_sentence_on_the_self_audit(before, after, expected):
    claims = claims_on_pages([f"{before} The final\nimplementation scores 4.0/5.0{after}"])
    assert [claim["score"] for claim in claims] == expected
    assert all(c["text"] == "The final implementation scores 4.0/5.0" for c in claims)
    assert [held["agrees"] for held in held_claims(claims, [audit(4.0)], is_all=True)] == [
        True for _ in expected
    ]


def test_words_of_a_page_may_stand_on_lines_of_their_own():
    pages = ["Title", "Self-Audit\nAggregate\nScore:\n1.86/5.0\nPeer Feedback"]
    assert claims_on_pages(pages) == [
        {"text": "Self-Audit Aggregate Score: 1.86/5.0", "score": 1.86, "maximum": 5.0, "page": 2}
    ]


SAMPLE = "It prints:\n\n```\nOverall score: 4.2/5\n```\n\n{} score: 3.2/5\n"


@pytest.mark.parametrize(
    ("path", "words", "lines"),
    [
        ("reports/final_report.md", "Overall", [7]),
        ("README.md", "Overall", []),
        ("README.md", "Overall self-audit", [7]),
    ],
)
def test_samples_of_output_are_no_claims(path, words, lines):
    claims = claims_in_document(path, SAMPLE.format(words))
    assert [(claim["path"], claim["line"]) for claim in claims] == [(path, line) for line in lines]


def test_interim_report_claims_no_score_of_today():
    assert list(claims_in_document("reports/interim_report.md", SAMPLE.format("self-audit"))) == []


def audit(score=None, maximum=5.0, about="self"):
    return {"about": about, "score": score, "maximum": maximum}


@pytest.mark.parametrize(
    ("audits", "expected"),
    [
        ([audit(3.6)], True),
        ([audit(3.57)], True),
        ([audit(2.0), audit(3.6, about="received")], True),
        ([audit(72.0, 100.0)], True),
        ([audit(3.6, None)], True),
        ([audit(3.2)], False),
        ([audit(3.2, None)], False),
        ([audit(3.2), audit()], None),
        ([audit(3.2, about="peer")], None),
        ([], None),
    ],
)
def test_a_claim_agrees_with_an_audit_that_gives_the_score_as_rounded(audits, expected):
    claim = {"text": "Overall score: 3.6/5", "score": 3.6, "maximum": 5.0}
    assert [held["agrees"] for held in held_claims([claim], audits, is_all=True)] == [expected]


@pytest.mark.parametrize(("written", "agrees"), [("4.0/5.0", False), ("4/5", True)])
def test_written_decimals_of_a_claim_tell_how_far_it_is_rounded(written, agrees):
    claim = {"text": f"The self-audit scores {written}", "score": 4.0, "maximum": 5.0}
    (held,) = held_claims([claim], [audit(3.9)], is_all=True)
    assert held["agrees"] is agrees


RUNS = "## Self-Audit Summary\n\n| Criterion | {} | {} | Driver |\n|---|---|---|---|\n{}"


@pytest.mark.parametrize(
    ("columns", "row", "expected"),
    [
        (("Run 1", "Run 2"), "| **Overall (7 criteria)** | 3.1/5 | **3.7/5** | new |", [3.7]),
        (("Run 1", "Run 2"), "| Overall | 3.1/5 | 3.7/5 | new |", [3.7]),
        (("Prosecutor", "Defense"), "| Overall | 3.1/5 | 3.7/5 | new |", []),
        (("Run 1", "Run 2"), "| Graph (both splits) | 3/5 | 4/5 | new |", []),
    ],
)
def test_last_of_two_moments_in_a_row_of_overall_scores_is_a_claim(columns, row, expected):
    claims = claims_in_document("report.md", RUNS.format(*columns, row))
    assert [(claim["line"], claim["score"]) for claim in claims] == [(5, s) for s in expected]


def test_label_of_the_self_audit_stands_for_itself():
    page = "Tracing: from evidence to verdict Self-Audit Results: Overall Score: 4.43 / 5\n• Depth: 5 / 5"
    (claim,) = claims_on_pages([page])
    assert claim["text"] == "Self-Audit Results: Overall Score: 4.43 / 5"
    assert claims_on_pages([page.replace("Self-Audit", "Peer")]) == []


def test_what_a_peer_gave_is_no_score_of_the_self_audit():
    claim = {"text": "Self-audit score 3.6/5", "score": 3.6, "maximum": 5.0}
    audits = [audit(2.0), audit(3.6, about="received")]
    assert held_claims([claim], audits, is_all=True)[0]["agrees"] is False


TABLE = "Results of the {}:\n\n| Criterion | Score |\n|---|---|\n| Graph | 4/5 |\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Self-Audit Score 3.2 / 5.0", [(1, 3.2)]),
        ("| **Self-audit** | **3.2/5** |", [(1, 3.2)]),
        (TABLE.format("self-audit") + "| **Overall** | **3.2 / 5.0** |", [(6, 3.2)]),
        (TABLE.format("self-audit") + "Overall 3.2 / 5.0", [(6, 3.2)]),
        (TABLE.format("audit of a peer, not the self-audit") + "| Overall | 3.2/5 |", []),
        (TABLE.format("run") + "| Overall | 3.2/5 |", []),
        ("● Self-Audit Score: 3.2/5.0 (improved from initial 2.5/5.0)", [(1, 3.2)]),
        ("Overall Self-Audit Summary: 3.2/5.0", [(1, 3.2)]),
        ("| Self-audit | 3.2/5 | 4/5 |", []),
        ("| Self-audit findings | 3/5 |", []),
        ("| Self-audit | 7/5 |", []),
    ],
)
def test_a_row_of_a_table_may_claim_the_overall_score(text, expected):
    claims = claims_in_document("reports/final_report.md", text)
    assert [(claim["line"], claim["score"]) for claim in claims] == expected


GROWTH = (
    "# Auditor\n\n## {}\n\n| Version | {} | Changes |\n|---|---|---|\n"
    "| v1 | **1.7 / 5.0** | none |\n| v2 | **4.0 / 5.0** | reducers |\n\nThe end.\n"
)


@pytest.mark.parametrize(
    ("heading", "column", "expected"),
    [
        ("Growth of the self-audit", "Overall Score", [(8, 4.0)]),
        ("Growth", "Self-Audit Score", [(8, 4.0)]),
        ("Growth", "Overall Score", []),
        ("Self-audit and peer audit", "Overall Score", []),
        ("Growth of the self-audit", "Score", []),
    ],
)
def test_last_row_of_a_column_of_overall_scores_is_a_claim(heading, column, expected):
    claims = claims_in_document("README.md", GROWTH.format(heading, column))
    assert [(claim["line"], claim["score"]) for claim in claims] == expected


def test_a_row_under_a_title_of_the_self_audit_is_no_score_of_a_peer():
    (claim,) = claims_on_pages(["Table 2: Self-Audit Score Summary\nOverall 3.6 / 5.0"])
    audits = [audit(4.2), audit(3.6, about="received")]
    (held,) = held_claims([claim], audits, is_all=True)
    assert (held["agrees"], set(held)) == (False, {"text", "score", "maximum", "page", "agrees"})


def test_a_row_and_a_sentence_of_one_page_are_one_claim():
    page = "Self-Audit Score 3.2 / 5.0\nThe self-audit gave a score of 3.2/5.0."
    assert [claim["page"] for claim in claims_on_pages(["Title", page])] == [2]


def test_a_claim_is_not_denied_where_an_output_was_not_read():
    claim = {"text": "", "score": 3.6, "maximum": 5.0}
    assert held_claims([claim], [audit(3.2)], is_all=False)[0]["agrees"] is None


def test_row_of_a_table_may_link_to_the_audit_between_its_name_and_the_score():
    rows = (
        "# Auditor\n\n| Report | Place | Result |\n|---|---|---|\n"
        "| **Self-Audit** | [`audit/self/a.md`](./audit/self/a.md) | Overall Score: 2.9/5 |\n"
        "| [Peer Audit](audit/peer/a.md) | new | Overall Score: 3.0/5 |\n"
    )
    (claim,) = claims_in_document("README.md", rows)
    assert (claim["line"], claim["score"], claim["maximum"]) == (5, 2.9, 5.0)
