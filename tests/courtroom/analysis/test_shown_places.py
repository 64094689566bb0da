"""Places that prove a sentence: the call that clones, the judges' own calls, the edges that decide,
the line of a rule, the two prompts that are alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.survey import Survey, survey_repository
from courtroom.checks.graph_topology import GraphTopology
from courtroom.checks.persona_overlap import PersonaOverlap
from courtroom.checks.registry import Check
from courtroom.checks.result import Finding
from courtroom.checks.sandboxed_clone import SandboxedClone
from courtroom.checks.structured_output import StructuredOutput
from courtroom.checks.subjects import is_name_in_template
from courtroom.checks.synthesis_rules import SynthesisRules
from courtroom.checks.text_contains import TextContains
from courtroom.models.case import Limits
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, detected
from tests.factories.repositories import Commit, make_repository

TOOLS = """
import subprocess


def clone_repository(url, target):
    # A wrapper: the deadline belongs to the call.
    command = ["git", "clone", url, target]
    return subprocess.run(command, check=True)
"""
DETECTIVES = """
from langchain_openai import ChatOpenAI
from src.state import Evidence
from src.tools import clone_repository


def repo_investigator(state):
    clone_repository(state["url"], "here")
    model = ChatOpenAI().with_structured_output(Evidence)
    return {"evidences": [model.invoke("look")]}


def doc_analyst(state):
    return {"evidences": [state["pdf"]]}
"""
SPEECH = (
    "Read every piece of evidence that the detectives found, weigh it with care, name the lines"
    " that you rest on, and give a score between one and five with an argument of three sentences"
)
JUDGES = f"""
from langchain_openai import ChatOpenAI
from src.state import JudicialOpinion

PROSECUTOR_PROMPT = "You are the Prosecutor. {SPEECH}. Be harsh."
DEFENSE_PROMPT = "You are the Defense. {SPEECH}. Be kind."
TECH_LEAD_PROMPT = "You are the Tech Lead: ask only whether it runs, whether it can be maintained and what it would cost to change a year from now."


def judge(prompt):
    model = ChatOpenAI().with_structured_output(JudicialOpinion)
    return {{"opinions": [model.invoke(prompt)]}}


def prosecutor(state):
    return judge(PROSECUTOR_PROMPT)


def defense(state):
    return judge(DEFENSE_PROMPT)


def tech_lead(state):
    return judge(TECH_LEAD_PROMPT)
"""
JUSTICE = """
def chief_justice(state):
    scores = [opinion.score for opinion in state["opinions"]]
    has_flaw = any(piece.found and piece.security for piece in state["evidences"])
    final_score = sum(scores) / len(scores)
    if has_flaw:
        weighted_score = sum(scores) / len(scores) - 1
        final_score = min(final_score, 3)
    return {"verdict": final_score}
"""
STATE = """
import operator
from typing import Annotated, TypedDict
from pydantic import BaseModel


class Evidence(BaseModel):
    found: bool
    security: bool


class JudicialOpinion(BaseModel):
    score: int
    argument: str


class AgentState(TypedDict):
    url: str
    evidences: Annotated[list, operator.add]
    opinions: Annotated[list, operator.add]
    verdict: float
"""
GRAPH = """
from langgraph.graph import END, START, StateGraph
from src.detectives import doc_analyst, repo_investigator
from src.judges import defense, prosecutor, tech_lead
from src.justice import chief_justice
from src.state import AgentState

graph = StateGraph(AgentState)
for node in (repo_investigator, doc_analyst, prosecutor, defense, tech_lead, chief_justice):
    graph.add_node(node.__name__, node)
graph.add_node("hub", lambda state: {})
graph.add_edge(START, "repo_investigator")
graph.add_edge(START, "doc_analyst")
graph.add_edge("repo_investigator", "hub")
graph.add_edge("doc_analyst", "hub")
graph.add_edge("hub", "prosecutor")
graph.add_edge("prosecutor", "defense")
graph.add_edge("defense", "tech_lead")
graph.add_edge("tech_lead", "chief_justice")
graph.add_edge("chief_justice", END)
app = graph.compile()
"""
FILES: dict[str, str | bytes | None] = {
    "src/tools.py": TOOLS,
    "src/detectives.py": DETECTIVES,
    "src/judges.py": JUDGES,
    "src/justice.py": JUSTICE,
    "src/state.py": STATE,
    "src/graph.py": GRAPH,
}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("places")
    return surveyed(FILES, folder)


def surveyed(
    files: dict[str, str | bytes | None], folder: Path, checks: Sequence[Check] = ()
) -> Survey:
    commit = make_repository(folder / "r.git", [Commit(files=files)])
    snapshot = Snapshot(folder / "r.git", commit, None, malformed_objects=False)
    return survey_repository(snapshot, checks, Limits())


def line_of(path: str, text: str) -> int:
    lines = str(FILES[path]).split("\n")
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def shown(work: Survey, kind: Any, aspect: str, **fields: Any) -> tuple[str, list[Any]]:
    finding = detected(kind(**CHECK_FIELDS, aspect=aspect, **fields), work)
    return finding.reason, clue_lines(finding)


@pytest.mark.parametrize("aspect", ["timeout", "url_validated"])
def test_missing_precaution_is_shown_at_the_call_that_clones(work: Survey, aspect: str) -> None:
    reason, places = shown(work, SandboxedClone, aspect)
    call = line_of("src/tools.py", "subprocess.run")
    assert places == [("src/tools.py", call)]
    assert reason.endswith(f"(src/tools.py:{call}).")


def test_call_of_a_detective_proves_nothing_about_judges(work: Survey) -> None:
    call = line_of("src/judges.py", "with_structured_output")
    assert shown(work, StructuredOutput, "called") == (
        f"Model calls are bound to JudicialOpinion (src/judges.py:{call}).",
        [("src/judges.py", call)],
    )
    invoke = line_of("src/judges.py", ".invoke(")
    reason, places = shown(work, StructuredOutput, "retry")
    assert (reason, places) == (
        f"An answer that does not fit its schema is not requested again (src/judges.py:{invoke}).",
        [("src/judges.py", invoke)],
    )


PATIENT = """

def prosecutor(state):
    for attempt in range(3):
        try:
            return judge(PROSECUTOR_PROMPT)
        except ValueError:
            continue


def defense(state):
    model = ChatOpenAI().with_structured_output(JudicialOpinion)
    try:
        return {"opinions": [model.invoke(DEFENSE_PROMPT)]}
    except ValueError:
        return {"opinions": [JudicialOpinion(judge="Defense", score=4, argument="It failed.")]}
"""


def test_judge_that_asks_once_beside_a_patient_one_is_shown_with_its_own_score(
    tmp_path: Path,
) -> None:
    judges = JUDGES.replace(JUDGES[JUDGES.index("\ndef prosecutor") : JUDGES.index("def tech")], "")
    work = surveyed({**FILES, "src/judges.py": judges + PATIENT}, tmp_path)
    text = (judges + PATIENT).split("\n")
    lines = [n for n, line in enumerate(text, start=1) if "invoke(" in line or "score=4" in line]
    tech_lead, defense, score = (("src/judges.py", line) for line in lines)
    assert shown(work, StructuredOutput, "retry")[1] == [defense, tech_lead]
    for aspect in ("at_once", "handled"):
        assert shown(work, StructuredOutput, aspect)[1] == [score]


def test_parallel_nodes_are_shown_by_the_edges_that_start_them(work: Survey) -> None:
    first = line_of("src/graph.py", 'START, "repo')
    assert shown(work, GraphTopology, "detectives_parallel") == (
        (
            "At least two detectives run in parallel: START → repo_investigator; START → doc_analyst"
            f" (src/graph.py:{first})."
        ),
        [("src/graph.py", first), ("src/graph.py", first + 1)],
    )


def test_nodes_in_a_row_are_shown_by_the_edges_between_them(work: Survey) -> None:
    first = line_of("src/graph.py", '"hub", "prosecutor"')
    assert shown(work, GraphTopology, "judges_parallel") == (
        (
            "The judges do not all run in parallel: hub → prosecutor; prosecutor → defense;"
            f" defense → tech_lead (src/graph.py:{first})."
        ),
        [("src/graph.py", first + number) for number in range(3)],
    )


def test_join_is_shown_by_the_edges_into_it_whatever_its_name(work: Survey) -> None:
    first = line_of("src/graph.py", '"repo_investigator", "hub"')
    assert shown(work, GraphTopology, "fan_in_before_judges")[1] == [
        ("src/graph.py", first),
        ("src/graph.py", first + 1),
    ]


def test_graph_without_a_router_is_shown_where_it_is_made(work: Survey) -> None:
    line = line_of("src/graph.py", "StateGraph(AgentState)")
    assert shown(work, GraphTopology, "conditional_error_route") == (
        "No conditional edge has a way for an error or for missing evidence.",
        [("src/graph.py", line)],
    )


def test_rule_is_shown_first_by_the_line_that_names_it(work: Survey) -> None:
    cap = line_of("src/justice.py", "min(final_score, 3)")
    reason, places = shown(work, SynthesisRules, "security_override")
    assert (reason, places[0]) == (
        f"A rule caps the score for security (src/justice.py:{cap}).",
        ("src/justice.py", cap),
    )


def test_prompts_that_are_alike_are_the_two_that_are_shown(work: Survey) -> None:
    reason, places = shown(work, PersonaOverlap, "distinct")
    prosecutor = line_of("src/judges.py", "PROSECUTOR_PROMPT =")
    assert places == [("src/judges.py", prosecutor), ("src/judges.py", prosecutor + 1)]
    assert reason.startswith("The prompts of Prosecutor and Defense have ")
    assert f" {work.facts['persona_prompts_shared'] * 100:.0f} % " in reason


def test_few_words_about_a_name_in_common_text_are_a_template(work: Survey, tmp_path: Path) -> None:
    two = list(map(is_name_in_template, work.facts["persona_prompts"]))
    assert two == [True, True, False]
    nodes = (
        f"def {name}(state):\n    return ask({f'{name}. {SPEECH}'!r})\n"
        for name in ("prosecutor", "defense", "tech_lead")
    )
    template = surveyed({**FILES, "src/judges.py": "".join(nodes)}, tmp_path)
    assert list(map(is_name_in_template, template.facts["persona_prompts"])) == [True] * 3


def test_calls_of_detectives_alone_bind_no_judge(tmp_path: Path) -> None:
    judges = JUDGES.replace("ChatOpenAI().with_structured_output(JudicialOpinion)", "ChatOpenAI()")
    work = surveyed({**FILES, "src/judges.py": judges}, tmp_path)
    call = line_of("src/detectives.py", "with_structured_output")
    finding = detected(StructuredOutput(**CHECK_FIELDS, aspect="called"), work)
    assert (finding.met, finding.reason) == (
        False,
        f"Model calls are bound to Evidence (src/detectives.py:{call}), and none of the judges'.",
    )


TWO_RULES = """
def supports(evidences):
    return any(piece.found or piece.security for piece in evidences)


def chief_justice(state):
    final_score = sum(opinion.score for opinion in state["opinions"]) / 3
    has_security_flaw = any(piece.security for piece in state["evidences"])
    if not supports(state["evidences"]):
        final_score = min(final_score, 2)
    if has_security_flaw:
        final_score = 3
    return {"verdict": final_score}
"""


def test_rule_is_shown_by_the_branch_whose_own_condition_names_it_alone(tmp_path: Path) -> None:
    work = surveyed({**FILES, "src/justice.py": TWO_RULES}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="security_override"), work)
    cap = TWO_RULES.split("\n").index("        final_score = 3") + 1
    assert clue_lines(finding) == [("src/justice.py", cap)]


HANDS_ON = """
class Chief:
    def __init__(self, state): self.state = state
    def written(self, score): return f"# Report: {score}"
    def weighed(self, scores): return round(sum(scores) / len(scores))
    def run(self):
        score = self.weighed([opinion.score for opinion in self.state["opinions"]])
        return {"verdict": score, "text": self.written(score)}


def chief_justice(state):
    return Chief(state).run()
"""


def test_verdict_is_shown_where_it_is_computed_and_not_where_it_is_handed_on(
    tmp_path: Path,
) -> None:
    work = surveyed({**FILES, "src/justice.py": HANDS_ON}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="deterministic"), work)
    line = next(n for n, t in enumerate(HANDS_ON.split("\n"), start=1) if "round(" in t)
    assert clue_lines(finding) == [("src/justice.py", line)]


def prompt_finding(tmp_path: Path, judges: str, *words: str, **fields: Any) -> Finding:
    values: Any = CHECK_FIELDS | {"prompt_of": "Prosecutor", "any_of": words} | fields
    check = TextContains(**values)
    return detected(check, surveyed({**FILES, "src/judges.py": judges}, tmp_path, (check,)))


def test_word_in_a_prompt_is_shown_and_not_the_same_word_in_a_docstring(tmp_path: Path) -> None:
    judges = f'"""Judges: the Prosecutor is harsh."""\n{JUDGES}'
    line = judges.split("\n").index(next(t for t in judges.split("\n") if "Be harsh" in t)) + 1
    finding = prompt_finding(tmp_path, judges, "harsh")
    assert finding.reason == f"The prompt of Prosecutor contains “harsh” (src/judges.py:{line})."
    assert finding.clues[0].rationale == "The prompt of Prosecutor contains “harsh”."


def test_prompt_without_a_word_is_shown_with_a_sentence_on_it(tmp_path: Path) -> None:
    finding = prompt_finding(tmp_path, JUDGES, "plagiarism")
    assert {clue.rationale for clue in finding.clues} == {finding.reason}


@pytest.mark.parametrize(
    ("words", "is_met"), [("Be flawless", False), ("Be flawless, and name each flaw", True)]
)
def test_word_that_denies_what_is_looked_for_is_not_it(
    tmp_path: Path, words: str, is_met: bool
) -> None:
    finding = prompt_finding(tmp_path, JUDGES.replace("Be harsh", words), "flaw")
    assert (finding.met, "“flaw” (" in finding.reason) == (is_met, is_met)


def test_word_at_the_beginning_of_a_line_is_shown_without_the_end_of_the_line_before(
    tmp_path: Path,
) -> None:
    written = '"""You are the Prosecutor. Look for laziness and\nflaws."""\n'
    judges = re.sub(r'"You are the Prosecutor.*"\n', written, JUDGES)
    finding = prompt_finding(tmp_path, judges, "flaws")
    assert "contains “flaws”" in finding.reason


def test_word_in_a_table_of_prompts_is_shown_where_it_is_written(tmp_path: Path) -> None:
    text = "You are the Prosecutor. Look for gaps in each part of the work, and be harsh to all."
    judges = (
        f'PROSECUTOR_SYSTEM = "{text}"\n'
        'PROMPTS = {\n    "Prosecutor": {"system": PROSECUTOR_SYSTEM, "human": "Judge {it} now."},\n}\n'
    )
    assert clue_lines(prompt_finding(tmp_path, judges, "gaps")) == [("src/judges.py", 1)]


def test_word_of_another_judge_or_of_a_docstring_is_not_in_a_prompt(tmp_path: Path) -> None:
    judges = f'"""Judges: the Prosecutor looks for gaps."""\n{JUDGES}'
    finding = prompt_finding(tmp_path, judges, "gaps", "be kind")
    place = judges.split("\n").index(next(t for t in judges.split("\n") if "harsh" in t)) + 1
    assert (finding.met, clue_lines(finding)) == (False, [("src/judges.py", place)])
    assert finding.reason == (
        f"The prompt of Prosecutor (src/judges.py:{place}) contains no “gaps” or “be kind”."
    )


def test_word_in_a_line_that_other_judges_get_too_is_shown_only_where_no_other_is(
    tmp_path: Path,
) -> None:
    judges = "".join(
        f'{name}_SYSTEM = """\nYou are the {name.title()} of the court.\n'
        f'Score 3: meets it, with minor gaps.\n{text}\n"""\n'
        for name, text in (
            ("PROSECUTOR", "Be skeptical of each claim in the work."),
            ("DEFENSE", "Reward the intent of each part of the work."),
        )
    )
    judges += "def bench(state):\n    return ask(PROSECUTOR_SYSTEM), ask(DEFENSE_SYSTEM)\n"

    both, common = (
        prompt_finding(tmp_path, judges, *words) for words in (("gaps", "skeptical"), ("gaps",))
    )
    assert (clue_lines(both), clue_lines(common)) == (
        [("src/judges.py", 4)],
        [("src/judges.py", 3)],
    )


def test_line_with_a_word_of_the_goal_is_shown_before_one_without(tmp_path: Path) -> None:
    judges = JUDGES.replace("Be harsh.", "Be harsh.\\nLook for gaps.")
    fields = {"goal": "A prompt speaks of gaps"}
    finding = prompt_finding(tmp_path, judges, "be harsh", "for gaps", **fields)
    at = "src/judges.py:"
    # Words of one line have their place once.
    assert f" contains “for gaps” and “Be harsh” ({at}" in finding.reason


def test_word_that_stands_again_in_other_letters_is_shown_once(tmp_path: Path) -> None:
    judges = JUDGES.replace('Be harsh."', 'Be harsh."\\\n    "HARSH, I say."')
    finding = prompt_finding(tmp_path, judges, "harsh")
    assert (finding.reason.count("“"), len(finding.clues)) == (1, 1)


def test_rule_that_decides_on_the_spread_is_named_where_nothing_looks_again(tmp_path: Path) -> None:
    justice = TWO_RULES.replace(
        "    return {", "    if variance > 2:\n        final_score = 4\n    return {"
    )
    work = surveyed({**FILES, "src/justice.py": justice}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="variance_re_evaluation"), work)
    line = justice.split("\n").index("        final_score = 4") + 1
    assert finding.met is False
    assert finding.reason == (
        f"No rule re-evaluates scores that lie far apart: at src/justice.py:{line}"
        " a rule sets the score by their spread, and nothing is judged again."
    )


def test_rule_of_facts_that_waits_for_a_word_is_said_to(tmp_path: Path) -> None:
    test = "    if not supports(state['evidences']):"
    words = (
        "any(word in o.argument for word in ('deep', 'rich', 'meta') for o in state['opinions'])"
    )
    one = "'deep' in state['defense'].argument"
    sentences: list[str] = []
    for waited in (one, words, one.replace("'deep' in", "'deep' not in")):
        justice = TWO_RULES.replace(
            '    if not supports(state["evidences"]):', f"    if {waited}:\n    {test}"
        ).replace("        final_score = min(final_score, 2)", "            final_score = 2")
        work = surveyed({**FILES, "src/justice.py": justice}, tmp_path / str(len(sentences)))
        finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="fact_supremacy"), work)
        sentences.append(finding.reason.partition(" (src")[0])
    assert sentences == [
        "A rule lets facts overrule only opinions whose argument has “deep”",
        "A rule lets facts overrule opinions",
        "A rule lets facts overrule opinions",
    ]


@pytest.mark.parametrize(("text", "is_vain"), [("is empty", True), ("was not read", False)])
def test_rule_of_facts_that_waits_in_vain_is_said_to(tmp_path: Path, text: str, is_vain: bool):
    made = (
        f'    return {{"evidences": {{"pdf": [Evidence(found=False, text="The file {text}")]}}}}\n'
    )
    analyst = DETECTIVES[: DETECTIVES.rindex("    return")] + made
    analyst = analyst.replace('[model.invoke("look")]', '{"code": [model.invoke("look")]}')
    loop = (
        "for piece in evidences.get('pdf', []):\n        if 'not read' in piece.text:\n"
        "            return True\n    return False"
    )
    justice = TWO_RULES.replace("if not supports", "if supports").replace(
        "return any(piece.found or piece.security for piece in evidences)", loop
    )
    state = STATE.replace("security: bool", "text: str")
    files = {"src/detectives.py": analyst, "src/justice.py": justice, "src/state.py": state}
    work = surveyed({**FILES, **files}, tmp_path)
    finding = detected(SynthesisRules(**CHECK_FIELDS, aspect="fact_supremacy"), work)
    assert (finding.met, finding.has_reservation) == (True, is_vain)
    never = "it never applies: it waits for “not read” in the text of evidence under `pdf`"
    assert (never in finding.reason) is is_vain
    whys = [r["why"] for r in work.facts["unheld_rules"] if r["rule"] == "fact_supremacy"]
    assert whys == [f"this rule{never.removeprefix('it')}, where no code writes that"] * is_vain


@pytest.mark.parametrize(("call", "places"), [("", []), ("    keep('x')\n", [("src/keep.py", 5)])])
def test_folder_of_a_function_that_nothing_leads_to_is_left_out(
    tmp_path: Path, call: str, places: list[tuple[str, int]]
):
    keep = "import tempfile\n\n\ndef keep(url):\n    with tempfile.TemporaryDirectory() as path:\n        return path\n"
    head, _, last = DETECTIVES.rpartition("    return")
    analyst = f"from src.keep import keep\n{head}{call}    return{last}"
    work = surveyed({**FILES, "src/keep.py": keep, "src/detectives.py": analyst}, tmp_path)
    rows = work.facts["temporary_directories"]
    assert [(row["path"], row["line"]) for row in rows] == places
