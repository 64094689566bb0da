"""Values of a report that the code has otherwise: numbers and settings."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.code_values import bound_values
from courtroom.analysis.pdf_claims.stated_values import differing_values
from courtroom.checks.pdf_paths import COMPARED, PdfPaths, claims_hold
from courtroom.synthesis.advice.report_steps import NAME_THE_VALUES, READ_THE_REST, claim_steps
from tests.courtroom.synthesis.advised_work import work

JUDGES = """
MOST_RETRIES = 4
WEIGHTS = {"Prosecutor": 0.3, "Defense": 0.3, "TechLead": 0.4}

def ask(model, request, max_retries=MOST_RETRIES):
    for attempt in range(max_retries + 1):
        model(request, timeout=90)

def spread_of(scores):
    return max(scores) - min(scores) > 2

class Opinion(BaseModel):
    score: int
"""
TOOLS = """
chunk_size = 1000
MODEL = os.getenv("MODEL", "gpt-4o-mini")

def clone(url):
    run(["git", "clone", "--depth", "20", url], timeout=120)
"""
RUBRIC = '{"dimensions": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}'
SOURCES = {"src/judges.py": JUDGES, "src/tools.py": TOOLS, "rubric.json": RUBRIC}
CODE: dict[str, Any] = {
    "graph": {"path": "src/graph.py", "state_graph_line": 9, "nodes": ["a", "b", "c", "d"]}
}


def values(sentence: str, sources: dict[str, str] = SOURCES) -> list[str]:
    reading = PdfReading(pages=(sentence,))
    return [held.claim.quote for held in differing_values(reading, sources, CODE)]


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        (
            "The retry loop (up to 2 retries) mends bad answers.",
            "src/judges.py:2 has MOST_RETRIES = 4, not “2 retries”",
        ),
        (
            "It retries each request with ten attempts.",
            "src/judges.py:2 has MOST_RETRIES = 4, not “ten attempts”",
        ),
        (
            "Git runs with a 60-second timeout.",
            "src/judges.py:7 has timeout = 90, not “60-second timeout”",
        ),
        (
            "Each clone has a timeout of 60 s.",
            "src/judges.py:7 has timeout = 90, not “timeout of 60 s”",
        ),
        (
            'It runs git with "--depth", "1" for speed.',
            'src/tools.py:6 has depth = 20, not “--depth", "1”',
        ),
        (
            "Pages are cut into 500-character chunks.",
            "src/tools.py:2 has chunk_size = 1000, not “500-character chunks”",
        ),
        (
            "A dissent is written where the spread is at least 2.",
            "src/judges.py:10 has 3 as the least spread, not “spread is at least 2”",
        ),
        (
            "Prosecutor: 0.35, Defense: 0.3 in the mean.",
            "src/judges.py:3 has 0.3 as the weight of Prosecutor, not “Prosecutor: 0.35”",
        ),
        (
            "The code sets MOST_RETRIES = 3 for all judges.",
            "src/judges.py:2 has MOST_RETRIES = 4, not “MOST_RETRIES = 3”",
        ),
        (
            "The models have extra='forbid' against more fields.",
            "no file of the code has “extra='forbid'”",
        ),
        (
            'Each judge asks ChatOpenAI(model="gpt-9") once.',
            'no file of the code has “model="gpt-9"”',
        ),
        (
            "A 13-dimension rubric guides the judges.",
            "rubric.json has 3 criteria, not “13-dimension rubric”",
        ),
        (
            "It is a StateGraph with 9 nodes.",
            "the graph at src/graph.py:9 has 4 nodes, not “StateGraph with 9 nodes”",
        ),
    ],
)
def test_value_that_the_code_has_otherwise_is_told_with_its_place(
    sentence: str, quote: str
) -> None:
    assert values(sentence) == [quote]


@pytest.mark.parametrize(
    "sentence",
    [
        # A first try may count or not.
        "The retry loop makes 5 attempts.",
        "The retry loop makes up to three retries.",
        "Tests need two attempts.",
        "Git runs with a 120-second timeout.",
        "It runs git with --depth 20 for speed.",
        # 300 words have about as many characters.
        "Pages are cut into 300-word chunks.",
        "A dissent is written where the spread exceeds 2.",
        "A dissent is written where the spread is > 20 %.",
        "Prosecutor: 0.30, TechLead: .4 in the mean.",
        "A clone could have a 60-second timeout.",
        'Each judge asks ChatOpenAI(model="gpt-4o-mini") once.',
        'Each detective has a field model = "graph" of its own.',
        "The code sets UNKNOWN_VALUE = 3 for all judges.",
        "A three-criteria rubric guides the judges.",
        "At temperature 0.2 by default, Prosecutor: 0.9, Defense: 0.7 in the mean.",
        # START and END are nodes to some.
        "It is a StateGraph with 6 nodes.",
        "The graph has three nodes that run in parallel.",
    ],
)
def test_value_that_the_code_may_have_is_not_wrong(sentence: str) -> None:
    assert values(sentence) == []


@pytest.mark.parametrize(
    "source",
    [
        "max_retries = int(os.getenv('RETRIES', '2'))\n",
        "for attempt in range(limit):\n    ask()\n",
        "retries = 1\nretries = settings.retries\n",
        "print('no value')\n",
        "not python at all(\n",
    ],
)
def test_value_that_the_code_computes_is_held_against_no_number(source: str) -> None:
    assert values("The retry loop makes 7 attempts.", {"a.py": source}) == []


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("spread = max(scores) - min(scores)\nif spread >= 2:\n    dissent()\n", 1),
        # What a function returns may be the spread that is meant.
        ("spread = max(s) - min(s)\nif spread >= 2:\n    a()\nif gap > 2:\n    b()\n", 0),
        ("if persona_variance > 0.1:\n    a()\n", 0),
        ("if variance >= 2:\n    a()\n", 0),
    ],
)
def test_spread_is_that_of_the_highest_and_the_lowest_score(source: str, count: int) -> None:
    assert len(values("A spread of scores, variance > 2, is told.", {"a.py": source})) == count


def test_size_that_stands_in_code_on_chunks_is_not_wrong() -> None:
    sources = {"a.py": "chunk_size = 1024\n", "b.py": "chunks = split(text, 500)\n"}
    assert values("Pages are cut into 500-character chunks.", sources) == []


def test_name_that_stands_for_several_values_has_none() -> None:
    source = "LIMIT = 3\ntimeout = LIMIT\n"
    assert [row.value for row in bound_values({"a.py": source})] == [3.0, 3.0]
    rows = bound_values({"a.py": source, "b.py": "LIMIT = 4"})
    assert {(row.name, row.value) for row in rows} == {
        ("LIMIT", 3.0),
        ("LIMIT", 4.0),
        ("timeout", None),
    }


def test_wrong_values_are_one_claim_that_tells_the_first_of_each_kind() -> None:
    pages = (
        "Pages are cut into 5-character chunks. A further cut has 6-character chunks.",
        "The retry loop makes 9 attempts.",
    )
    (held,) = differing_values(PdfReading(pages=pages), SOURCES, CODE)
    assert held.claim.quote == (
        "src/tools.py:2 has chunk_size = 1000, not “5-character chunks” (page 1); src/judges.py:2"
        " has MOST_RETRIES = 4, not “9 attempts” (page 2)"
    )


def test_several_wrong_values_are_told_each_with_its_page() -> None:
    pages = ("Pages are cut into 5-character chunks.", "The retry loop makes 9 attempts.")
    claims = tuple(differing_values(PdfReading(pages=pages), SOURCES, CODE))
    assert claims_hold(
        PdfPaths(id="c", goal="g", aspect="claims_hold"), claims, {}
    ).reason.partition(f" {COMPARED}")[0] == (
        "The code contradicts 1 claim of the report:"
        " values, as src/tools.py:2 has chunk_size = 1000, not “5-character chunks” (page 1);"
        " src/judges.py:2 has MOST_RETRIES = 4, not “9 attempts” (page 2)."
    )


def test_size_that_counts_sentences_is_no_other_number_of_characters() -> None:
    reading = PdfReading(pages=("The text is cut into 500-character segments.",))
    sources = {"src/tools.py": "def cut(text, chunk_size=5):\n    return text\n"}
    assert list(differing_values(reading, sources, CODE)) == []
    (held,) = differing_values(reading, {"src/tools.py": "def cut(text, chunk_size=50): ..."}, CODE)
    assert held.standing == "contradicted"


def test_report_with_a_wrong_value_is_told_the_line_and_what_to_write() -> None:
    reading = PdfReading(pages=("The retry loop (up to 2 retries) mends bad answers.",))
    claims = tuple(differing_values(reading, SOURCES, CODE))
    assert claims_hold(
        PdfPaths(id="c", goal="g", aspect="claims_hold"), claims, {}
    ).reason.partition(f" {COMPARED}")[0] == (
        "The code contradicts 1 claim of the report:"
        " a value, as src/judges.py:2 has MOST_RETRIES = 4, not “2 retries” (page 1)."
    )
    (step,) = claim_steps("claims_hold", work(pdf_claims={"stated_value": "contradicted"}))
    assert step.action == f"{NAME_THE_VALUES} {READ_THE_REST}"
