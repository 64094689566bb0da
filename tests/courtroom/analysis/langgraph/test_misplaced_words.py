"""Rules of facts that wait under one criterion for a word of another."""

from __future__ import annotations

import json

import pytest

from tests.courtroom.analysis.langgraph.rules import readings_of
from tests.courtroom.sources import justice

RUBRIC = json.dumps(
    {
        "dimensions": [
            {"id": "typed_state", "instruction": "Look for reducers and invented fields."},
            {"id": "theory", "instruction": "Does the report explain metacognition?"},
        ]
    }
)
MISSING = "not any(ev.found for ev in evidences)"


def reading_of(test: str, rubric: str = RUBRIC):
    code = justice(f"if {test} and {MISSING}:\n    score = 2")
    return readings_of(code, data={"rubric.json": rubric})["fact_supremacy"]


def test_rule_that_waits_for_a_word_of_another_criterion_is_none():
    reading = reading_of("criterion_id == 'typed_state' and 'deep metacognition' in d.argument")
    words = [(word.word, word.criterion, word.home) for word in reading.misplaced]
    assert words == [("deep metacognition", "typed_state", "theory")]
    assert reading.lines == []


@pytest.mark.parametrize(
    "test",
    [
        "criterion_id == 'theory' and 'deep metacognition' in d.argument",
        "criterion_id == 'typed_state' and 'invention' in d.argument",
        "criterion_id == 'typed_state' and 'modular' in d.argument",
        "criterion_id == 'typed_state' and ('metacognition' in d.argument or 'rich' in d.argument)",
        "criterion_id == 'typed_state'",
        "criterion_id != 'typed_state' and 'metacognition' in d.argument",
        "'metacognition' in d.argument",
    ],
    ids=["own", "form", "nowhere", "other word", "no word", "all but one", "all criteria"],
)
def test_rule_that_an_argument_may_set_off_stays(test):
    reading = reading_of(test)
    assert (bool(reading.lines), reading.misplaced) == (True, ())


def test_word_is_at_home_where_no_rubric_tells():
    reading = reading_of("criterion_id == 'typed_state' and 'metacognition' in d.argument", "[]")
    assert (bool(reading.lines), reading.misplaced) == (True, ())
