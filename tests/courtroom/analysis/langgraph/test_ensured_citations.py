"""Citations that the judges' code replaces by valid ones, so that no rule meets an invalid one."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from courtroom.analysis.langgraph.judging.rule_detection import RuleReading, read_rules
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import layers_of, symbols_of

JUSTICE = """
def chief_justice(state):
    known = {e.location for rows in state["evidences"].values() for e in rows}
    return [weigh(opinion, known) for opinion in state["opinions"]]


def weigh(opinion, known_evidence):
    score = opinion.score
    supported = [c for c in opinion.cited_evidence if c in known_evidence]
    if not supported:
        score = min(score, 2)
    return score
"""
BY_FUNCTION = """
def settle(cited, allowed):
    if not allowed:
        return ["nothing was handed in"]
    valid = [c for c in cited if c in allowed]
    if valid:
        return valid
    close = []
    for ref in allowed:
        if any(c in ref for c in cited):
            close.append(ref)
    if close:
        return close
    return [allowed[0]]
"""
FILLED = """
def settle(cited, allowed):
    valid = [c for c in cited if c in allowed]
    if not valid:
        valid = allowed[:2]
    return valid[:4]
"""
# A citation that is dropped, and one that stays where all are wrong.
DROPPED = """
def settle(cited, allowed):
    return [c for c in cited if c in allowed]
"""
KEPT = """
def settle(cited, allowed):
    valid = [c for c in cited if c in allowed]
    return valid if valid else cited[:3]
"""
NO_ALL = """
def settle(cited, allowed):
    if len(cited) > 9:
        return cited
    return [c for c in cited if c in allowed] or allowed[:1]
"""
UPDATED = """
opinion = opinion.model_copy(update={"cited_evidence": settle(opinion.cited_evidence, refs)})
"""
IN_LINE = """
opinion.cited_evidence = [c for c in opinion.cited_evidence if c in refs] or refs[:1]
"""
IN_LINE_KEPT = """
cited = opinion.cited_evidence
opinion.cited_evidence = [c for c in cited if c in refs] or cited[:1]
"""
AT_TIMES = """
if opinion.score > 3:
    opinion.cited_evidence = settle(opinion.cited_evidence, refs)
"""
RAW = """
opinion.cited_evidence = settle(opinion.cited_evidence, refs)
opinions.append(Opinion(judge=name, criterion_id=criterion, score=1, cited_evidence=[]))
"""
OF_NO_CRITERION = """
opinion.cited_evidence = settle(opinion.cited_evidence, refs)
failures.append(Opinion(judge=name, criterion_id="failure", score=1, cited_evidence=[]))
"""
ONE_MORE = """
opinion.cited_evidence = settle(opinion.cited_evidence, refs)
opinions.append(spare)
"""


def reading_of(settle: str, body: str, justice: str = JUSTICE) -> RuleReading:
    judge = (
        "def prosecutor(state, name, criterion, model):\n"
        '    refs = [e.location for e in state["evidences"]["repo"]]\n'
        "    opinions = []\n"
        "    opinion = model.invoke(criterion)\n"
        f"{indent(dedent(body).strip(), '    ')}\n"
        "    opinions.append(opinion)\n"
        '    return {"opinions": opinions}\n'
    )
    symbols = symbols_of({"src/judges.py": f"{settle}\n\n{judge}", "src/justice.py": justice})
    call_graph, layers = layers_of(symbols)
    return read_rules(call_graph, layers, read_graph(symbols, {}))["fact_supremacy"]


@pytest.mark.parametrize(
    ("settle", "body"),
    [
        (BY_FUNCTION, UPDATED),
        (FILLED, UPDATED),
        (BY_FUNCTION, OF_NO_CRITERION),
        ("", IN_LINE),
    ],
)
def test_rule_that_waits_for_an_uncited_opinion_never_meets_one(settle, body):
    reading = reading_of(settle, body)
    assert reading.lines == []
    assert [line for _, line in reading.uncited] == [11]
    assert reading.ensured is not None
    function, line = reading.ensured
    text = function.source.text.split("\n")[line - 1]
    assert any(part in text for part in ("[allowed[0]]", "allowed[:2]", "refs[:1]"))


@pytest.mark.parametrize(
    ("settle", "body"),
    [
        (DROPPED, UPDATED),
        (KEPT, UPDATED),
        (NO_ALL, UPDATED),
        ("", IN_LINE_KEPT),
        (BY_FUNCTION, AT_TIMES),
        (BY_FUNCTION, RAW),
        (BY_FUNCTION, ONE_MORE),
        (BY_FUNCTION, "pass"),
    ],
)
def test_rule_holds_where_an_opinion_may_stay_without_a_citation(settle, body):
    reading = reading_of(settle, body)
    assert [line for _, line in reading.lines] == [11]
    assert reading.ensured is None


@pytest.mark.parametrize(
    "also", ["not supported and not evidence.found", "not supported or evidence.confidence < 0.5"]
)
def test_rule_that_reads_the_evidence_itself_holds(also):
    justice = JUSTICE.replace("if not supported:", f"if {also}:").replace(
        "known_evidence):", "known_evidence, evidence):"
    )
    assert reading_of(BY_FUNCTION, UPDATED, justice).lines
