"""Persona prompts that a function chooses by branches on who judges."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.personas import DRY, HARSH, KIND, prompt_lines, read

BRANCHES = {
    "elif and else": (
        (
            "def judge(who, state):\n"
            "    if who == 'Prosecutor':\n"
            f"        system = {HARSH!r}\n"
            "    elif who == 'Defense':\n"
            f"        system = {KIND!r}\n"
            "    else:\n"
            f"        system = {DRY!r}\n"
            "    return llm.invoke(system)\n"
        ),
        [3, 5, 7],
    ),
    "returns": (
        (
            "def judge(who):\n"
            "    if 'prosecutor' == who:\n"
            f"        return {HARSH!r}\n"
            "    if who == 'defense':\n"
            f"        return {KIND!r}\n"
            "    if who == 'tech_lead':\n"
            f"        return {DRY!r}\n"
        ),
        [3, 5, 7],
    ),
    "last return": (
        (
            "def judge(who):\n"
            "    if who == 'Prosecutor':\n"
            f"        return {HARSH!r}\n"
            "    if who == 'Defense':\n"
            f"        return {KIND!r}\n"
            f"    return {DRY!r}\n"
        ),
        [3, 5, 6],
    ),
    "match": (
        (
            "def judge(who):\n"
            "    match who:\n"
            "        case 'Prosecutor':\n"
            f"            text = {HARSH!r}\n"
            "        case 'Defense':\n"
            f"            text = {KIND!r}\n"
            "        case 'TechLead':\n"
            f"            text = {DRY!r}\n"
        ),
        [4, 6, 8],
    ),
}


@pytest.mark.parametrize("form", BRANCHES)
def test_personas_that_a_function_chooses_by_branches_are_read(form):
    code, lines = BRANCHES[form]
    reading = read(code)
    assert prompt_lines(reading) == list(
        zip(["Prosecutor", "Defense", "TechLead"], lines, strict=True)
    )
    assert reading.are_distinct


@pytest.mark.parametrize(
    ("second", "personas"),
    [(KIND, ["Prosecutor", "Defense", "TechLead"]), ("Be kind.", ["Prosecutor"])],
)
def test_short_text_beside_the_prompts_of_both_others_is_a_prompt(second, personas):
    code = BRANCHES["elif and else"][0].replace(repr(DRY), "'Weigh what can be maintained.'")
    reading = read(code.replace(repr(KIND), repr(second)))
    assert [prompt.persona for prompt in reading.prompts] == personas


@pytest.mark.parametrize("between", ["    who = who or 'Defense'\n", ""])
def test_last_return_belongs_to_nobody_while_two_personas_are_left(between):
    code = (
        "def judge(who):\n"
        "    if who == 'Prosecutor':\n"
        f"        return {HARSH!r}\n"
        f"{between}"
        f"    return {KIND!r}\n"
    )
    assert prompt_lines(read(code)) == [("Prosecutor", 3)]


def test_argument_that_a_judge_without_a_model_chooses_by_branches_is_no_prompt():
    code = (
        "def judge(who):\n"
        "    if who == 'Prosecutor':\n"
        f"        argument = {HARSH!r}\n"
        "    else:\n"
        f"        text = {KIND!r}\n"
        "    return JudicialOpinion(argument=argument)\n"
    )
    assert read(code).prompts == []
