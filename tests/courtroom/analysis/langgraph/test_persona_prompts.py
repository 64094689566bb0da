"""Persona prompts, wherever they are written, and how much they share."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.persona_prompts import (
    PersonaReading,
    is_prompt_file,
    read_personas,
)
from courtroom.analysis.langgraph.judging.text_overlap import shared_text
from tests.courtroom.sources import layers_of, names_of

HARSH = "Trust nobody. Look for gaps, shortcuts and flaws in every artefact, charge what is missing and argue for the lowest score that the evidence can carry."
KIND = "Reward effort and intent. Find what is good in unfinished work, explain the idea behind it and speak for the highest score that can be defended honestly."
DRY = "Ask only whether it runs and can be maintained. Ignore stories and feelings, weigh modularity, debt and cost, and settle what the other two leave open."
FRAME = " ".join(
    f"Common rule number {number} applies to every judge of this court without exception."
    for number in range(20)
)


def read(code: str, files: dict[str, str] | None = None) -> PersonaReading:
    names = names_of({"src/judges.py": code})
    _, layers = layers_of(names)
    return read_personas(names, layers, files or {})


def places(reading: PersonaReading) -> list[tuple[str, int]]:
    return [(one.persona, one.line) for one in reading.prompts]


WRITTEN = {
    "constants": f"PROSECUTOR_PROMPT = {HARSH!r}\nDEFENSE_SYSTEM = {KIND!r}\nTECH_LEAD = {DRY!r}\n",
    "a dict": f"PROMPTS = {{\n'Prosecutor': {HARSH!r},\n'Defense': {KIND!r},\n'TechLead': {DRY!r}}}\n",
    "dicts of parts": f"P = {{\n'prosecutor': {{'role': {HARSH!r}, 'n': 1}},\n'defense': {{'role': {KIND!r}}},\n'tech_lead': {{'role': {DRY!r}}}}}\n",
    "classes": f"class Prosecutor:\n    system = {HARSH!r}\nclass DefenseAttorney:\n    system = {KIND!r}\nclass TechLead:\n    system = {DRY!r}\n",
    "functions": f"def prosecutor_node(s):\n    p = {HARSH!r} + s.x\ndef defense_node(s):\n    p = f'{{s}} ' {KIND!r}\ndef tech_lead_node(s):\n    ask(System(content={DRY!r}))\n",
    "a dict inside a function": f"def judge(state, who):\n    told = {{\n'Prosecutor': {HARSH!r},\n'Defense': {KIND!r},\n'TechLead': {DRY!r}}}\n    return ask(told[who])\n",
    "methods": f"class ProsecutorJudge:\n    def prompt(self):\n        return {HARSH!r}\nclass DefenseJudge:\n    def prompt(self):\n        return {KIND!r}\nclass TechLeadJudge:\n    def prompt(self):\n        return {DRY!r}\n",
}
LINES = {
    "constants": [1, 2, 3],
    "a dict": [2, 3, 4],
    "dicts of parts": [2, 3, 4],
    "classes": [2, 4, 6],
    "functions": [2, 4, 6],
    "a dict inside a function": [3, 4, 5],
    "methods": [3, 6, 9],
}


@pytest.mark.parametrize("form", WRITTEN)
def test_three_different_personas_are_found_in(form):
    reading = read(WRITTEN[form])
    assert places(reading) == list(
        zip(["Prosecutor", "Defense", "TechLead"], LINES[form], strict=True)
    )
    assert reading.are_distinct is True


def test_prompt_files_are_personas_too():
    files = {
        "prompts/prosecutor.md": HARSH,
        "prompts/defense.md": KIND,
        "prompts/tech_lead.txt": DRY,
    }
    reading = read("PROSECUTOR = 'prosecutor'\n", files)
    assert [(one.persona, one.path) for one in reading.prompts] == [
        ("Prosecutor", "prompts/prosecutor.md"),
        ("Defense", "prompts/defense.md"),
        ("TechLead", "prompts/tech_lead.txt"),
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("prompts/defense.md", True),
        ("src/judges/personas/tech_lead.yaml", True),
        ("docs/defense.md", False),
        ("prompts/a.png", False),
    ],
)
def test_prompt_files_are_known_by_their_folder(path, expected):
    assert is_prompt_file(path) is expected


def test_one_template_with_a_word_of_difference_is_collusion():
    code = "\n".join(
        f"def {name}(state):\n    prompt = build('{stance}', state)\n"
        for name, stance in [
            ("prosecutor", "a harsh critic"),
            ("defense", "a kind advocate"),
            ("tech_lead", "a dry engineer"),
        ]
    )
    reading = read(
        f"def build(stance, state):\n    return f'You are {{stance}}. {FRAME} {{state}}'\n{code}"
    )
    assert len(reading.prompts) == 3
    assert reading.are_distinct is False
    assert min(reading.shared.values()) > 0.9


def test_one_sentence_personas_are_compared_inside_their_template():
    code = f"""
PERSONAS = {{
    "Prosecutor": "You look for flaws and trust nobody at all in this court.",
    "Defense": "You reward effort and speak for the one who is accused.",
    "TechLead": "You ask whether it works and can be maintained by others.",
}}
def judge(state, persona):
    prompt = f"{{PERSONAS[persona]}} {FRAME} {{state}}"
    return llm.invoke(prompt)
"""
    assert read(code).are_distinct is False


def test_a_prompts_own_words_are_those_that_no_other_prompt_has():
    frame = "You are one of three judges on a digital bench. "
    told = (f"{frame}Charge every gap.", f"{frame}Credit all effort you can find.", frame)
    code = "\n".join(
        f"{name} = {text!r}"
        for name, text in zip(("PROSECUTOR", "DEFENSE", "LEAD"), told, strict=True)
    )
    assert read(code).own_words == {"Prosecutor": 3, "Defense": 6, "TechLead": 0}


def test_two_words_in_common_are_language_and_three_are_text():
    assert shared_text("a b x y", "a b p q") == 0
    assert shared_text("a b c x", "a b c y") == 0.75


def test_a_prompt_made_to_be_slow_is_compared_in_no_time():
    assert shared_text("a " * 20_000, "a " * 20_000) == 1


def test_without_personas_there_is_nothing_distinct():
    reading = read("print('hello')")
    assert (reading.prompts, reading.are_distinct) == ([], False)


def test_what_a_judge_without_a_model_says_is_no_prompt():
    code = "\n".join(
        f"def {name}(e):\n    argument = {text!r} if e else ''\n    return Opinion(argument={text!r}, score=1)\n"
        for name, text in [("prosecutor", HARSH), ("defense", KIND), ("tech_lead", DRY)]
    )
    assert read(code).prompts == []


def test_a_name_alone_is_no_prompt():
    assert (
        read("PROSECUTOR = 'Prosecutor'\nDELAYS = {'Defense': 90, 'TechLead': 'later'}\n").prompts
        == []
    )
