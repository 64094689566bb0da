"""Small work whose faults each have a step that mends it: an auditor as students hand it in."""

from __future__ import annotations

import asyncio
from pathlib import Path

from courtroom import AuditReport, BenchSettings, Case, Known, hold_audit, preset, shipped_rubric
from courtroom.models.audit_report import Remediation
from tests.factories.repositories import Commit, make_repository

STATE = """\
import operator
from typing import Annotated, TypedDict

from pydantic import BaseModel, Field


class Evidence(BaseModel):
    goal: str
    found: bool


class Verdict(BaseModel):
    judge: str


class JudicialOpinion(BaseModel):
    judge: str
    score: int = Field(ge=1, le=5)
    argument: str


class CourtState(TypedDict, total=False):
    repo_url: str
    proofs: Annotated[dict[str, list[Evidence]], operator.ior]
    opinions: Annotated[list[JudicialOpinion], operator.add]
    final: int
"""
GRAPH = """\
from langgraph.graph import END, START, StateGraph

from src.detectives import aggregate, doc_analyst, repo_investigator
from src.judges import defense, prosecutor, tech_lead
from src.justice import chief_justice
from src.state import CourtState

flow = StateGraph(CourtState)
flow.add_node("repo_investigator", repo_investigator)
flow.add_node("doc_analyst", doc_analyst)
flow.add_node("aggregator", aggregate)
flow.add_node("prosecutor", prosecutor)
flow.add_node("defense", defense)
flow.add_node("tech_lead", tech_lead)
flow.add_node("chief_justice", chief_justice)
flow.add_edge(START, "repo_investigator")
flow.add_edge(START, "doc_analyst")
flow.add_edge("repo_investigator", "aggregator")
flow.add_edge("doc_analyst", "aggregator")
flow.add_edge("aggregator", "prosecutor")
flow.add_edge("prosecutor", "defense")
flow.add_edge("defense", "tech_lead")
flow.add_edge("tech_lead", "chief_justice")
flow.add_edge("chief_justice", END)
graph = flow.compile()
"""
DETECTIVES = """\
from src.state import Evidence
from src.tools import fetch


def repo_investigator(state):
    try:
        folder = fetch(state["repo_url"])
    except RuntimeError:
        folder = ""
    return {"proofs": {"repo": [Evidence(goal="git", found=bool(folder))]}, "folder": folder}


def doc_analyst(state):
    folder = state.get("folder")
    return {"proofs": {"doc": [Evidence(goal="report", found=bool(folder))]}}


def aggregate(state):
    return {"proofs": {}}
"""
TOOLS = """\
import subprocess
import tempfile


def fetch(repo_url):
    folder = tempfile.mkdtemp()
    try:
        subprocess.run(["git", "clone", repo_url, folder], check=True)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(str(error)) from error
    return folder
"""
JUDGES = """\
from langchain_openai import ChatOpenAI

from src.state import JudicialOpinion

llm = ChatOpenAI().with_structured_output(JudicialOpinion)


def ask(persona, state):
    text = f"You are the {persona}. Judge {state['proofs']}."
    try:
        return llm.invoke(text)
    except Exception:
        return JudicialOpinion(judge=persona, score=0, argument="The model failed.")


def prosecutor(state):
    return {"opinions": [ask("Prosecutor", state)]}


def defense(state):
    return {"opinions": [ask("Defense", state)]}


def tech_lead(state):
    return {"opinions": [ask("TechLead", state)]}
"""
JUSTICE = """\
def chief_justice(state):
    scores = [opinion.score for opinion in state["opinions"]]
    return {"final": round(sum(scores) / len(scores))}
"""
WORK = {
    "src/state.py": STATE,
    "src/graph.py": GRAPH,
    "src/detectives.py": DETECTIVES,
    "src/tools.py": TOOLS,
    "src/judges.py": JUDGES,
    "src/justice.py": JUSTICE,
    "main.py": 'from src.graph import graph\n\ngraph.invoke({"repo_url": "https://a.example/b"})\n',
}


def audited(folder: Path, work: dict[str, str], criterion: str | None = None) -> AuditReport:
    """Audit the work under the self-audit, or one criterion of it, without a PDF."""
    make_repository(folder, [Commit("Work", work)])
    rubric = shipped_rubric("self_audit")
    chosen = tuple(c for c in rubric.criteria if criterion in {None, c.id})
    case = Case(
        repo_url=str(folder),
        pdf=None,
        rubric=rubric.model_copy(update={"criteria": chosen}),
        constitution=preset("default"),
        allow_local=True,
    )
    return asyncio.run(_held(case))


async def _held(case: Case) -> AuditReport:
    events = [event async for event in hold_audit(case, bench=BenchSettings(), known=Known())]
    report = events[-1].report
    assert report is not None
    return report


def outcomes_of(report: AuditReport) -> dict[str, bool | None]:
    return {row.check: row.met for criterion in report.criteria for row in criterion.checks}


def example_of(report: AuditReport, check: str) -> str:
    """Return the example of the check's first step."""
    return steps_on(report, check)[0].snippet or ""


def steps_on(report: AuditReport, check: str) -> list[Remediation]:
    """Return the steps of the check's criterion that cite its evidence."""
    return [
        step
        for criterion in report.criteria
        for row in criterion.checks
        if row.check == check
        for step in criterion.remediation
        if {*step.evidence} & {*row.evidence}
    ]
