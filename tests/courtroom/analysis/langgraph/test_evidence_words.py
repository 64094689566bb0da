"""Words that code waits for in a text of the evidence under a key, which no writer puts there."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.evidence_words import vain_words
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

WORK = """
class Evidence(BaseModel):
    found: bool
    reason: str

class Findings(BaseModel):
    depth: Evidence

TERMS = ["Fan-In", "State"]

def lacking(place):
    return Evidence(found=False, reason="The file is empty")

def read(path):
    if not path:
        blank = Evidence(found=False, reason="No path")
        return Findings(depth=blank)
    terms = []
    for term in TERMS:
        if term in path:
            terms.append(term)
    marks = sum(1 for row in path if row)
    deep = Evidence(
        found=True,
        reason=(f"Has {len(terms)} terms: {terms}, {marks} marks, {len(path) / 2:.1f} each. "
                f"{'Deep' if marks > 3 else 'Flat'}." + " Done"),
    )
    return Findings(depth=deep)

def analyst(state):
    if not state["pdf"]:
        missing = lacking("pdf")
        return {"evidences": {"depth": [missing], "paths": [missing]}}
    findings = read(state["pdf"])
    return {"evidences": {"depth": [findings.depth]}}

def other(state):
    return {"evidences": {"code": [Evidence(found=False, reason=f"{state} was not read")]}}

def is_overruled(evidences):
    for row in evidences.get("depth", []):
        if not row.found and "WORD" in row.reason.lower():
            return True
    return False

def rules(score, evidences):
    return 2 if is_overruled(evidences) else score

def chief_justice(state):
    evidences = state.get("evidences", {})
    total = 0.0
    score = rules(3, evidences)
    total += score
    return {"report": total}
"""


def words(code: str, word: str = "not read") -> list[tuple[str, str, str]]:
    symbols = symbols_of({"src/work.py": code.replace("WORD", word)})
    functions = [
        FunctionRef(source, site)
        for source in symbols.codebase.production
        for site in source.functions
    ]
    return [(row.word, row.field, row.key) for row in vain_words(symbols, functions)]


def test_word_that_no_text_under_the_key_has_is_awaited_in_vain():
    assert words(WORK) == [("not read", "reason", "depth")]
    assert words(WORK, "NOT READ") == [("NOT READ", "reason", "depth")]


@pytest.mark.parametrize(
    "word", ["file is", "no path", "fan", "deep", "terms", "done", "nan", "4 terms", "in', 's"]
)
def test_word_that_a_text_has_is_not_awaited_in_vain(word: str):
    """Also a word with digits and signs, which may reach over a number and a list."""
    assert words(WORK.replace('"WORD"', f'"{word}"')) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{marks} marks", "{path} marks"),
        ('reason="No path")', "reason=path)"),
        ('reason="The file is empty")', "reason=place)"),
        ('"depth": [missing]', '"depth": look(state)'),
        ('{"depth": [findings.depth]}', '{**state, "depth": [findings.depth]}'),
        ('{"depth": [findings.depth]}', "findings"),
        ("    total += score", "    evidences['depth'].append(score)"),
        ("    total += score", "    for row in evidences['depth']:\n        row.reason = 'other'"),
        ("    total += score", "    setattr(score, 'reason', 'other')"),
        ("    total += score", "    is_overruled(load())"),
        ("            terms.append(term)", "            terms.append(path)"),
        ("    terms = []", "    terms = [path]"),
        ("    reason: str", "    reason: str\n    @validator('reason')\n    def long(cls, v): ..."),
        ('evidences.get("depth", [])', "evidences"),
    ],
)
def test_word_is_open_where_a_text_is_not_known_before_a_run(before: str, after: str):
    assert before in WORK
    assert words(WORK.replace(before, after, 1)) == []
