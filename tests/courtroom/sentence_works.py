"""Small works for the table of sentences: with what a check asks for, without it, or loosely.

What the demo submissions show already is not shown again.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from courtroom.models.project_facts import EntryCounts, ExchangeFact, RelevanceFact
from grading.demo.pdf_writer import Page, make_pdf
from tests.courtroom.analysis.project.test_own_audits import SELF, audit
from tests.courtroom.analysis.security.test_committed_secrets import PROVIDER
from tests.factories.repositories import FIRST_COMMIT_AT, Commit, make_repository
from tests.factories.student_project import STATE

LOG = """# Log

2026-01-05: finished the parser and shared it.

2026-01-06: blocked by the clone, asked for help.

2026-01-07: decided on one reducer per key.
"""
TESTS = """import pytest

from src.add import add


def test_numbers_are_added():
    assert add(1, 2) == 3


def test_words_are_refused():
    with pytest.raises(TypeError):
        add(1, "a")
"""
PROJECT = """[project]
name = "adder"

[tool.ruff]
line-length = 100

[tool.mypy]
strict = true
"""
WORKFLOW = "on: [push]\njobs:\n  test:\n    steps:\n      - run: pytest\n"
PEER_REPORT = audit(url="https://github.com/bo/other-work") + (
    "\n## Remediation\n\n- src/graph.py: give every key a reducer.\n"
)
COMPLETE = {
    "README.md": "# Adder\n\nIts self-audit has an overall score of 3.0/5.\n",
    ".gitignore": "__pycache__/\n",
    "LICENSE": "MIT\n",
    "pyproject.toml": PROJECT,
    "src/add.py": "def add(a, b):\n    return a + b\n",
    "tests/test_add.py": TESTS,
    ".github/workflows/test.yml": WORKFLOW,
    ".pre-commit-config.yaml": "repos: []\n",
    "Dockerfile": "FROM python:3.12\n",
    ".env.example": "KEY=\n",
    "docs/design.md": "# Design\n\nCaching is deferred because it needs a key first.\n",
    "CHANGELOG.md": "# Changes\n\n- Addressed the finding on empty sums.\n",
    SELF: audit(),
    "audit/report_onpeer_generated/a.md": PEER_REPORT,
    "audit/report_bypeer_received/b.md": audit(),
    "audit/communication_log.md": LOG,
}
GRAPH = """from langgraph.graph import END, START, StateGraph

from src.detectives import doc_analyst, repo_investigator, vision_inspector
from src.judges import chief_justice, defense, prosecutor, tech_lead
from src.state import AgentState

builder = StateGraph(AgentState)
builder.add_node("repo_investigator", repo_investigator)
builder.add_node("doc_analyst", doc_analyst)
builder.add_node("vision_inspector", vision_inspector)
builder.add_node("aggregator", lambda state: {})
builder.add_node("cleaner", lambda state: {})
builder.add_node("prosecutor", prosecutor)
builder.add_node("defense", defense)
builder.add_node("tech_lead", tech_lead)
builder.add_node("chief_justice", chief_justice)
builder.add_node("watcher", lambda state: {})
for name in ("repo_investigator", "doc_analyst", "vision_inspector"):
    builder.add_edge(START, name)
    builder.add_edge(name, "aggregator")
for name in ("prosecutor", "defense", "tech_lead"):
    builder.add_edge("aggregator", name)
    builder.add_edge(name, "chief_justice")
builder.add_edge("chief_justice", END)
builder.add_edge("cleaner", END)
builder.add_edge("chief_justice", "watcher")
builder.add_edge("watcher", "watcher")
graph = builder.compile()
"""
TOOLS = """import subprocess
import tempfile


def clone_repo(url):
    subprocess.run(["git", "clone", "--depth", "1", url, "work"])
    subprocess.run(["git", "log"], cwd="work")


def clone_docs(url):
    folder = tempfile.TemporaryDirectory()
    subprocess.run(["git", "clone", "--depth=1", url, folder.name])
    return folder.name
"""
DETECTIVES = """from src.nowhere import look
from src.state import Evidence
from src.tools import clone_docs, clone_repo


def repo_investigator(state):
    seen = look(clone_repo(state["repo_link"]))
    found = Evidence(goal="git", found=True, content="Sandboxed.", location="x", confidence=1.0)
    return {"evidences": {"repo": found}, "repo_url": "a"}


def doc_analyst(state):
    evidence = claimed(state)
    if not state["pdf_path"]:
        return {"pages": 0}
    named = Evidence(goal="name", found=True, content="It is named.", location="x", confidence=0.9)
    return {"pages": 3}


def claimed(state):
    return [clone_docs(state)]


def vision_inspector(state):
    look = Evidence(goal="look", found=True, content="None.", location="x", confidence=1.0)
    return {"evidences": {"images": image_count, "look": look}, "images": 1, "repo_url": "b"}
"""
JUDGES = """from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field

llm = ChatOpenAI()  # Nothing of rubric.json is handed on.


class ProsecutorOpinion(BaseModel):
    score: int = Field(ge=1, le=2)
    argument: str


class DefenseOpinion(BaseModel):
    score: int = Field(ge=4, le=5)
    argument: str


def prosecutor(state):
    answer = llm.invoke("Judge as the Prosecutor.")
    return {"opinions": [ProsecutorOpinion(score=1, argument=answer.content)]}


def defense(state):
    try:
        answer = llm.invoke("Judge as the Defense.")
    except ValueError:
        return {"opinions": [DefenseOpinion(score=4, argument="It failed.")]}
    return {"opinions": [DefenseOpinion(score=5, argument=answer.content)]}


def tech_lead(state):
    return {"opinions": [verdict_of(state)]}


def chief_justice(state):
    notes = summarise(state)
    scores = [opinion.score for opinion in state["opinions"]]
    return {"opinions": state["opinions"], "final": sum(scores) / len(total)}


def summarise(state):
    opinions = state["opinions"]
    return [{"argument": opinion.argument, "remediation": "Improve it."} for opinion in opinions]
"""
RULES_OF_OPINIONS = """def chief_justice(state):
    scores = [opinion.score for opinion in state["opinions"]]
    final_score = sum(scores) / len(scores)
    if any("security" in opinion.argument.lower() for opinion in state["opinions"]):
        final_score = min(final_score, 3)
    dissent = ""
    if max(scores) - min(scores) > 2:
        dissent = f"Dissent: the scores lie from {min(scores)} to {max(scores)}."
    return {"final_score": final_score, "dissent": dissent}
"""
ONE_CRITERION = """    import json

    opinions = []
    for criterion in json.load(open("rubric.json"))["dimensions"]:
        if criterion["name"] == "Graph Orchestration":
            opinions.append(llm.invoke(TECH_LEAD_PROMPT))
    return {"opinions": opinions}"""
# Three prompts that share most of their text, and say nothing of what their judge is for.
SHARED_PROMPTS = "".join(
    f'{judge}_PROMPT = "You are the {judge}. {own} {"Read every line of the evidence with care. " * 12}"\n\n\n'
    for judge, own in (
        ("PROSECUTOR", "Begin at the first file and read on to the last one of the list."),
        ("DEFENSE", "Begin with the page that names the authors and their dates of birth."),
        ("TECH_LEAD", "Begin in the middle of the tree where the longest names of files stand."),
    )
)
RUBRIC = (
    '{{"dimensions": [{{"name": "Graph Orchestration"}}, {{"name": "State Management"}}{more}]}}'
)
PROMPTS = f'DEFENSE_PROMPT = "{"Credit the effort that the work shows. " * 6}"\n'
DANGERS = """import pickle
import sqlite3
import sys

import requests

PASSWORD = "{secret}"


def load(url):
    return pickle.loads(requests.get(url, verify=False).content)


def find(name):
    return sqlite3.connect("a").execute("SELECT * FROM works WHERE name = '" + name + "'")


load(sys.argv[1])
find(sys.argv[2])
"""
FAULTY = {
    "docs/README.md": "Its self-audit has an overall score of 4.9/5.\n",
    "src/state.py": STATE.replace("    evidences", "    repo_url: str\n    evidences"),
    "src/graph.py": GRAPH,
    "src/tools.py": TOOLS,
    "src/detectives.py": DETECTIVES,
    "src/judges.py": JUDGES,
    "src/prompts.py": PROMPTS,
    "main.py": "from src.graph import graph\n\ngraph.invoke({})\n",
    "src/dangers.py": DANGERS.format(secret=PROVIDER),
    ".env": "KEY=\n",
    "web/app.js": "eval(location.hash)\n",
    "web/app.ts": "eval(location.hash)\n",
    "src/__pycache__/state.pyc": "0",
    ".DS_Store": "0",
    SELF: audit("The work is good.", score=2),
    "rubric.json": RUBRIC.format(more=', {"name": "Report Accuracy"}'),
}
LOOSE = {
    "src/state.py": FAULTY["src/state.py"],
    "src/graph.py": GRAPH,
    "src/detectives.py": DETECTIVES,
    "src/judges.py": SHARED_PROMPTS
    + JUDGES.partition("def chief_justice")[0]
    .replace('"Judge as the Prosecutor."', "PROSECUTOR_PROMPT")
    .replace('"Judge as the Defense."', "DEFENSE_PROMPT")
    .replace('    return {"opinions": [verdict_of(state)]}', ONE_CRITERION)
    + RULES_OF_OPINIONS,
    SELF: audit(score=2),
    "rubric.json": RUBRIC.format(more=""),
    "main.py": FAULTY["main.py"],
}
CLAIMS = (
    "The auditor",
    "The clone in src/sandbox.py goes into a temporary directory and has a timeout.",
    "The rules stand in src/rules.py, the models in src/models.py, the tests in src/checks.py.",
    "The functions run_sandbox(), weigh_opinions() and write_verdict() are the core.",
    "Every judge answers in a schema by with_structured_output(), with retries.",
    "[Insert the results of the self-audit here]",
)
DRAWN = ("START", "|", "|---> add ----+", "|---> check ----+", "|", "v", "END")
COMPLETE_EXCHANGE = ExchangeFact(
    generated=1,
    received=1,
    findings_received=4,
    answered=4,
    fixed=3,
    fixes_verified=2,
    entries=EntryCounts(progress=1, blocker=1, design=1),
    relevance=RelevanceFact(stated=4, with_place=4, confirmed=3, duplicates=0),
)
FAULTY_EXCHANGE = ExchangeFact(
    findings_received=4,
    fixed=1,
    relevance=RelevanceFact(stated=4, with_place=1, confirmed=1, duplicates=2),
)


def complete_work(folder: Path) -> tuple[Path, Path]:
    """Make a repository of sixteen commits on as many days, and its report."""
    commits = [
        Commit(f"Add {path}", {path: text}, when=FIRST_COMMIT_AT + timedelta(days=day))
        for day, (path, text) in enumerate(COMPLETE.items())
    ]
    make_repository(folder / "complete.git", commits)
    lines = ["Limitations", "A limitation is that only numbers are added.", *DRAWN]
    return folder / "complete.git", make_pdf(folder / "complete.pdf", [Page(lines=lines)])


def loose_work(folder: Path) -> Path:
    """Make a repository whose rules of the verdict read what judges say and score."""
    make_repository(folder / "loose.git", [Commit("Work", LOOSE)])
    return folder / "loose.git"


def faulty_work(folder: Path) -> tuple[Path, Path]:
    """Make a repository of one commit, and a report that claims what is not there."""
    make_repository(folder / "faulty.git", [Commit("Work", FAULTY)])
    return folder / "faulty.git", make_pdf(folder / "faulty.pdf", [Page(lines=CLAIMS)])
