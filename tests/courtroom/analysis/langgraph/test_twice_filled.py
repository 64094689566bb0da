"""Texts that are filled with evidence and then read as a template once more."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import flow_of, sentences

CODE = """
QUESTION = "Audit {{criterion}}: {{evidence}}"

def detective(state):
    return {{"evidences": {{}}}}

def judge(state):
    evidence_text = {evidence}
    prompt = ChatPromptTemplate.{template}
    return {{"opinions": [(prompt | model).invoke({{}})]}}
"""
PAIRS = "from_messages([('system', 'Judge.'), ('human', {text})])"
SENTENCE = (
    "judge fills `evidence_text` into a text that {call} fills once more: a brace in it is read as"
    " the name of a variable, and the request fails"
)


def faults_of(template: str, evidence: str = 'str(state["evidences"])') -> list[str]:
    return sentences(flow_of(CODE.format(template=template, evidence=evidence)), "twice_filled")


@pytest.mark.parametrize(
    "text", ["f'Audit {evidence_text}'", "QUESTION.format(criterion='x', evidence=evidence_text)"]
)
def test_evidence_in_a_text_that_is_filled_again_is_told(text: str):
    assert faults_of(PAIRS.format(text=text)) == [SENTENCE.format(call="from_messages")]
    assert faults_of(f"from_template({text})") == [SENTENCE.format(call="from_template")]


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("QUESTION", "read()"),
        ("f'Audit {criterion}'", "read()"),
        ("evidence_text", "read()"),
        ("f'Audit {evidence_text}'", "read().replace('{', '{{').replace('}', '}}')"),
        ("f'Audit {evidence_text}'", "escape_braces(read())"),
    ],
)
def test_text_without_open_braces_of_evidence_is_sound(text: str, evidence: str):
    assert faults_of(PAIRS.format(text=text), evidence) == []


def test_another_format_of_templates_and_whole_messages_are_sound():
    text = "f'Audit {evidence_text}'"
    assert faults_of(f"from_template({text}, template_format='jinja2')") == []
    assert faults_of(f"from_messages([HumanMessage(content={text})])") == []
