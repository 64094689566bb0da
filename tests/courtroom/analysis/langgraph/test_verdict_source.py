"""Source of the verdict: a model or code, from opinions or not."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.verdict_source import (
    model_made_scores,
    reads_opinions,
)
from courtroom.analysis.verdict_facts import place_of_verdict
from tests.courtroom.sources import justice, layers_of, symbols_of


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
                "answer = llm.invoke('?')\nsummary_final = answer.summary\n"
                "final_report = Report(overall=score, summary=summary_final)"
            ),
            False,
        ),
        ("answer = llm.invoke('?')\nfinal_report = read(answer.content)", True),
        ("answer = llm.invoke('?')\nfinal_report = Report(score, **answer)", True),
        ("answer = llm.invoke('?')\nfinal_report = Report(score=answer.value)", True),
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


def test_the_place_of_the_verdict_sets_a_score_and_adds_up_none_that_is_set():
    code = (
        "def chief_justice(state):\n"
        "    verdicts = [synthesize(opinions) for opinions in state['opinions']]\n"
        "    return {'report': describe(verdicts)}\n"
        "def describe(verdicts):\n"
        "    total = sum(verdict.final_score for verdict in verdicts)\n"
        "    average_score = total / len(verdicts)\n"
        "    return f'{average_score} of 5'\n"
        "def synthesize(opinions):\n"
        "    scores = sorted(opinion.score for opinion in opinions)\n"
        "    final_score = max(1, scores[1])\n"
        "    return Verdict(final_score=final_score)\n"
    )
    _, layers = layers_of(symbols_of({"src/justice.py": code}))

    place = place_of_verdict(layers.justice)

    assert place is not None
    assert place.name == "synthesize"


@pytest.mark.parametrize("first", ["variance", "gap"])
def test_code_that_reads_the_opinions_scores_is_shown_before_their_sum_and_their_spread(first):
    code = f"""
def chief_justice(state):
    results = [Result(final_score=resolved(state["opinions"]), wide={first}(state["opinions"]))]
    overall_score = sum(result.final_score for result in results) / len(results)
    return {{"report": f"# Verdict {{overall_score}}"}}

def {first}(opinions):
    scores = [opinion.score for opinion in opinions]
    return max(scores) - min(scores)

def resolved(opinions):
    final_score = round(sum(opinion.score for opinion in opinions) / len(opinions))
    return final_score
"""
    _, layers = layers_of(symbols_of({"src/justice.py": code}))
    place = place_of_verdict(layers.justice)
    assert place is not None
    assert place.name == "resolved"


TEXT_OF_SCORES = """
def apart(opinions) -> str | None:
    final_score = max(opinion.score for opinion in opinions)
    return f"{final_score}" if final_score > 2 else None
"""
RULE_OF_FACTS = """
def facts(opinions):
    final_score = min(opinion.score for opinion in opinions)
    return final_score
"""


@pytest.mark.parametrize(("name", "code"), [("apart", TEXT_OF_SCORES), ("facts", RULE_OF_FACTS)])
def test_code_for_a_text_or_one_rule_is_not_the_place_of_the_verdict(name, code):
    code += (
        "def chief_justice(state):\n"
        f"    {name}(state['opinions'])\n"
        "    return {'verdict': settled(state['opinions'])}\n"
        "def settled(opinions):\n"
        "    final_score = LEVELS[opinions[0].verdict]\n"
        "    return Result(final_score=final_score)\n"
    )
    _, layers = layers_of(symbols_of({"src/justice.py": code}))

    place = place_of_verdict(layers.justice)

    assert place is not None
    assert place.name == "settled"
