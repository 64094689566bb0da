"""Persona prompts in every form, and the share of text that they have in common."""

from __future__ import annotations

import json

import pytest

from courtroom.analysis.langgraph.judging.persona_prompts import (
    read_personas,
)
from courtroom.analysis.langgraph.judging.prompt_files import is_prompt_file
from courtroom.analysis.langgraph.judging.text_overlap import mostly_own, shared_text
from tests.courtroom.analysis.langgraph.personas import (
    DRY,
    FRAME,
    HARSH,
    KIND,
    prompt_lines,
    read,
)
from tests.courtroom.sources import built, layers_of, symbols_of

MESSAGES = '[{"role": "system", "content": %s}, {"role": "user", "content": user}]'


WRITTEN = {
    "constants": (
        f"PROSECUTOR_PROMPT = {HARSH!r}\nDEFENSE_SYSTEM = {KIND!r}\nTECH_LEAD = {DRY!r}\n"
        "BENCH = [PROSECUTOR_PROMPT, DEFENSE_SYSTEM, TECH_LEAD]\n"
    ),
    "a dict": (
        f"PROMPTS = {{\n'Prosecutor': {HARSH!r},\n'Defense': {KIND!r},\n'TechLead': {DRY!r}}}\n"
    ),
    "dicts of parts": (
        f"P = {{\n'prosecutor': {{'role': {HARSH!r}, 'n': 1}},\n'defense': {{'role': {KIND!r}}},\n'tech_lead': {{'role': {DRY!r}}}}}\n"
    ),
    "classes": (
        "class Prosecutor:\n"
        f"    system = {HARSH!r}\n"
        "class DefenseAttorney:\n"
        f"    system = {KIND!r}\n"
        "class TechLead:\n"
        f"    system = {DRY!r}\n"
        "def ask(judge):\n    return model.invoke(judge.system)\n"
    ),
    "functions": (
        "def prosecutor_node(s):\n"
        f"    p = {HARSH!r} + s.x\n"
        "def defense_node(s):\n"
        f"    p = f'{{s}} ' {KIND!r}\n"
        "def tech_lead_node(s):\n"
        f"    ask(System(content={DRY!r}))\n"
    ),
    "a dict inside a function": (
        "def judge(state, who):\n"
        f"    told = {{\n'Prosecutor': {HARSH!r},\n'Defense': {KIND!r},\n'TechLead': {DRY!r}}}\n"
        "    return ask(told[who])\n"
    ),
    "methods": (
        "class ProsecutorJudge:\n"
        "    def prompt(self):\n"
        f"        return {HARSH!r}\n"
        "class DefenseJudge:\n"
        "    def prompt(self):\n"
        f"        return {KIND!r}\n"
        "class TechLeadJudge:\n"
        "    def prompt(self):\n"
        f"        return {DRY!r}\n"
    ),
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
def test_three_different_personas_are_detected_in(form):
    reading = read(WRITTEN[form])
    assert prompt_lines(reading) == list(
        zip(["Prosecutor", "Defense", "TechLead"], LINES[form], strict=True)
    )
    assert reading.are_distinct is True


def test_prompt_files_are_personas():
    files = {
        "prompts/prosecutor.md": HARSH,
        "prompts/defense.md": KIND,
        "prompts/tech_lead.txt": DRY,
    }
    reading = read("PROSECUTOR = 'prosecutor'\n", files)

    assert [(prompt.persona, prompt.path) for prompt in reading.prompts] == [
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
        ("out/debug_judges/Defense_state.json", False),
        ("reports/judges/defense.md", False),
        ("src/report/prompts/defense.md", True),
        ("prompts/a.png", False),
    ],
)
def test_prompt_files_are_recognized_by_their_folder(path, expected):
    assert is_prompt_file(path) is expected


def test_a_template_with_one_different_word_is_not_distinct():
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


def test_personas_of_one_sentence_are_compared_in_their_template():
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


def test_all_texts_of_a_call_are_one_prompt_and_short_ones_are_compared_in_their_template():
    texts = {
        "prosecutor": ("Trust nobody and search for what is missing in it.", "harsh"),
        "defense": ("Credit what was attempted here even if parts are bad.", "gentle"),
        "tech_lead": ("Weigh whether all this can be run and be changed.", "plain"),
    }
    calls = "".join(
        f"def {name}(state):\n"
        f"    return ask(state, stance='{stance}',\n"
        f"        manner='Write in {voice} words, by this judge alone, of what was shown.')\n"
        for name, (stance, voice) in texts.items()
    )
    frame = f"f'{{stance}} {FRAME} {{manner}} {{state}}'"
    ask = (
        f"def ask(state, stance, manner):\n    prompt = {frame}\n    return model.invoke(prompt)\n"
    )
    reading = read(ask + calls)

    assert [(prompt.line, prompt.end) for prompt in reading.prompts] == [(5, 6), (8, 9), (11, 12)]
    assert min(reading.own_words.values()) > 10
    assert reading.frame is not None
    assert reading.are_distinct is False


@pytest.mark.parametrize(
    ("texts", "own"),
    [
        # No run of three words is common here.
        (("Be prosecutor now.", "Be defense now."), set()),
        (("Harsh Prosecutor. Find flaws.", "Defense Counsel. Find merits."), {"0", "1"}),
        ((f"Prosecutor. {FRAME}", f"Defense. {FRAME}", "Weigh debt."), {"2"}),
    ],
)
def test_words_about_a_name_may_be_in_common_without_a_run_of_them(texts, own):
    assert mostly_own(dict(zip("012", texts, strict=False))) == own


def test_own_words_are_those_in_no_other_prompt():
    frame = "You are one of three judges on a digital bench. "
    texts = (f"{frame}Charge every gap.", f"{frame}Credit all effort you can find.", frame)
    code = "\n".join(
        f"{name} = {text!r}"
        for name, text in zip(("PROSECUTOR", "DEFENSE", "LEAD"), texts, strict=True)
    )
    code += "\nBENCH = [PROSECUTOR, DEFENSE, LEAD]\n"
    assert read(code).own_words == {"Prosecutor": 3, "Defense": 6, "TechLead": 0}


def test_shared_text_counts_runs_of_three_words():
    assert shared_text("a b x y", "a b p q") == 0
    assert shared_text("a b c x", "a b c y") == 0.75


def test_a_hostile_prompt_is_compared_quickly():
    assert shared_text("a " * 20_000, "a " * 20_000) == 1


def test_without_personas_prompts_are_not_distinct():
    reading = read("print('hello')")
    assert (reading.prompts, reading.are_distinct) == ([], False)


def test_the_opinion_of_a_judge_without_a_model_is_no_prompt():
    code = "\n".join(
        (
            f"def {name}(e):\n"
            f"    argument = {text!r} if e else ''\n"
            f"    return Opinion(argument={text!r}, score=1)\n"
        )
        for name, text in [("prosecutor", HARSH), ("defense", KIND), ("tech_lead", DRY)]
    )

    assert read(code).prompts == []


@pytest.mark.parametrize(
    "opinion", ["Opinion(argument=words, score=1)", "{'score': 1, 'argument': f'{words}.'}"]
)
def test_text_that_an_opinion_takes_by_a_name_is_no_prompt(opinion):
    code = "\n".join(
        f"def {name}(e):\n    words = f'{text} {{e}}'\n    return {opinion}\n"
        for name, text in [("prosecutor", HARSH), ("defense", KIND), ("tech_lead", DRY)]
    )

    assert read(code).prompts == []


CONSTRUCTED = (
    "class Prosecutor(Judge):\n"
    "    def __init__(self, llm):\n"
    "        self.llm = llm\n"
    f"        self.system_prompt = {HARSH!r}\n"
    "    def __call__(self, state):\n"
    "        user_prompt = f'Judge this criterion of the rubric by the evidence now: {state}'\n"
    "        answer = self.llm.create(messages=[\n"
    "            {'role': 'system', 'content': f'{self.system_prompt} Answer in JSON.'},\n"
    "            {'role': 'user', 'content': user_prompt},\n"
    "        ])\n"
    "        notes = answer.get('dissent_notes', 'Benefit of the doubt goes to every unfinished work')\n"
    "        return Opinion(\n"
    "            score=answer.get('score', 3),\n"
    "            argument=answer.get('argument', 'The student has shown an honest effort in all of it'),\n"
    "            dissent_notes='The other judges were too harsh on what was no more than a draft',\n"
    "        )\n"
)


def test_prompt_that_a_constructor_keeps_stands_where_it_is_written():
    reading = read(CONSTRUCTED)

    assert prompt_lines(reading) == [("Prosecutor", 4)]
    assert HARSH in reading.prompts[0].text
    assert "this criterion" in reading.prompts[0].text


def test_texts_of_an_opinion_and_defaults_of_lookups_are_no_prompts():
    texts = " ".join(text.text for text in read(CONSTRUCTED).texts)

    assert "honest effort" not in texts
    assert "too harsh" not in texts
    assert "Benefit" not in texts


def test_text_that_a_constructor_keeps_and_nothing_reads_is_no_prompt():
    code = f"class Prosecutor:\n    def __init__(self):\n        self.told = {HARSH!r}\n"

    assert read(code).prompts == []


def test_a_persona_name_alone_is_no_prompt():
    assert (
        read("PROSECUTOR = 'Prosecutor'\nDELAYS = {'Defense': 90, 'TechLead': 'later'}\n").prompts
        == []
    )


def test_messages_of_a_prompt_are_read_without_their_placeholders():
    code = "\n".join(
        f"def {name}(state):\n"
        f"    return ChatPromptTemplate.from_messages([('system', {text!r}), ('user', '{{case}}')])"
        for name, text in (("Prosecutor", HARSH), ("Defense", KIND), ("TechLead", DRY))
    )
    reading = read(code)

    assert [p.persona for p in reading.prompts] == ["Prosecutor", "Defense", "TechLead"]
    assert reading.are_distinct


def test_a_persona_in_a_file_without_a_prosecutor_is_read():
    symbols = symbols_of(
        {
            "src/prosecutor.py": f"class Prosecutor:\n    text = {HARSH!r}\n"
            "    def prompt(self):\n        return self.text\n",
            "src/defense.py": f"class Defense:\n    def prompt(self):\n        return {KIND!r}\n",
        }
    )
    _, layers = layers_of(symbols)
    reading = read_personas(symbols, layers, {})

    assert [(p.persona, p.path) for p in reading.prompts] == [
        ("Prosecutor", "src/prosecutor.py"),
        ("Defense", "src/defense.py"),
    ]


def test_prompts_of_files_that_no_run_imports_are_told_to_nobody():
    judges = "def judge(state):\n    return llm.invoke([PROSECUTOR, DEFENSE, state])\n"
    texts = f"PROSECUTOR = {HARSH!r}\nDEFENSE = {KIND!r}\n"
    longer = f"PROSECUTOR = {HARSH + DRY!r}\nDEFENSE = {KIND + DRY!r}\n"
    symbols = symbols_of({"src/judges.py": texts + judges, "src/old.py": longer + judges})
    _, layers = layers_of(symbols)
    for idle, path in (("", "src/old.py"), ("src/old.py", "src/judges.py")):
        prompts = read_personas(symbols, layers, {}, {idle}).prompts
        assert {prompt.path for prompt in prompts} == {path}
    every = read_personas(symbols, layers, {}, {"src/old.py", "src/judges.py"}).prompts
    assert len(every) == 2


YAML = f"""# stances
judges:
  prosecutor:
    text: >
      {HARSH}
  defense: {KIND}
  tech_lead:
    text: {DRY}
other: 1
"""
TOML = f"""[prosecutor]
text = "{HARSH}"
[defense]
text = "{KIND}"
[tech_lead]
text = "{DRY}"
"""
JSON = json.dumps(
    {"bench": {"prosecutor": HARSH, "defense": {"role": KIND}, "tech_lead": [DRY]}}, indent=1
)
IN_ONE_FILE = {
    "config/personas.yaml": (YAML, [3, 6, 7]),
    "prompts/all.json": (JSON, [3, 4, 7]),
    "prompts/all.toml": (TOML, [1, 3, 5]),
}


@pytest.mark.parametrize("path", IN_ONE_FILE)
def test_personas_in_one_file_are_read_entry_by_entry(path):
    text, lines = IN_ONE_FILE[path]
    reading = read("x = 1\n", {path: text})

    assert is_prompt_file(path)
    assert [(p.persona, p.line) for p in reading.prompts] == list(
        zip(["Prosecutor", "Defense", "TechLead"], lines, strict=True)
    )
    assert reading.are_distinct


LOOKED_UP = (
    "def judge(state, who):\n"
    "    told = load('rubric.json').get('judicial_logic', {}).get(who)\n"
    "    return {'opinions': [ask(told)], 'messages': [f'{who} has judged all criteria of this whole work now']}\n"
    "def prosecutor_node(state):\n    return judge(state, 'Prosecutor')\n"
    "def defense_node(state):\n    return judge(state, 'Defense')\n"
    "def tech_lead_node(state):\n    return judge(state, 'TechLead')\n"
)


def test_personas_that_judges_look_up_in_a_json_file_are_quoted_from_it():
    entries = {"prosecutor": {"role": HARSH, "focus": ["gaps"]}, "defense": KIND, "tech_lead": DRY}
    rubric = json.dumps({"dimensions": [], "judicial_logic": entries}, indent=1)
    reading = read(LOOKED_UP, data={"rubric.json": rubric})
    lines = rubric.split("\n")
    assert [(p.persona, p.path, lines[p.line - 1].strip()[:9]) for p in reading.prompts] == [
        ("Prosecutor", "rubric.json", '"prosecut'),
        ("Defense", "rubric.json", '"defense"'),
        ("TechLead", "rubric.json", '"tech_lea'),
    ]
    assert "gaps" in lines[reading.prompts[0].end - 1]
    assert reading.are_distinct


@pytest.mark.parametrize("key", ["guidance", "judicial_logic"])
def test_table_that_judges_do_not_look_up_or_message_of_a_run_is_no_prompt(key):
    entries = {"prosecutor": HARSH, "defense": KIND} if key == "guidance" else {"prosecutor": HARSH}
    assert read(LOOKED_UP, data={"rubric.json": json.dumps({key: entries})}).prompts == []


@pytest.mark.parametrize("path", ["prompts/all.json", "prompts/all.toml"])
def test_a_broken_prompt_file_holds_no_prompt(path):
    assert read("x = 1\n", {path: "{prosecutor"}).prompts == []


def test_every_pair_with_too_much_in_common_is_named():
    entries = "\n".join(
        f'{name}_PROMPT = """{FRAME} {FRAME.upper()} You are one of three."""'
        for name in ("PROSECUTOR", "DEFENSE", "TECH_LEAD")
    )
    entries += "\nBENCH = [PROSECUTOR_PROMPT, DEFENSE_PROMPT, TECH_LEAD_PROMPT]\n"
    assert read(entries).too_close == (
        "The prompts of Prosecutor and Defense have 100 % of their text in common;"
        " Prosecutor and TechLead 100 %; Defense and TechLead 100 %."
    )


def test_what_a_judge_prints_is_no_prompt():
    code = (
        'PROSECUTOR_PROMPT = "short"\n'
        "def prosecutor(state):\n"
        '    print("The Prosecutor looks for flaws and gaps in all that the detectives found.")\n'
    )
    assert read(code).texts == []


def test_answer_of_a_judge_in_a_file_is_no_prompt():
    answer = json.dumps({"raw": KIND, "opinion": {"judge": "Defense", "score": 4}})
    assert read("x = 1\n", {"judges/Defense.json": answer}).prompts == []


def test_prompt_is_shown_where_its_first_text_is_set():
    code = "\n".join(
        f"def {name}(state):\n"
        f"    system_prompt = {text!r}\n"
        "    messages = Template.from_messages([('system', system_prompt), ('user', '{case}')])\n"
        "    return ask(messages)"
        for name, text in (("prosecutor", HARSH), ("defense", KIND), ("tech_lead", DRY))
    )

    assert [line for _, line in prompt_lines(read(code))] == [2, 6, 10]


JUDGE_NODES = {"prosecutor": HARSH, "defense": KIND, "tech_lead": DRY}
IDLE = {
    f"src/{name}.py": f"def {name}_node(state):\n    prompt = {text!r}\n    return ask(prompt)\n"
    for name, text in JUDGE_NODES.items()
}


@pytest.mark.parametrize(
    "told", ["Be {name}, and name all your reasons in a few plain words.", "Be {name} now."]
)
def test_prompts_of_functions_that_no_run_reaches_are_told_to_nobody(told: str):
    judges = "\n".join(
        f"def {name}_node(state):\n    return ask({told.format(name=name)!r}, 'small-model-1-2')"
        for name in JUDGE_NODES
    )
    names = [*map("{}_node".format, JUDGE_NODES)]
    graph = built("", ()).replace("\ng =", f"\nfrom src.court import {', '.join(names)}\ng =")
    for name in JUDGE_NODES:
        edges = f"g.add_node('{name}', {name}_node)\ng.add_edge(START, '{name}')"
        graph = graph.replace("\napp =", f"\n{edges}\napp =")
    symbols = symbols_of({**IDLE, "src/court.py": judges, "src/graph.py": graph})
    _, layers = layers_of(symbols)
    reading = read_personas(symbols, layers, {})

    assert {prompt.path for prompt in reading.prompts} == {"src/court.py"}
    assert [text.text for text in reading.texts] == [told.format(name=name) for name in JUDGE_NODES]


@pytest.mark.parametrize("system", ["self.system", "f'{self.system} Answer in JSON.'"])
def test_prompt_in_an_attribute_of_the_judge_is_read_with_the_question(system: str) -> None:
    code = "\n".join(
        f"""
class {name}:
    def __init__(self, key=None):
        self.system = {text!r}
    def opinion(self, state):
        user = f"Judge {{state.name}} by all the evidence that was collected for it."
        messages = [{{"role": "system", "content": {system}}}, {{"role": "user", "content": user}}]
        return self.client.chat.completions.create(model="m", messages=messages)
"""
        for name, text in (("Prosecutor", HARSH), ("Defense", KIND), ("TechLead", DRY))
    )
    for written in (code, code.replace("messages=messages", f"messages={MESSAGES % system}")):
        assert min(read(written).own_words.values()) > 20


JUDGE = (
    "def prosecutor_node(s):\n"
    "    chunks, gaps = ['Nothing is proved.'], []\n"
    f"    gaps.append({KIND!r})\n"
    "    chunks.append('Missing: ' + ', '.join(gaps))\n"
    "    argument_text = ' '.join(chunks).strip()\n"
    f"    drafted = ask(prompt={HARSH!r} + s.x{{more}})\n"
    "    if drafted:\n"
    "        argument_text = drafted\n"
    "    return {{'opinions': [Opinion(score=2, argument=argument_text)]}}\n"
)


@pytest.mark.parametrize(
    ("more", "lines"), [("", [6]), (" + ' '.join(gaps)", [3, 6]), (" + render(gaps)", [3, 6])]
)
def test_parts_of_an_opinion_are_no_prompt_unless_a_call_is_given_them(more, lines):
    reading = read(JUDGE.format(more=more))
    assert sorted(text.line for text in reading.texts) == lines
