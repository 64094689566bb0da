"""Rules of the Chief Justice that change no score: they are run over all scores and flags."""

from __future__ import annotations

from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.judging.idle_rules import idle_rules
from courtroom.analysis.langgraph.judging.opinion_model import opinion_model
from courtroom.analysis.langgraph.judging.rule_detection import RuleReading
from courtroom.analysis.langgraph.judging.score_runs import USUAL_SCALE
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

BASE = """
def settle(opinions, evidences, name):
    scores = [o.score for o in opinions]
    accuser = next((o.score for o in opinions if o.judge == "Prosecutor"), 3)
    pleader = next((o.score for o in opinions if o.judge == "Defense"), 3)
    builder = next((o.score for o in opinions if o.judge == "TechLead"), 3)
    result = builder if "graph" in name.lower() else sorted(scores)[1]
"""


def idle_in(body: str, code: str = BASE) -> list[str]:
    """Return the rules that are idle where the line marked with `rule` holds fact supremacy."""
    text = dedent(code) + "".join(f"    {line}\n" for line in dedent(body).strip().split("\n"))
    symbols = symbols_of({"src/justice.py": text})
    functions = [FunctionRef(*e) for rows in symbols.functions_by_name.values() for e in rows]
    lines = [n for n, line in enumerate(text.split("\n"), 1) if "# rule" in line]
    settle = next(f for f in functions if any(line in _lines(f) for line in lines))
    none = RuleReading([])
    readings = {
        "security_override": none,
        "fact_supremacy": RuleReading([(settle, line) for line in lines]),
        "functionality_weight": none,
    }
    model = opinion_model(symbols)
    scale = model.scale if model else USUAL_SCALE
    return [row.rule for row in idle_rules(readings, functions, scale)]


def _lines(function: FunctionRef) -> range:
    node = function.site.node
    return range(node.lineno, (node.end_lineno or 0) + 1)


IDLE = [
    # The median is never above the higher of two of its scores.
    """
    if not proven(evidences) and pleader > accuser:
        result = min(result, max(accuser, builder))  # rule
    return result
    """,
    # A later line sets the score anew.
    """
    if not proven(evidences):
        result = 1  # rule
    result = round(sum(scores) / len(scores))
    return result, "final"
    """,
    # Every judge scores something from 1 to 5.
    """
    if not proven(evidences):
        result = max(1, min(5, result))  # rule
    return Row(score=result)
    """,
    """
    def plain(value):
        return value
    if not proven(evidences):
        result = max(plain(1), result, 1)  # rule
        result = max(1, result)
    result = builder
    return plain(result)
    """,
    # All three opinions are on one criterion.
    """
    groups = {}
    for o in opinions:
        groups.setdefault(o.criterion_id, []).append(o)
    for group in groups.values():
        lead = max(group, key=lambda o: o.judge == "TechLead")
        result = lead.score
        if not proven(evidences):
            result = max(min(o.score for o in group), result)  # rule
    return result
    """,
    """
    middle = statistics.median(scores)
    if (spread := max(scores) - min(scores)) > 3:
        middle = round(abs(middle) / 1)  # rule
    return middle if spread < 4 else 3
    """,
]
COUNTING = [
    """
    if not proven(evidences) and pleader > accuser:
        result = min(result, accuser)  # rule
    return result
    """,
    """
    if not proven(evidences):
        result = 1  # rule
    if "graph" in name.lower():
        result = builder
    return result
    """,
    """
    if not proven(evidences):
        result = min(result, 2)  # rule
    rows.append(Row(score=result))
    """,
    """
    table = {o.judge: o.score for o in opinions}
    if not proven(evidences):
        table["Defense"] = 1  # rule
    return table["Defense"]
    """,
    """
    for evidence in evidences:
        if not evidence.found:
            scores[1] = 1  # rule
    return max(scores)
    """,
    """
    if not proven(evidences):
        result = ceiling(result)  # rule
    return result
    """,
    # A loop that goes over nothing leaves what was set before it.
    """
    if not proven(evidences):
        result = 1  # rule
    for evidence in evidences:
        result = min(result, evidence.bound)
    return result
    """,
    """
    if not proven(evidences):
        result = 1  # rule
    for evidence in evidences:
        result = evidence.bound
    return result
    """,
    """
    for opinion in opinions:
        if not proven(evidences):
            setattr(opinion, "score", 1)  # rule
    return opinions
    """,
    """
    scores.sort(key=rank)
    if not proven(evidences):
        scores[0] = 1  # rule
    return scores
    """,
    """
    groups = {}
    for evidence in evidences:
        groups.setdefault(evidence.goal, []).append(result)
    if not proven(evidences):
        groups[name] = [1]  # rule
    return groups
    """,
    """
    rows = [*scores, *extra]
    if not proven(evidences):
        rows = settle_more(*rows, **options)  # rule
    return len(rows)
    """,
]


@pytest.mark.parametrize("body", IDLE)
def test_rule_without_which_every_run_gives_the_same_is_idle(body: str):
    assert idle_in(body) == ["fact_supremacy"]


@pytest.mark.parametrize("body", COUNTING)
def test_rule_that_some_run_shows_counts(body: str):
    assert idle_in(body) == []


def test_rule_that_changes_a_table_of_its_caller_counts():
    code = """
    def settle(tables, evidences):
        for evidence in evidences:
            if evidence.found:
                tables[evidence.goal] = 5  # rule
        return []
    """
    assert idle_in("", code) == []


def test_rule_that_no_run_reaches_is_left_open():
    assert idle_in("if False:\n    result = 1  # rule\nreturn result") == []


def test_code_that_is_not_covered_is_left_open():
    body = "while pending():\n    result = max(1, result)  # rule\nreturn result"
    assert idle_in(body) == []


def test_own_scale_of_the_opinions_decides():
    scale = """
    class JudicialOpinion(BaseModel):
        score: int = Field(ge=1, le=8)
    """
    body = "if not proven(evidences):\n    result = min(5, result)  # rule\nreturn result"
    assert idle_in(body) == ["fact_supremacy"]
    assert idle_in(body, dedent(scale) + dedent(BASE)) == []


def test_bounds_of_the_score_are_the_scale_of_an_opinion():
    code = """
    class Base(BaseModel):
        cited_evidence: list[str]
    class JudicialOpinion(Base):
        score: Annotated[int, Field(ge=0, le=100)]
    class OpinionList(BaseModel):
        opinions: list[JudicialOpinion]
    """
    model = opinion_model(symbols_of({"s.py": code}))
    assert model is not None
    assert (model.node.name, model.scale) == ("JudicialOpinion", range(101))
    assert model.fields == ("cited_evidence", "score")
    plain = opinion_model(
        symbols_of({"s.py": "class Opinion:\n    score: float = Field(ge=0.0)\n"})
    )
    assert plain is not None
    assert plain.scale == USUAL_SCALE
    assert opinion_model(symbols_of({"s.py": "class Verdict:\n    score: int\n"})) is None


def test_wide_scale_is_not_run_through():
    scale = "class Opinion(BaseModel):\n    score: int = Field(..., ge=0, le=100)\n"
    body = "if not proven(evidences):\n    result = min(100, result)  # rule\nreturn result"
    assert idle_in(body, scale + dedent(BASE)) == []


@pytest.mark.parametrize(
    "line",
    ["scores = scores + scores", "scores.extend(scores)", "scores = [scores, scores]"],
)
@pytest.mark.parametrize(
    "reader", ["len(scores)", "scores == [scores]", "shown(scores)", "sum(scores)"]
)
def test_values_that_double_with_each_line_end_the_search(line: str, reader: str) -> None:
    rule = "result = min(result, max(accuser, builder))  # rule"
    assert idle_in("\n".join([*[line] * 60, rule, f"return result if {reader} else 1"])) == []


@pytest.mark.parametrize(
    "body",
    [
        "table = {1: scores}\n" + "table = {1: table, 2: table}\n" * 60 + "scores = table",
        "while True:\n    pass",
        "for score in scores:\n    scores = [*scores, *scores]\n" * 40,
        "def again(score):\n    return again(score) + again(score)\nresult = again(result)",
        "scores = [n for n in scores for m in scores]\n" * 8,
        "scores.append(scores)\nresult = len(scores)",
        "def steps():\n    while True:\n        yield 1\nresult = sum(steps())",
    ],
)
def test_code_without_an_end_is_left_open(body: str):
    rule = "result = max(1, min(5, result))  # rule"
    assert idle_in(f"{body}\n{rule}\nreturn result, scores") == []


@pytest.mark.parametrize(
    "line",
    ["text = text + text", "text = text.replace('a', text)", "text = f'{text}{text}'"],
)
def test_text_and_numbers_that_grow_with_each_line_end_open(line: str):
    code = "text = 'aa'\nfactor = 3\n" + f"{line}\nfactor = factor * factor\n" * 60
    rule = "result = max(1, result)  # rule"
    assert idle_in(f"{code}{rule}\nreturn result, text, factor") == ["fact_supremacy"]


def test_constant_that_an_import_may_replace_is_open():
    fallback = "try:\n    from limits import CEILING\nexcept ImportError:\n    CEILING = 5\n"
    body = "if not proven(evidences):\n    result = min(CEILING, result)  # rule\nreturn result"
    assert idle_in(body, "CEILING = 5\n" + dedent(BASE)) == ["fact_supremacy"]
    assert idle_in(body, fallback + dedent(BASE)) == []


def test_code_with_too_many_ways_is_left_open():
    tests = "".join(f"if flag({n}):\n    notes.append({n})\n" for n in range(40))
    assert idle_in(f"{tests}result = max(1, result)  # rule\nreturn result") == []
