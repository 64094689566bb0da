"""Rules of the Chief Justice that apply where they should not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from textwrap import indent

import pytest

from courtroom.analysis.langgraph.judging.loose_rules import (
    LooseRule,
    loose_caps,
    loose_rules,
    raising_caps,
    words_for_facts,
)
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

Search = Callable[[list[FunctionRef]], Iterable[LooseRule]]
SCALE = range(1, 6)
WEIGHT = "weights = {'TechLead': 2.0, 'Prosecutor': 1.0, 'Defense': 1.0}"


def sentences_of(body: str, search: Search = loose_rules) -> list[tuple[str, int]]:
    code = (
        "def decide(criterion, p, d, t):\n"
        "    score = (p.score + d.score + t.score) / 3\n"
        f"{indent(body, '    ')}\n"
        "    return score\n"
    )
    symbols = symbols_of({"src/justice.py": code})
    functions = [FunctionRef(*entry) for entry in symbols.functions_by_name["decide"]]
    return [(rule.sentence, rule.line) for rule in search(functions)]


def test_a_weight_for_all_criteria_on_the_repository_is_named():
    test = "if criterion.get('target_artifact') == 'github_repo' and tech_lead:\n"
    ((sentence, _),) = sentences_of(test + indent(WEIGHT, "    "))
    assert "in every criterion on the repository, not only in" in sentence
    by_id = test.replace("target_artifact", "id").replace("github_repo", "tests")
    assert sentences_of(by_id + indent(WEIGHT, "    ")) == []


@pytest.mark.parametrize(
    ("test", "is_named"),
    [
        ("'linear' in p.argument.lower()", True),
        ("'linear' in p.argument and criterion == 'graph'", True),
        ("'linear' in p.argument and 'not linear' not in p.argument", False),
        ("'linear' in p.argument and not evidence.found", False),
        ("'security' in p.argument", False),
        ("'linear' in criterion", False),
    ],
)
def test_score_that_is_set_by_a_word_in_an_argument_is_named(test: str, is_named: bool):
    rows = [row for row in sentences_of(f"if {test}:\n    score = 1") if "sets the score" in row[0]]
    sentence = (
        "decide() sets the score 1 where “linear” stands in an argument, whatever it says of them: it"
        " matches words, not facts"
    )
    assert rows == is_named * [(sentence, 4)]


MEDIAN = """
def decide(criterion, prosecutor, defense, tech_lead):
    scores = [prosecutor.score, defense.score, tech_lead.score]
    score = sorted(scores)[1]
    {body}
    return score, "settled"
"""


@pytest.mark.parametrize(
    ("body", "raised"),
    [
        ("if is_unsafe(criterion):\n        return min(tech_lead.score, 3), 'capped'", (2, 1)),
        ("if prosecutor.score == 1:\n        score = min(prosecutor.score + 2, 3)", (3, 1)),
        ("if is_unsafe(criterion):\n        score = min(score, 3)", None),
        ("if is_unsafe(criterion):\n        return min(min(scores), 3), 'capped'", None),
        ("if is_unsafe(criterion):\n        score = min(weigh(*scores), 3)", None),
        # Named already, by another sentence.
        ("if is_unsafe(criterion):\n        score = min(max(scores), 3)", None),
    ],
)
def test_cap_that_raises_a_score_is_named_with_the_scores(
    body: str, raised: tuple[int, int] | None
):
    symbols = symbols_of({"src/justice.py": MEDIAN.format(body=body)})
    functions = [FunctionRef(*entry) for entry in symbols.functions_by_name["decide"]]
    rows = [
        (rule.line, rule.sentence) for rule in raising_caps(functions, [(functions[0], 6)], SCALE)
    ]
    number, without = raised or (0, 0)
    scores = "1, 1 and 1" if number == 3 else "1, 1 and 2"
    sentence = (
        f"decide() can give {number} by its cap for security where Prosecutor, Defense and Tech Lead"
        f" give {scores}, and {without} without it: a lower score is raised"
    )
    assert rows == ([(6, sentence)] if raised else [])


def test_words_that_stand_for_facts_are_named():
    symbols = symbols_of({"src/justice.py": "def decide(p):\n    return p\n"})
    function = FunctionRef(*symbols.functions_by_name["decide"][0])
    assert words_for_facts(function, 2, ("gone", "absent", "missing")).sentence == (
        "decide() takes “gone” or one of 2 other texts in an argument for facts against an opinion,"
        " whatever the evidence shows: it matches words, not facts"
    )


@pytest.mark.parametrize(
    "body",
    [
        WEIGHT,
        "score = (p.score + d.score + 2 * tech_lead.score) / 4",
        f"'On architecture or not, it weighs.'\n{WEIGHT}",
        f"{WEIGHT}\nif variance >= 2 and tech_lead:\n    score = tech_lead.score",
        f"if variance >= 2:\n    score = 3\nelse:\n    {WEIGHT}",
    ],
)
def test_a_weight_of_the_tech_lead_without_a_limit_is_named(body: str):
    ((sentence, _),) = sentences_of(body)

    assert sentence == (
        "decide() lets the Tech Lead weigh more in every criterion, not only in those on"
        " architecture"
    )


@pytest.mark.parametrize(
    "body",
    [
        f"if criterion.id == 'graph_orchestration':\n    {WEIGHT}",
        "if variance >= 2 and tech_lead:\n    score = tech_lead.score",
        f"if criterion.artifact == 'code':\n    {WEIGHT}",
        f"about_architecture = criterion.about\n{WEIGHT}",
        "weights = {'TechLead': 1.0, 'Prosecutor': 1.0, 'Defense': 1.0}",
    ],
)
def test_a_weight_with_a_limit_is_no_fault(body: str):
    assert sentences_of(body) == []


def test_a_security_cap_that_looks_at_the_score_alone_is_named():
    body = "if p.score <= 2:\n    score = min(score, 3)\n    notes.append('Security override')"
    sentence = (
        "decide() caps a score for security under a condition that does not look for security"
    )
    assert sentences_of(body, loose_caps) == [(sentence, 4)]
    assert sentences_of(body) == []


def test_a_cap_that_can_be_lifted_is_a_loose_rule_beside_one_that_holds():
    code = (
        "def first(e, score):\n    if e.unsafe:\n        score = min(score, 3)\n    return score\n"
        "def second(e, score, t):\n    if e.unsafe:\n        score = min(score, 3)\n"
        "    if t:\n        score = t.score\n    return score\n"
    )
    symbols = symbols_of({"src/justice.py": code})
    functions = [FunctionRef(*symbols.functions_by_name[name][0]) for name in ("first", "second")]
    assert loose_caps(functions) == []
    assert [rule.line for rule in loose_rules(functions)] == [9]
    assert [rule.line for rule in loose_caps(functions[1:])] == [9]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("if 'security' in p.argument:\n    score = 3", 4),
        ("if is_unsafe(p) and p.score <= 2:\n    score = 3", 4),
        ("if is_unsafe(p) and p.score <= 2:\n    return {'final_score': 3}", 4),
    ],
)
def test_a_security_rule_that_can_raise_a_score_is_named(body: str, line: int):
    assert sentences_of(body, loose_caps) == [
        (
            "decide() sets the score for security instead of capping it: a lower score is raised",
            line,
        )
    ]


@pytest.mark.parametrize(
    "body",
    [
        "if is_unsafe(p) and score > 3:\n    score = 3",
        "if is_unsafe(p):\n    if score > 3:\n        score = 3",
        "if is_unsafe(p) and 3 < score:\n    score = 3",
        "if is_unsafe(p):\n    if score <= 3:\n        pass\n    else:\n        score = 3",
        "if is_unsafe(p):\n    return {'score_cap': 3}",
        "if is_unsafe(p):\n    score = 1",
        "if is_unsafe(p):\n    cap_score = 3\n    score = min(score, cap_score)",
        "if is_unsafe(p):\n    score = min(3, max(1, score))",
        "if 'security' in p.argument and evidences['tools'].found:\n    score = min(score, 3)",
        "a = p.argument\nif 'unsafe' in a and 'not unsafe' not in a:\n    score = min(score, 3)",
        "if has_security_flaw(evidences) and 'x' in evidences:\n    score = min(score, 3)",
        "if not p.security_flaw:\n    return score\nif score > 3:\n    score = min(score, 3)",
        "if is_unsafe(p):\n    score = min(score, 3)",
    ],
)
def test_a_security_cap_is_no_fault(body: str):
    assert sentences_of(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "if 'security' in p.argument:\n    score = min(score, 3)",
        "text = p.argument.lower()\nif any(word in text for word in UNSAFE):\n    score = min(score, 3)",
        "if 'security' in p.argument and score > 3:\n    score = 3",
    ],
)
def test_a_cap_on_words_of_an_argument_is_named_beside_one_on_evidence(body: str):
    by_evidence = "if any(e.security for e in evidences if e.found):\n    score = min(score, 3)"
    ((sentence, _),) = sentences_of(f"{by_evidence}\n{body}")
    # Alone, that no cap reads evidence says it.
    assert sentences_of(body) == []

    assert sentence == (
        "decide() caps a score for security where certain words stand in a judge's argument,"
        " whatever the argument says of them: it matches words, not facts"
    )


def test_a_security_rule_that_can_raise_a_score_is_a_loose_rule_beside_a_cap():
    cap = "if e.unsafe:\n    score = min(score, 3)"
    body = f"{cap}\nif 'security' in p.argument:\n    return {{'final_score': 3}}"
    assert [line for _, line in sentences_of(body)] == [6]
    assert sentences_of(body, loose_caps) == []


def test_score_that_is_returned_under_a_test_of_the_spread_is_set():
    body = (
        "score_range = spread_of(p, d, t)\nif score_range > 2:\n    if 1 in (p.score, t.score):\n"
    )
    body += "        return 3, 'Security override.'\n    return sorted(scores)[1], ''"
    ((sentence, line),) = sentences_of(body, loose_caps)
    assert (sentence.endswith("look for security: a lower score is raised"), line) == (True, 6)


def test_lines_under_one_condition_are_one_fault():
    body = "if p.score <= 2:\n    p_score = min(p_score, security_cap)\n    score = min(score, security_cap)"
    ((_, line),) = sentences_of(body, loose_caps)

    assert line == 4


@pytest.mark.parametrize(
    "body",
    [
        "if is_unsafe(p):\n    score = min(3, max(p.score, d.score, t.score))",
        "best = max(o.score for o in (p, d, t))\nif is_unsafe(p):\n    score = min(3, best)",
    ],
)
def test_a_security_rule_that_takes_the_highest_score_is_named(body: str):
    ((sentence, _),) = sentences_of(body)

    assert sentence == (
        "decide() takes the highest score that a judge gave, up to a limit, for security: the lower"
        " scores no longer count, so the rule can lift a score"
    )


def test_a_security_rule_that_limits_the_highest_score_of_all_other_cases_lifts_none():
    highest = "max(p.score, d.score, t.score)"
    body = f"if is_unsafe(p):\n    return min(3, {highest})\nreturn {highest}"

    assert sentences_of(body) == []


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            "if p.get('score', 1) <= 2:\n    score = 2",
            (
                "decide() takes 1 for `score` where nothing is known, and the rule in line 3 applies to that"
                " too"
            ),
        ),
        (
            "d_score = d.score if d else 5\nif d_score >= 4 and t:\n    score = t.score",
            (
                "decide() takes 5 for `d_score` where nothing is known, and the rule in line 4 can apply to"
                " that too"
            ),
        ),
        (
            (
                "is_there = all(e.found for e in ev) if ev else False\n"
                "if not is_there and d.score >= 4:\n    score = p.score"
            ),
            (
                "decide() takes False for `is_there` where nothing is known, and the rule in line 4 can apply to"
                " that too"
            ),
        ),
    ],
)
def test_default_that_meets_the_condition_of_a_rule_is_named(body: str, sentence: str):
    assert sentences_of(body) == [(sentence, 3)]


@pytest.mark.parametrize(
    "body",
    [
        "if p.get('score', 3) <= 2:\n    score = 2",
        "if p.get('rounds', 1) <= 2:\n    score = 2",
        "d_score = d.score if d else 5\nd_score = min(d_score, 3)\nif d_score >= 4:\n    score = 4",
        "d_score = d.score if d else 5\nif d_score >= 4:\n    note(d_score)",
        "is_there = all(e.found for e in ev) if ev else True\nif not is_there:\n    score = 2",
    ],
)
def test_default_that_fires_no_rule_is_no_fault(body: str):
    assert sentences_of(body) == []


@pytest.mark.parametrize(
    ("test", "is_named"),
    [
        ("tech_lead.score >= 4", True),
        ("tech_lead.score >= 4 and criterion == 'graph_orchestration'", False),
        ("defense.score >= 4", False),
    ],
)
def test_points_for_the_tech_leads_score_in_every_criterion_are_named(test: str, is_named: bool):
    sentence = (
        "decide() adds to the score where the Tech Lead's is high, in every criterion, not only in"
        " those on architecture"
    )
    rows = sentences_of(f"if {test}:\n    score = min(score + 1, 5)")
    assert ((sentence, 4) in rows) is is_named
