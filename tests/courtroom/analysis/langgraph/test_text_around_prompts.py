"""Text that all judges get around their personas' prompts."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.personas import DRY, FRAME, HARSH, KIND, read
from tests.courtroom.sources import built


def test_short_prompts_are_compared_with_the_text_around_them_and_the_note_says_so():
    code = (
        f'FRAME = """{FRAME}"""\n'
        "def judge(llm, stance):\n"
        "    return llm.invoke(FRAME + stance)\n"
        "def prosecutor(state):\n"
        '    return judge(state, "You look for flaws, gaps and every kind of risk.")\n'
        "def defense(state):\n"
        '    return judge(state, "You praise merits, effort and all that is good.")\n'
    )
    reading = read(code)
    assert reading.frame
    assert reading.too_close.endswith(
        " % of what Prosecutor and Defense are told is the same text."
    )
    # The text that they have in common comes before what is each one's own.
    assert [text.persona for text in reading.shared_places] == ["", "Prosecutor", "Defense"]


def test_text_that_all_judges_get_may_keep_its_name_in_another_attempt():
    code = (
        "def judge(state, stance):\n"
        f"    text = f'{FRAME} {{stance}}'\n"
        "    for _ in range(3):\n"
        "        try:\n"
        "            return ask(text)\n"
        "        except ValueError:\n"
        "            text = text + f'Answer {state} in fewer words this time.'\n"
        "def prosecutor(state):\n"
        "    return judge(state, 'You look for flaws, gaps and every kind of risk.')\n"
        "def defense(state):\n"
        "    return judge(state, 'You praise merits, effort and all that is good.')\n"
    )
    frame = read(code).frame

    assert frame is not None
    assert frame.line == 2


def test_error_message_is_no_text_that_all_judges_get():
    code = "\n".join(
        f"def {name}(state):\n"
        f"    if not state: raise RuntimeError(f'{FRAME} {{state}}')\n"
        f"    return llm.invoke({text!r})"
        for name, text in (
            ("prosecutor", "You look for flaws, gaps and every kind of risk."),
            ("defense", "You praise merits, effort and all that is good."),
        )
    )
    reading = read(code)
    assert reading.frame is None
    assert reading.are_distinct


@pytest.mark.parametrize(
    "request_text",
    ["llm.invoke(f{around!r})", "Chat.from_messages([('system', f{around!r}), ('human', 'Go.')])"],
)
@pytest.mark.parametrize(
    ("around", "is_beside"),
    [("{system}\n" + FRAME, True), ("{system}", False), ("{system} " + HARSH, False)],
)
def test_text_around_long_prompts_is_measured_beside_them(around, is_beside, request_text):
    code = (
        f"PROSECUTOR_PROMPT = {HARSH!r}\nDEFENSE_SYSTEM = {KIND!r}\nTECH_LEAD = {DRY!r}\n"
        "BENCH = [PROSECUTOR_PROMPT, DEFENSE_SYSTEM, TECH_LEAD]\n"
        "def judge(state, system):\n"
        f"    return {request_text.format(around=around)}\n"
        "def prosecutor(state):\n    return judge(state, PROSECUTOR_PROMPT)\n"
        + built('g.add_edge("prosecutor", END)', nodes=("defense", "tech_lead")).replace(
            "app =", 'g.add_node("prosecutor", prosecutor)\napp ='
        )
    )
    reading = read(code)
    assert (reading.are_distinct, reading.frame) == (True, None)
    assert (reading.beside is not None, reading.told_shared > 0.5) == (is_beside, is_beside)
