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
        (f"flag = 'deep' in defense.argument\nif flag and {MISSING}:\n    score = 2", ("deep",)),
        (
            f"if any(w in defense.argument for w in OTHERS) and {MISSING}:\n    score = 2",
            ("fine",),
        ),
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
        "WORDS = ('deep', 'rich')\nOTHERS: frozenset[str] = frozenset({'fine'})\n"
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
        (
            (
                "is_flawed = False\nif p.score < 3:\n    is_flawed = any('unsafe' in op.argument or"
                " 'security' in op.argument for op in (p, d))\n"
                "if is_flawed:\n    score = min(score, 3)"
            ),
            ("unsafe", "security"),
        ),
        (
            (
                "if not state:\n    return 1, 'No opinions'\n"
                "if 'security' in p.argument:\n    score = min(score, 3)"
            ),
            ("security",),
        ),
        (
            "if any(is_bad(op.argument) for op in (p, d)):\n    score = min(score, 3)",
            ("security", "injection"),
        ),
        ("if is_marked(p):\n    score = min(score, 3)", ("security", "unsafe")),
        (
            (
                "text = p.argument\nif 'injection' in text or ('security' in text and 'raw' in text):\n"
                "    score = min(score, 3)"
            ),
            ("injection", "security"),
        ),
    ],
    ids=[
        "word",
        "denial is read",
        "evidence",
        "flag",
        "denial is shown",
        "predicate of any",
        "loop over words",
        "words that are joined",
    ],
)
def test_word_that_a_cap_for_security_waits_for_counts_unless_a_denial_is_read(body, words):
    code = (
        "def is_bad(argument):\n    text = argument.lower()\n"
        "    return any(sign.lower() in text for sign in ('security', 'injection'))\n"
        "def is_marked(op):\n    for word in ('security', 'unsafe'):\n"
        "        if word.lower() in op.argument.lower() and op.score <= 2:\n            return True\n"
        "    return False\n"
    )
    reading = readings_of(justice(body, code))["security_override"]
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


CLAIMS = """
def is_overruled(ops, evidences):
    if not any(ev.found for ev in evidences):
        return True
    for op in ops:
        if op.judge == "Defense":
            if any(word in op.argument.lower() for word in ("missing", "absent")):
                return True
    return False
"""


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (CLAIMS, ("missing", "absent")),
        (CLAIMS.replace('op.judge == "Defense"', "evidences[0].found"), ()),
        (CLAIMS.replace("any(word in op.argument.lower() for", "all(word in evidences for"), ()),
    ],
)
def test_word_that_is_enough_for_a_rule_of_facts_is_told(code: str, words: tuple[str, ...]):
    reading = readings_of(justice("if is_overruled([p, d], evidences):\n    score = 2", code))
    assert (bool(reading["fact_supremacy"].lines), reading["fact_supremacy"].enough) == (
        True,
        words,
    )


@pytest.mark.parametrize(
    ("test", "words"),
    [("'modular' in tech_lead.argument", ("modular",)), ("tech_lead.score >= 4", ())],
)
def test_word_that_the_rule_on_the_tech_lead_waits_for_is_told(test: str, words: tuple[str, ...]):
    body = f"if state['id'] == 'graph_orchestration' and {test}:\n    score = tech_lead.score"
    reading = readings_of(justice(body))["functionality_weight"]
    assert (bool(reading.lines), reading.awaited) == (True, words)
