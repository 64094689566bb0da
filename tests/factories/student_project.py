"""A small student project to audit: a LangGraph auditor in a few files, made for these tests."""

from pathlib import Path

from courtroom.models.case import Case
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.constitutions import preset
from tests.factories.repositories import Commit, make_repository

STATE = '''"""State of the auditor."""
import operator
from typing import Annotated, TypedDict

from pydantic import BaseModel, Field


class Evidence(BaseModel):
    goal: str
    found: bool


class JudicialOpinion(BaseModel):
    score: int = Field(ge=1, le=5)
    argument: str


class AgentState(TypedDict):
    evidences: Annotated[dict, operator.ior]
    opinions: Annotated[list, operator.add]
'''
GRAPH = """from langgraph.graph import END, START, StateGraph

from src.state import AgentState


def build_graph():
    builder = StateGraph(AgentState)
    for name in ("repo_investigator", "doc_analyst", "vision_inspector", "evidence_aggregator"):
        builder.add_node(name, lambda state: {})
    for name in ("prosecutor", "defense", "tech_lead", "chief_justice"):
        builder.add_node(name, lambda state: {})
    for name in ("repo_investigator", "doc_analyst", "vision_inspector"):
        builder.add_edge(START, name)
        builder.add_edge(name, "evidence_aggregator")
    for name in ("prosecutor", "defense", "tech_lead"):
        builder.add_edge("evidence_aggregator", name)
        builder.add_edge(name, "chief_justice")
    builder.add_edge("chief_justice", END)
    return builder.compile()
"""
TOOLS = """import os


def clone_repo(url):
    os.system("git clone " + url)
"""
MAIN = """import sys

from src.graph import build_graph
from src.tools import clone_repo

if __name__ == "__main__":
    clone_repo(sys.argv[1])
    build_graph().invoke({})
"""


def student_repository(folder: Path) -> Path:
    """A bare repository of five commits; the tools shell out with the user's address."""
    path = folder / "student.git"
    make_repository(
        path,
        [
            Commit(
                "Set the project up",
                {"README.md": "# Auditor\n", "pyproject.toml": "[project]\nname='a'\n"},
            ),
            Commit("Add the state with reducers", {"src/state.py": STATE}),
            Commit("Add tools that clone", {"src/tools.py": TOOLS}),
            Commit("Wire the graph", {"src/graph.py": GRAPH}),
            Commit("Add an entry point", {"main.py": MAIN}),
        ],
    )

    return path


def case_of(repository: Path, **fields) -> Case:
    settings = {
        "rubric": shipped_rubric("self_audit"),
        "constitution": preset("default"),
        "allow_local": True,
    }
    return Case(repo_url=str(repository), **{**settings, **fields})
