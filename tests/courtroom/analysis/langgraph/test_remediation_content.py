"""Content of the remediation: arguments and evidence, or fixed words."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.langgraph.judging.remediation_content import (
    RemediationContent,
    advice_heading,
    fixed_remediations,
    is_asked_of_model,
    read_remediation,
)
from tests.courtroom.analysis.test_shown_places import surveyed
from tests.courtroom.sources import layers_of, symbols_of

STEPS = "STEPS = {'graph': 'Add edges.'}\n"


def remediation_of(code: str) -> RemediationContent | None:
    _, layers = layers_of(symbols_of({"src/justice.py": code}))
    return read_remediation(layers.justice)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("plan = f'Improve {name}.'",), "fixed"),
        (("plan = STEPS.get(criterion, 'Review it.')",), "fixed"),
        (("plan = STEPS.get(criterion, p.argument)",), "findings"),
        (("plan = opinion.remediation",), "findings"),
        (("parts = ['Do it.']", "parts.insert(0, p['argument'])", "plan = parts"), "findings"),
        (("plan = ', '.join(e.location for e in found)", "plan = plan or 'None.'"), None),
        (("plan = [f'Mend {evidence.location}' for evidence in found]",), "findings"),
        (("plan = ', '.join({e.location for e in state['evidences'][:3]})",), "findings"),
        (("plan = worded(p)",), None),
        (("plan = model.invoke(f'Judge: {p.argument}').content",), "findings"),
        (
            ("answer = model.invoke([HumanMessage(content=p.argument)])", "plan = answer.content"),
            "findings",
        ),
        (("answer = model.invoke(f'Mend {name}.')", "plan = answer.content"), None),
        (("plan = page.content",), None),
        (("plan = criterion.get('failure_pattern', 'Review it.')",), "rubric"),
        (("plan = criterion.success_pattern + p.argument",), "findings"),
        (("if 'security' in p.argument:", "    plan = 'Mend the shell.'"), "fixed"),
    ],
)
def test_remediation_is_followed_to_the_values_of_its_text(lines, expected):
    body = "\n".join(f"    {line}" for line in lines)
    code = (
        f"{STEPS}def chief_justice(state, p, opinion, found, name, criterion):\n{body}\n"
        "    return {'final_report': Result(remediation=plan)}\n"
    )
    reading = remediation_of(code)
    assert reading is not None
    assert reading.content == expected


def test_remediation_where_there_is_nothing_to_judge_is_shown_last():
    code = """\
    def chief_justice(state):
        opinions, rules = state['opinions'], state['rules']
        if not opinions or not rules:
            return {'report': Report(remediation_plan='Run it again.')}
        remediation = 'Review it.'
        return {'report': Report(remediation_plan=remediation)}
    """
    reading = remediation_of(code)
    assert reading is not None
    assert [line for _, line in reading.places] == [5, 6, 4]


def test_step_with_the_criterion_alone_is_no_place_of_an_argument():
    code = """\
    def chief_justice(state, p):
        rows = []
        for criterion in state['criteria']:
            rows.append((criterion, p.argument))
        plan = [remediation_step(criterion, argument) for criterion, argument in rows]
        return {'report': Report(remediation_plan=plan)}

    def remediation_step(criterion, argument):
        if 'graph' in criterion:
            return f'Mend the graph of {criterion}.'
        return f'Mend {criterion}: {argument}'
    """
    reading = remediation_of(code)
    assert reading is not None
    assert (reading.content, sorted(line for _, line in reading.places)) == ("findings", [11])


def test_remediation_that_is_only_for_a_model_is_left_open():
    code = (
        "def chief_justice(state, model):\n    remediation = 'Improve it.'\n"
        "    return {'final_report': model.invoke(remediation)}\n"
    )
    reading = remediation_of(code)
    assert reading is not None
    assert reading.content is None


def test_text_below_a_heading_of_the_remediation_is_left_open():
    code = (
        "def chief_justice(state):\n    summary, plan = write(state)\n"
        "    return {'final_report': f'{summary}\\n\\n## Remediation Plan\\n{plan}'}\n"
    )
    reading = remediation_of(code)
    assert reading is not None
    assert reading.content is None


def test_remediation_under_a_name_is_shown_where_no_model_is_asked():
    code = (
        "def chief_justice(state, criterion):\n    remediation_plan = []\n"
        "    remediation_plan.append((criterion['name'], criterion['failure_pattern']))\n"
        "    return {'final_report': '\\n'.join(line for _, line in remediation_plan)}\n"
    )
    reading = remediation_of(code)
    assert reading is not None
    assert (reading.content, [line for _, line in reading.places]) == ("rubric", [3])


def test_code_without_remediation_has_no_content_of_it():
    code = "def chief_justice(state):\n    return 3\n"
    assert remediation_of(code) is None


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ('text += "## 🚀 3. Strategic Recommendations\\n"', "Strategic Recommendations"),
        ("text = f'# Next Steps for {name}'", "Next Steps for"),
        ("text += '\\n### Action items: none'", "Action items"),
        ("text += 'Our recommendations'  # Recommendations", None),
        ("text += '## Judges'", None),
    ],
)
def test_section_on_what_to_mend_under_another_name_is_told(line: str, heading: str | None) -> None:
    symbols = symbols_of({"main.py": f"def write(text, name):\n    {line}\n    return text\n"})
    advice = advice_heading(symbols.codebase.production)
    assert (advice and (advice[0], advice[1].path, advice[2])) == (
        heading and (heading, "main.py", 2)
    )


def test_section_that_was_not_followed_is_the_reason_for_an_unknown_remediation(
    tmp_path: Path,
) -> None:
    code = "def write(state):\n    return '## Recommendations\\n' + state['advice']\n"
    work = surveyed({"main.py": code}, tmp_path)
    reason = "what stands under “Recommendations” (main.py:2) could not be followed"
    assert work.reasons["remediation_content"] == reason


@pytest.mark.parametrize(
    ("prompt", "asked", "expected"),
    [
        ("Write a Remediation Plan.", "PROMPT", True),
        ("Write a Remediation Plan.", "'Sum up.'", False),
        ("Write a summary.", "PROMPT", False),
    ],
)
def test_remediation_that_a_model_is_asked_for_is_up_to_that_model(
    prompt: str, asked: str, expected: bool
) -> None:
    code = (
        f"PROMPT = '{prompt}'\n\ndef chief_justice(state):\n"
        f"    answer = model.invoke({asked})\n"
        "    return {'final_report': Report(steps=answer.content)}\n"
    )
    symbols = symbols_of({"src/justice.py": code})
    _, layers = layers_of(symbols)
    assert read_remediation(layers.justice) is None
    assert is_asked_of_model(layers.justice) is expected


OWN = """
def chief_justice(state):
    opinions = state["opinions"]
    remediation = {call}
    return {{"final_report": Report(remediation=remediation, {plan})}}

def remediation_for(criterion_id, opinion):
    if criterion_id == "git":
        return "Commit in small steps."
    if "graph" in criterion_id:
        return f"Mend {{criterion_id}}."
    if opinion.score > 4:
        return "Nothing to do."
    return opinion.argument
"""


@pytest.mark.parametrize(
    ("call", "plan", "expected"),
    [
        ("remediation_for(c, opinions[0])", "summary=''", [9, 11]),
        ("opinions[0].argument", "remediation_plan='Read the above.'", [5]),
        ("opinions[0].argument", "remediation_plan=opinions[1].argument", []),
    ],
    ids=["by criterion", "plan", "none"],
)
def test_part_of_a_remediation_may_be_fixed_words(call, plan, expected):
    _, layers = layers_of(symbols_of({"src/justice.py": OWN.format(call=call, plan=plan)}))
    assert sorted(line for _, line in fixed_remediations(layers.justice)) == expected


DEFAULT = """
def chief_justice(state):
    for dim_id, opinions in state["opinions"].items():
        harshest = opinions[0]
        remediation = {default}
        if {test}:
            remediation = harshest.argument
        rows.append(Result(remediation=remediation))
    return {{"final_report": Report(rows=rows)}}
"""


@pytest.mark.parametrize(
    ("default", "test", "expected"),
    [
        ('f"Fix findings in {dim_id}."', "harshest and harshest.score < 3", [5]),
        ('f"Fix findings in {dim_id}."', "harshest", []),
        ("opinions[1].argument", "harshest.score < 3", []),
        ('""', "harshest.score < 3", []),
    ],
    ids=["by score", "any", "another argument", "empty"],
)
def test_remediation_may_be_fixed_words_unless_a_score_gives_more(default, test, expected):
    code = DEFAULT.format(default=default, test=test)
    _, layers = layers_of(symbols_of({"src/justice.py": code}))
    assert [line for _, line in fixed_remediations(layers.justice)] == expected
