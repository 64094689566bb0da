"""Ground of the cap for security: evidence, or only opinions."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.security_ground import read_security_ground
from tests.courtroom.sources import layers_of, symbols_of


def ground(body: str) -> str | None:
    indented = "\n".join(f"    {line}" for line in body.split("\n"))
    code = (
        f"def chief_justice(state, p, d, t, evidences, criterion):\n"
        f"    score = (p.score + d.score + t.score) / 3\n{indented}\n    return score\n"
    )
    symbols = symbols_of({"src/justice.py": code})
    _, layers = layers_of(symbols)
    return read_security_ground(layers.justice, DeadConditions(symbols, layers.justice, None))


FLAG = "flawed = False\nfor e in evidences:\n    if not e.found:\n        flawed = True\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "if any(e.found and e.security for e in evidences):\n    score = min(score, 3)",
            "evidence",
        ),
        (
            "if any(e.found and e.confidence > 0.7 and is_security(e) for e in x):\n    score = 3",
            "evidence",
        ),
        ("if 'security' in p.argument:\n    score = min(score, 3)", "opinions"),
        (
            (
                "p_score = prosecutor.score if prosecutor else 3\n"
                "if criterion == 'safe_tool' and p_score <= 2:\n    score = min(score, 3)"
            ),
            "opinions",
        ),
        (
            "if 'security' in prosecutor.argument or has_security(evidences):\n    score = 3",
            "either",
        ),
        (
            "prosecutor = p\nif criterion == 'safe_tool' and prosecutor.score < 3:\n    score = 3",
            "opinions",
        ),
        (
            FLAG + "if flawed and is_unsafe(p.argument):\n    score = 3",
            "evidence",
        ),
        (
            "told = ' '.join([p.argument, *p.cited_evidence])\nif 'security' in told:\n    score = 3",
            "opinions",
        ),
        ("if security_issue:\n    score = min(score, 3)", None),
        (
            (
                "if 'security' in p.argument:\n    score = 2\n"
                "for e in evidences:\n    if e.found and 'Safe Tool' in e.goal:\n        score = 5.0"
            ),
            "opinions",
        ),
        ("score = max(1, score)", "none"),
    ],
)
def test_cap_for_security_rests_on_what_its_conditions_read(body, expected):
    assert ground(body) == expected


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("is_flawed(state)", "evidence"),
        ("'unsafe' in prosecutor_text", "opinions"),
        ("flags.pop()", None),
    ],
)
def test_parameter_in_the_condition_is_followed_to_its_calls(argument, expected):
    code = (
        "def is_flawed(state):\n"
        "    return any(not e.found for e in state['evidences']['tools'])\n"
        "def resolve(score, has_security_violation):\n"
        "    if has_security_violation:\n        score = min(score, 3)\n    return score\n"
        "def chief_justice(state):\n"
        f"    flaw = {argument}\n"
        "    return resolve(state['opinions'][0].score, has_security_violation=flaw)\n"
    )
    _, layers = layers_of(symbols_of({"src/justice.py": code}))
    assert read_security_ground(layers.justice) == expected


@pytest.mark.parametrize(
    ("passed", "expected"),
    [("prosecutor.cited_evidence", "opinions"), ("state['evidences']", "evidence")],
)
def test_what_an_opinion_cites_is_no_evidence_under_another_name(passed, expected):
    code = (
        "def cap_for(prosecutor_score, security_evidence):\n"
        "    has_flaw = any('injection' in evidence.lower() for evidence in security_evidence)\n"
        "    if has_flaw and prosecutor_score <= 2:\n        return min(3, prosecutor_score)\n"
        "    return None\n"
        "def chief_justice(state):\n"
        "    prosecutor = state['opinions'][0]\n"
        "    score = prosecutor.score\n"
        f"    security_evidence = {passed}\n"
        "    security_cap = cap_for(prosecutor.score, security_evidence)\n"
        "    if security_cap is not None:\n        score = min(score, security_cap)\n"
        "    return score\n"
    )
    _, layers = layers_of(symbols_of({"src/justice.py": code}))
    assert read_security_ground(layers.justice) == expected


SAYS = "'security' in p.argument"


@pytest.mark.parametrize(
    "body",
    [
        f"if any(not e.found for e in evidences) or {SAYS}:\n    score = min(score, 3)",
        f"said = {SAYS}\nif (evidences['safe_tool'].found or said) and t:\n    score = min(score, 3)",
        f"{FLAG}if {SAYS}:\n    flawed = True\nif flawed:  # security\n    score = security_cap",
        (
            f"{FLAG}if not flawed:\n    if {SAYS}:\n        flawed = True\n"
            "if flawed:\n    score = security_cap"
        ),
        f"if {SAYS}:\n    score = 3\nif any(e.found and e.security for e in evidences):\n    score = 3",
    ],
)
def test_cap_for_which_a_judges_words_are_enough_does_not_rest_on_evidence(body):
    assert ground(body) == "either"


@pytest.mark.parametrize("joined", ["and", "or"])
def test_ways_of_a_function_that_a_cap_calls_are_followed(joined):
    helper = (
        "def has_security_flaw(p, evidences):\n    text = p.argument.lower()\n"
        f"    fails = any(not e.found for e in evidences)\n    return 'shell' in text {joined} fails\n"
    )
    code = (
        f"{helper}def chief_justice(state, p, d, t, evidences):\n    score = (p.score + d.score) / 2\n"
        "    if has_security_flaw(p, evidences):\n        score = min(score, 3)\n    return score\n"
    )
    symbols = symbols_of({"src/justice.py": code})
    _, layers = layers_of(symbols)
    expected = "either" if joined == "or" else "evidence"
    assert read_security_ground(layers.justice) == expected
