"""Words in an argument that a rule of facts waits for."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.rules import readings_of
from tests.courtroom.sources import justice

MISSING = "not any(ev.found for ev in evidences)"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (f"if 'deep' in defense.argument and {MISSING}:\n    score = 2", ("deep",)),
        (
            (
                "text = defense.argument.lower()\nif 'deep' in text or 'meta' in text:\n"
                f"    if {MISSING}:\n        score = 2"
            ),
            ("deep", "meta"),
        ),
        (
            (
                "if any(word in defense.argument for word in WORDS):\n"
                f"    if {MISSING}:\n        score = 2"
            ),
            ("deep", "rich"),
        ),
        (f"if claims(defense, evidences) and {MISSING}:\n    score = 2", ("meta", "rich")),
        (f"if 'deep' in defense.argument or {MISSING}:\n    score = 2", ()),
        (f"if 'deep' not in defense.argument and {MISSING}:\n    score = 2", ()),
        (f"if 'gone' in ev.rationale and {MISSING}:\n    score = 2", ()),
        (f"if {MISSING}:\n    score = 2", ()),
        (
            (
                f"if 'deep' in defense.argument and {MISSING}:\n    score = 2\n"
                f"if {MISSING}:\n    score = 1"
            ),
            (),
        ),
    ],
)
def test_word_counts_where_no_fact_overrules_without_it(body, words):
    code = (
        "WORDS = ('deep', 'rich')\n"
        "def claims(defense, evidences):\n"
        "    text = defense.argument\n"
        "    if not ('meta' in text or 'rich' in text):\n        return False\n"
        "    return True\n"
    )
    reading = readings_of(justice(body, code))["fact_supremacy"]
    assert (bool(reading.lines), reading.awaited) == (True, words)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "if 'security flaw' in prosecutor.argument.lower():\n    score = min(score, 3)",
            ("security flaw",),
        ),
        (
            (
                "text = prosecutor.argument\nif 'security' in text and 'no security' not in text:\n"
                "    score = min(score, 3)"
            ),
            (),
        ),
        (
            "if any(e.found for e in evidences['security']):\n    score = min(score, 3)",
            (),
        ),
    ],
    ids=["word", "denial is read", "evidence"],
)
def test_word_that_a_cap_for_security_waits_for_counts_unless_a_denial_is_read(body, words):
    reading = readings_of(justice(body))["security_override"]
    assert (bool(reading.lines), reading.awaited) == (True, words)


FLAW = """
def is_flawed(p, evidences):
    text = p.argument.lower()
    if any(word in text for word in ("security", "unsafe")):
        return True
    for ev in evidences:
        if ev.found and "os.system(" in ev.content:
            return True
    return False
"""


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("is_flawed(p, evidences)", ("security", "unsafe")),
        ("'security' in p.argument or any(ev.unsafe for ev in evidences)", ("security",)),
        ("is_flawed(p, evidences) and p.score < 3", ()),
        ("'security' in p.argument", ()),
        ("any(ev.unsafe for ev in evidences)", ()),
    ],
)
def test_word_that_sets_a_cap_off_beside_evidence_is_enough(test, words):
    reading = readings_of(justice(f"if {test}:\n    score = min(score, 3)", FLAW))
    assert reading["security_override"].enough == words
