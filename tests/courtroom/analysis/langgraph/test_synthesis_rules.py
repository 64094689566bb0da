"""Synthesis rules: a score changes under a condition, in code the Chief Justice reaches."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.judging.verdict_source import (
    markdown_reports,
    model_made_scores,
    reads_opinions,
)
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of


def rules_in(code: str) -> set[str]:
    symbols = symbols_of({"src/justice.py": code})
    call_graph, layers = layers_of(symbols)
    rules = read_rules(call_graph, layers, read_graph(symbols, {}))
    return {rule for rule, reading in rules.items() if reading.lines}


def justice(body: str, before: str = "") -> str:
    indented = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))

    return (
        f"{before}\n"
        "def chief_justice(state, p, d, t, evidences):\n"
        "    score = (p.score + d.score + t.score) / 3\n"
        f"{indented}\n"
        "    return score\n"
    )


RULES = {
    "security_override": [
        "if 'security' in p.argument and score > 3:\n    score = 3",
        "if has_vulnerability(p):\n    score = min(score, 3)",
        "score = min(score, 3) if p.found_injection else score",
        "if p.score <= 2:\n    score = 2\n    notes.append('Security override')",
        "if criterion_id == 'safe_tool_engineering' and p.score == 1:\n    score = min(score, 3.0)",
        (
            "insecure = any(w in p.argument for w in ('os.system', 'unsafe'))\n"
            "if insecure:\n"
            "    return min(score, 3)"
        ),
    ],
    "fact_supremacy": [
        "if not any(e.found for e in evidences):\n    score = min(score, p.score)",
        "for ev in evidences:\n    if ev.found and ev.confidence > 0.8:\n        final_score = 5",
        "if not d.cited_evidence:\n    score = max(p.score, t.score)",
    ],
    "functionality_weight": [
        (
            "if state['criterion'] == 'graph_orchestration' and t.judge == 'TechLead':\n"
            "    score = t.score"
        ),
        "tech_lead = t\nscore = tech_lead.score * 0.5 + p.score * 0.25 + d.score * 0.25",
        "weights = {'Prosecutor': 1, 'Defense': 1, 'TechLead': 2}",
        "weights = [('Prosecutor', 0.25), ('Defense', 0.25), ('TechLead', 0.5)]",
        (
            "for o in state['opinions']:\n"
            "    w = HEAVY if o.judge == 'TechLead' else (1.2 if o.judge == 'Prosecutor' else 0.9)\n"
            "HEAVY = 1.5"
        ),
        (
            "tech = pick('TechLead')\n"
            "tech_score = tech.score if tech else 0\n"
            "if state['id'] == 'graph_orchestration':\n"
            "    score = tech_score\n"
            "    note('Tech Lead decides')"
        ),
        (
            "tech_lead = t\n"
            "weighted = round(score * 0.5 + tech_lead.score * 0.5)\n"
            "if tech_lead and weighted != score:\n"
            "    return weighted, 'note'"
        ),
        "tech_lead = t\nif tech_lead.score >= 4:\n    score = (score + tech_lead.score) / 2",
        "tech_lead = pick('TechLead')\nif p.score != d.score:\n    score = tech_lead.score",
    ],
    "dissent": [
        "dissent = explain(p, d)\nreturn Result(score=score, dissent_summary=dissent)",
        "return {'score': score, 'dissent': explain(p, d)}",
        "dissent_text = explain(p, d)\nlines.append(f'Dissent: {dissent_text}')",
        "state.report.dissent_summary = explain(p, d)",
    ],
}
NO_RULES = [
    "# security_override: cap at 3 when os.system is found\nscore = round(score)",
    "'''Rule of security: cap the score at 3.'''",
    "if 'security' in p.argument:\n    notes.append('security!')",
    "if not evidences:\n    notes.append('fact supremacy flagged')",
    "dissent_summary = explain(p, d)",
    "if max(p.score, d.score) - min(p.score, d.score) > 2:\n    score = min(p.score, d.score)",
    "log('functionality_weight: the Tech Lead decides')",
    "tech_lead = t\nif tech_lead:\n    score = (p.score + prosecutor.score + tech_lead.score) / 3",
    "order = [('Prosecutor', 1), ('TechLead', 1)]",
    (
        "for o in state['opinions']:\n"
        "    w = 1.0 if o.judge == 'TechLead' else (1.2 if o.judge == 'Prosecutor' else 1.0)"
    ),
]


@pytest.mark.parametrize(
    ("rule", "body"), [(rule, body) for rule, bodies in RULES.items() for body in bodies]
)
def test_a_rule_is_detected_in_every_form(rule, body):
    assert rule in rules_in(justice(body))


@pytest.mark.parametrize("body", NO_RULES)
def test_words_comments_and_dropped_values_are_no_rules(body):
    assert rules_in(justice(body)) == set()


def test_a_rule_in_an_uncalled_function_is_no_rule():
    rule = (
        "def security_override(score, insecure):\n"
        "    if insecure:\n"
        "        return min(score, 3)\n"
        "    return score\n"
    )

    assert rules_in(justice("pass", rule)) == set()
    assert rules_in(justice("score = security_override(score, p)", rule)) == {"security_override"}


def test_re_reading_the_evidence_is_a_re_evaluation():
    again = (
        "def re_evaluate(opinions, evidences):\n"
        "    return [o for o in opinions if o.cited_evidence in evidences]\n"
    )
    body = (
        "variance = max(p.score, d.score) - min(p.score, d.score)\n"
        "if variance > 2:\n"
        "    re_evaluate([p, d], evidences)"
    )

    assert rules_in(justice(body, again)) == {"variance_re_evaluation"}


def test_words_that_end_in_re_are_no_re_evaluation():
    helper = (
        "def score_check(opinions, evidences):\n"
        "    return [o for o in opinions if o.cited_evidence in evidences]\n"
    )
    body = (
        "variance = max(p.score, d.score) - min(p.score, d.score)\n"
        "if variance > 2:\n"
        "    score_check([p, d], evidences)"
    )

    assert rules_in(justice(body, helper)) == set()


def test_a_route_to_a_mediation_node_is_a_re_evaluation():
    code = f"""{IMPORTS}
def mediation(state):
    return model.invoke(state["opinions"])
def chief_justice(state):
    return round(state["x"])
def spread(state):
    return "mediate" if state["variance"] > 2 else "done"
g = StateGraph(dict)
g.add_node("chief_justice", chief_justice)
g.add_node("mediation", mediation)
g.add_conditional_edges("chief_justice", spread, {{"mediate": "mediation", "done": END}})
"""

    assert rules_in(code) == {"variance_re_evaluation"}


def asks_model(code: str) -> bool:
    symbols = symbols_of({"src/justice.py": code})
    _, layers = layers_of(symbols)
    return bool(list(model_made_scores(symbols, layers.justice)))


@pytest.mark.parametrize(
    ("body", "by_model"),
    [
        ("score = round(score)", False),
        ("answer = llm.invoke('?')\nsummary = answer.content", False),
        ("answer = llm.invoke('?')\nscore = answer.score", True),
        (
            (
                "data = json.loads(llm.invoke('?').content)\n"
                "for row in data:\n"
                "    result = Result(final_score=row['score'])"
            ),
            True,
        ),
        ("report = llm.with_structured_output(Report).invoke('?')", True),
        ("judge = llm.with_structured_output(Prose)\ntext = judge.invoke('?')", False),
        ("chain = prompt | llm.with_structured_output(Report)\nreport = chain.invoke('?')", True),
        ("client.chat.completions.create(model='x')", False),
    ],
)
def test_a_model_decides_when_the_score_comes_from_its_answer(body, by_model):
    schemas = (
        "from pydantic import BaseModel\n"
        "class Report(BaseModel):\n"
        "    overall_score: int\n"
        "class Prose(BaseModel):\n"
        "    text: str\n"
    )

    assert asks_model(justice(body, schemas)) is by_model


def test_a_model_called_by_another_node_does_not_decide():
    assert (
        asks_model("def prosecutor(s):\n    score = llm.invoke('?').score\n" + justice("pass"))
        is False
    )


@pytest.mark.parametrize(
    ("code", "does"),
    [
        ("def chief_justice(opinions):\n    # the opinions' scores\n    return 5", False),
        ("def chief_justice(state):\n    final_score = 5\n    return {'final_score': 5}", False),
        ("def chief_justice(state):\n    return max(state['opinions'])", True),
        ("def chief_justice(state):\n    return sum(x.score for x in state.values())", True),
        ("def chief_justice(state):\n    return state.get('judge_opinions')", True),
        ("def chief_justice(p, prosecutor):\n    return prosecutor", True),
    ],
)
def test_a_verdict_from_opinions_reads_them(code, does):
    _, layers = layers_of(symbols_of({"src/justice.py": code}))
    assert (len(layers.justice), reads_opinions(layers.justice)) == (1, does)


@pytest.mark.parametrize(
    ("code", "is_written"),
    [
        (
            (
                "def render(report):\n"
                "    md = '# Audit Report'\n"
                "    md += '## Summary'\n"
                "    open('out.md', 'w').write(md)"
            ),
            True,
        ),
        (
            (
                "def render(report):\n"
                "    return f'# Report {report.x}\\n' + '## Verdict'\n"
                "def save(t):\n"
                "    Path('a.md').write_text(t)"
            ),
            True,
        ),
        ("def render(report):\n    return '# Report' + '## Verdict'", False),
        (
            (
                "def judge_prompt(report):\n"
                "    return '# Report' + '## Verdict'\n"
                "def save(t):\n"
                "    Path('a.md').write_text(t)"
            ),
            False,
        ),
        ("def to_markdown(report):\n    return '# Report' + '## Verdict'", True),
        ("# '# Report' '## Summary' out.md write", False),
    ],
)
def test_a_markdown_report_has_headings_and_is_written(code, is_written):
    assert bool(list(markdown_reports(symbols_of(code)))) is is_written
