"""Texts of judges that no code uses, and the text that all judges get."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.persona_prompts import read_personas
from tests.courtroom.analysis.langgraph.personas import (
    DRY,
    FRAME,
    HARSH,
    KIND,
    prompt_lines,
    read,
)
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

CONSTANTS = f"PROSECUTOR_PROMPT = {HARSH!r}\nDEFENSE_SYSTEM = {KIND!r}\nTECH_LEAD = {DRY!r}\n"
CLASSES = "".join(
    f"class {name}:\n    system = {text!r}\n"
    for name, text in (("Prosecutor", HARSH), ("DefenseAttorney", KIND), ("TechLead", DRY))
)


@pytest.mark.parametrize("code", [CONSTANTS, CLASSES])
def test_text_that_no_code_uses_is_no_prompt(code: str):
    assert read(code).prompts == []


def test_text_that_another_file_may_look_up_is_a_prompt():
    symbols = symbols_of(
        {
            "src/texts.py": CONSTANTS,
            "src/bench.py": "from src import texts\nPROMPT = getattr(texts, NAMES[0])\n",
        }
    )
    _, layers = layers_of(symbols)

    assert len(read_personas(symbols, layers, {}).prompts) == 3


def test_text_for_all_judges_is_the_prompt_of_each_whose_own_text_nothing_uses():
    code = CLASSES + (
        f"def judge(name, state):\n    return model.invoke(f'{FRAME} You are {{name}}: {{state}}')\n"
        "def prosecutor(state):\n    return judge('Prosecutor', state)\n"
        "def defense(state):\n    return judge('Defense', state)\n"
    )
    reading = read(code)

    assert prompt_lines(reading) == [("Prosecutor", 8), ("Defense", 8), ("TechLead", 8)]
    assert set(reading.own_words.values()) == {1}
    assert not reading.are_distinct


@pytest.mark.parametrize(("sent", "line"), [("ask(base) or ask(longer)", 2), ("ask(longer)", 3)])
def test_text_that_all_judges_get_is_the_prompt_that_another_attempt_adds_to(sent: str, line: int):
    code = (
        "def judge(state, stance):\n"
        f"    base = f'{FRAME} {{stance}}'\n"
        "    longer = base + f'Answer {state} in fewer words this time.'\n"
        f"    return {sent}\n"
        "def prosecutor(state):\n"
        "    return judge(state, 'You look for flaws, gaps and every kind of risk.')\n"
        "def defense(state):\n"
        "    return judge(state, 'You praise merits, effort and all that is good.')\n"
    )
    frame = read(code).frame

    assert frame
    assert frame.line == line


def test_texts_in_functions_that_no_judge_runs_are_no_prompts():
    code = (
        f"PROSECUTOR_PROMPT = {HARSH!r}\nDEFENSE_PROMPT = {KIND!r}\nTECH_LEAD_PROMPT = {DRY!r}\n"
        "def repo_investigator(state):\n"
        "    patterns = {\n"
        "        'PROSECUTOR': r'(PROSECUTOR|ADVERSARIAL)_PROMPT is set to a text of one line or more',\n"
        "        'DEFENSE': r'(DEFENSE|FORGIVING)_PROMPT is set to a text of one line or more',\n"
        "    }\n"
        "    return search(patterns)\n"
        "def prosecutor(state):\n    return ask(PROSECUTOR_PROMPT)\n"
        "def defense(state):\n    return ask(DEFENSE_PROMPT)\n"
        "def tech_lead(state):\n    return ask(TECH_LEAD_PROMPT)\n"
        "def ask(text):\n    return llm.invoke(text)\n"
        f"{IMPORTS}g = StateGraph(dict)\n"
    )
    names = ("repo_investigator", "prosecutor", "defense", "tech_lead")
    code += "".join(f"g.add_node('{name}', {name})\n" for name in names)
    code += "".join(f"g.add_edge(START, '{name}')\n" for name in names) + "app = g.compile()\n"

    assert [text.text for text in read(code).texts] == [HARSH, KIND, DRY]
