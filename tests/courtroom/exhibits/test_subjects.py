"""Subjects of the kinds of checks, on a small work that judges: each shows what it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.models.exhibit import CriterionExhibits
from tests.courtroom.exhibits.works import laid_out, rubric_of, snapshot_of

STATE = """import operator
from typing import Annotated, TypedDict

from pydantic import BaseModel, Field


class Opinion(BaseModel):
    score: int = Field(ge=1, le=5)


class State(TypedDict):
    evidences: Annotated[dict, operator.ior]
    opinions: Annotated[list, operator.add]
"""
GRAPH = """from langgraph.graph import END, START, StateGraph

from src.judges import prosecutor, defense, tech_lead
from src.justice import chief_justice
from src.state import State

STRICT = True


def route(state):
    if state.get("error") and STRICT:
        return END
    return ["prosecutor", "defense", "tech_lead"]


def collect(state):
    return {"evidences": {}}


def build():
    g = StateGraph(State)
    g.add_node("collect", collect)
    for node in (prosecutor, defense, tech_lead, chief_justice):
        g.add_node(node.__name__, node)
    g.add_edge(START, "collect")
    g.add_conditional_edges("collect", route, ["prosecutor", "defense", "tech_lead", END])
    for name in ("prosecutor", "defense", "tech_lead"):
        g.add_edge(name, "chief_justice")
    g.add_edge("chief_justice", END)
    return g.compile()


def main():
    first = {"evidences": {}, "opinions": [], "unknown": 1}
    build().invoke(first)
"""
JUDGES = '''from src.llm import ask
from src.state import Opinion

PERSONAS = {
    "prosecutor": """You are the Prosecutor of this court. Trust no one and assume vibe coding.
    Look for gaps, laziness, missing error handling and security flaws, and charge each of them.""",
    "defense": """You are the Defense attorney. Reward effort and the spirit of the law.
    Point at deep thought, struggle in the history, and everything that was tried and nearly won.""",
    "tech_lead": """You are the Tech Lead. Does it work, is it maintainable, is it modular?
    Ignore struggle and vibes, look at architecture, at tests, and at what runs in production.""",
}


def persona(name):
    return PERSONAS[name]


def judge(name, state):
    template = f"{persona(name)} Score the criterion from 1 to 5."
    opinion = ask(template, Opinion)
    return {"opinions": [opinion]}


def prosecutor(state):
    return judge("prosecutor", state)


def defense(state):
    return judge("defense", state)


def tech_lead(state):
    return judge("tech_lead", state)
'''
LLM = """from src.settings import model


def ask(prompt, schema):
    llm = model().with_structured_output(schema)
    return attempt(llm, prompt)


def attempt(llm, prompt):
    for _ in range(3):
        try:
            return llm.invoke(prompt)
        except ValueError:
            continue
"""
JUSTICE = """def chief_justice(state):
    scores = [opinion.score for opinion in state["opinions"]]
    return {"report": render(rule_of_security(scores))}


def rule_of_security(scores):
    return min([3, *scores])


def render(score):
    return f"# Verdict\\n\\n{score}"


def unused():
    return 0
"""
TOOLS = """import subprocess


def run(command):
    return subprocess.run(command, check=True)


def fetch(url):
    return run(["git", "clone", url])
"""
FILES = {
    "src/state.py": STATE,
    "src/graph.py": GRAPH,
    "src/judges.py": JUDGES,
    "src/llm.py": LLM,
    "src/justice.py": JUSTICE,
    "src/tools.py": TOOLS,
    "src/settings.py": "def model():\n    return None\n",
    "tests/test_graph.py": "def test_judge():\n    assert clone(1).invoke(2)\n",
    "README.md": "# Work\n",
    ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu\n",
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return snapshot_of(FILES, tmp_path_factory.mktemp("subjects"))


def check(kind: str, **parameters: object) -> dict[str, object]:
    return {"id": f"c.{kind}", "kind": kind, "goal": "g", **parameters}


def texts(bundle: CriterionExhibits, path: str) -> str:
    return "\n".join(e.text for e in bundle.exhibits if e.location.path == path)


def test_graph_shows_builder_router_its_values_and_nodes(snapshot: Snapshot) -> None:
    bundle = laid_out(snapshot, rubric_of(check("graph_topology", aspect="exists")))

    graph = texts(bundle, "src/graph.py")
    for part in ("def build():", "def route(state):", "STRICT = True", "def collect(", "def main"):
        assert part in graph
    assert "def prosecutor(state):" in texts(bundle, "src/judges.py")
    assert not texts(bundle, "tests/test_graph.py")


def test_state_shows_its_module_writers_and_fields_it_does_not_declare(snapshot: Snapshot) -> None:
    bundle = laid_out(snapshot, rubric_of(check("reducer")))

    assert texts(bundle, "src/state.py") == STATE.rstrip("\n")
    titles = [exhibit.title for exhibit in bundle.exhibits]
    assert "uses a field that the state does not declare" in titles
    assert "makes the first state" in titles
    assert 'return {"opinions"' not in texts(bundle, "src/judges.py")  # judge() is no node
    assert "chief_justice(state)" in texts(bundle, "src/justice.py")


def test_personas_show_prompts_in_full_and_the_template_around_them(snapshot: Snapshot) -> None:
    bundle = laid_out(snapshot, rubric_of(check("persona_overlap", aspect="distinct")))

    judges = texts(bundle, "src/judges.py")
    assert JUDGES[JUDGES.index("PERSONAS") : JUDGES.index("def persona")].strip() in judges
    assert "Score the criterion from 1 to 5." in judges


def test_structured_output_shows_the_call_and_the_retry(snapshot: Snapshot) -> None:
    bundle = laid_out(snapshot, rubric_of(check("structured_output", aspect="retry")))

    assert "with_structured_output(schema)" in texts(bundle, "src/llm.py")
    assert "except ValueError:" in texts(bundle, "src/llm.py")


def test_synthesis_shows_the_functions_it_calls(snapshot: Snapshot) -> None:
    bundle = laid_out(snapshot, rubric_of(check("synthesis_rules", aspect="dissent")))

    justice = texts(bundle, "src/justice.py")
    for part in ("def chief_justice", "def rule_of_security", "def render"):
        assert part in justice
    assert "def unused" not in justice


def test_dangers_are_shown_where_nothing_was_objected_to(snapshot: Snapshot) -> None:
    danger = check("unsafe_call", any_of=["eval_exec"], polarity="negative")
    bundle = laid_out(snapshot, rubric_of(danger))
    assert "subprocess.run(command, check=True)" in texts(bundle, "src/tools.py")


def test_search_in_vain_shows_where_it_looked(snapshot: Snapshot) -> None:
    words = check("text_contains", any_of=["mypy"], paths=[".github/workflows/*"])
    bundle = laid_out(snapshot, rubric_of(words))

    assert bundle.exhibits[0].title == "searched for: g"
    assert bundle.exhibits[0].location.path == ".github/workflows/ci.yml"


def test_subjects_of_one_criterion_share_its_room(snapshot: Snapshot) -> None:
    checks = (
        check("graph_topology", aspect="exists"),
        check("synthesis_rules", aspect="dissent"),
        check("sandboxed_clone", aspect="timeout"),
    )
    bundle = laid_out(snapshot, rubric_of(*checks), room=3500)

    paths = {exhibit.location.path for exhibit in bundle.exhibits}
    assert {"src/graph.py", "src/justice.py", "src/tools.py"} <= paths


@pytest.mark.parametrize(
    "of_all_code",
    [
        check("state_flow", faults=["unwritten_read"]),
        check("failing_code", part="graph"),
        check("graph_run", faults=["refused"]),
    ],
    ids=lambda definition: definition["kind"],
)
def test_check_of_all_code_takes_no_room_from_the_subject(
    snapshot: Snapshot, of_all_code: dict[str, object]
) -> None:
    rules = check("synthesis_rules", aspect="dissent")
    alone = laid_out(snapshot, rubric_of(of_all_code))
    beside = laid_out(snapshot, rubric_of(rules, of_all_code))

    subject = {"the state", "a node of the graph"}
    assert subject & {exhibit.title for exhibit in alone.exhibits}
    assert not subject & {exhibit.title for exhibit in beside.exhibits}
    assert "def chief_justice" in texts(beside, "src/justice.py")


def test_large_class_of_judges_shows_what_changes_a_score_and_names_the_rest(
    tmp_path: Path,
) -> None:
    method = """
    def method_{n}(self, state):
        prosecutor = defense = tech_lead = persona = judge_name = {n}
{body}
        return prosecutor
"""
    body = "\n".join(f"        step_{n} = 'of the work of this method'" for n in range(60))
    methods = "".join(method.format(n=n, body=body) for n in range(8))
    calls = "".join(f"        self.method_{n}(state)\n" for n in range(8))
    judge = f"""class Judge:
    def prosecutor(self, state):
{calls}        return self.adjusted(state)
{methods}
    def adjusted(self, state):
        score = state["score"]
        score -= 1
        return score


def prosecutor(state):
    return Judge().prosecutor(state)
"""
    snapshot = snapshot_of({**FILES, "src/judges.py": judge}, tmp_path)
    overlap = check("persona_overlap", aspect="distinct")
    bundle = laid_out(snapshot, rubric_of(overlap), room=6000)

    assert "def adjusted(self, state):" in texts(bundle, "src/judges.py")
    titles = [omission.title for omission in bundle.omitted]
    assert "Judge.method_1" in titles


def test_claims_show_pages_and_the_code_they_speak_of(snapshot: Snapshot) -> None:
    page = "The judges run in parallel. The rule_of_security caps the verdict, see src/graph.py."
    bundle = laid_out(
        snapshot, rubric_of(check("pdf_paths", aspect="claims_hold")), PdfReading(pages=(page,))
    )

    assert bundle.exhibits[0].kind == "page"
    assert "def build():" in texts(bundle, "src/graph.py")
    assert "def rule_of_security" in texts(bundle, "src/justice.py")


def test_diagram_in_the_repository_stands_beside_the_graph(tmp_path: Path) -> None:
    chart = "# Flow\n\n```mermaid\ngraph TD\n  collect --> prosecutor\n```\n"
    snapshot = snapshot_of({**FILES, "README.md": chart}, tmp_path)
    bundle = laid_out(snapshot, rubric_of(check("diagram", aspect="present")))

    assert "collect --> prosecutor" in texts(bundle, "README.md")
    assert "def build():" in texts(bundle, "src/graph.py")


def test_drawn_diagram_is_written_out_beside_the_graph_of_the_code(snapshot: Snapshot) -> None:
    chart = "```mermaid\ngraph TD\n  collect --> prosecutor\n```"
    pdf = PdfReading(pages=("Flow", chart))
    bundle = laid_out(snapshot, rubric_of(check("diagram", aspect="accurate")), pdf)

    table = next(exhibit for exhibit in bundle.exhibits if exhibit.kind == "diagrams")
    rows = table.text.split("\n")
    assert rows[:2] == ["page 2, read from: mermaid", "  collect -> prosecutor"]
    assert "  START -> collect" in rows[rows.index("the graph of the code") :]


def test_pages_beside_a_diagram_are_shown_and_all_pages_without_one(snapshot: Snapshot) -> None:
    chart = "```mermaid\ngraph TD\n  collect --> prosecutor\n```"
    criterion = rubric_of(check("diagram", aspect="accurate"))
    for drawn, expected in ((chart, {2, 3, 4}), ("no chart", {*range(1, 6)})):
        pages = tuple(drawn if number == 3 else f"Page {number}." for number in range(1, 6))
        bundle = laid_out(snapshot, criterion, PdfReading(pages=pages))
        shown = {exhibit.location.page for exhibit in bundle.exhibits if exhibit.kind == "page"}
        assert shown == expected


def test_long_report_leaves_half_of_the_room_to_the_code(snapshot: Snapshot) -> None:
    claim = "The judges run in parallel."
    pages = tuple(f"Page {n}. {'word ' * 300}{claim if n == 9 else ''}" for n in range(1, 13))
    checks = rubric_of(check("pdf_paths", aspect="claims_hold"))
    bundle = laid_out(snapshot, checks, PdfReading(pages=pages), room=8000)

    page_numbers = [exhibit.location.page for exhibit in bundle.exhibits if exhibit.kind == "page"]
    assert len(page_numbers) < len(pages)
    assert "def build():" in texts(bundle, "src/graph.py")
