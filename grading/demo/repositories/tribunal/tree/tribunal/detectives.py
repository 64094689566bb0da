"""The detectives. Each returns only its own part of the state; none of them scores anything."""

import re
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PdfReadError

from tribunal.repository import CloneFailed, cloned, find_graph, find_shell_calls, parse_sources, read_history
from tribunal.state import AgentState, Evidence

TERMS = ("dialectical synthesis", "fan-in", "metacognition", "state synchronization")
PATH = re.compile(r"\b[\w/]+\.py\b")


def context_builder(state: AgentState) -> dict[str, Any]:
    """Start from a clean record, whatever the caller handed in."""
    return {"errors": [] if state.get("repo_url") else ["no repository was named"]}


def repo_investigator(state: AgentState) -> dict[str, Any]:
    try:
        with cloned(state["repo_url"]) as tree:
            history, sources = read_history(tree), parse_sources(tree)
    except CloneFailed as error:
        return {"errors": [f"repository: {error}"]}
    graph, shell = find_graph(sources), find_shell_calls(sources)
    evidence = [
        Evidence(
            id="repo-history", goal="The work grew in steps", found=len(history) > 3, location="git log",
            content="\n".join(subject for _, _, subject in history[:20]),
        ),
        Evidence(
            id="repo-graph", goal="A StateGraph is wired", found=graph is not None,
            location=f"{graph[0]}:{graph[1]}" if graph else "every Python file",
            content=f"{graph[2]} edges" if graph else "",
        ),
        *(
            Evidence(id=f"repo-shell-{n}", goal="Nothing reaches a shell", found=True, location=f"{path}:{line}", is_security=True)
            for n, (path, line) in enumerate(shell)
        ),
    ]
    return {"evidences": {"repository": evidence}}


def _pages(pdf_path: str) -> list[str]:
    return [" ".join((page.extract_text() or "").split()) for page in PdfReader(pdf_path).pages]


def doc_analyst(state: AgentState) -> dict[str, Any]:
    try:
        pages = _pages(state["pdf_path"])
    except (OSError, PdfReadError, KeyError) as error:
        return {"errors": [f"report: {error}"]}
    evidence = []
    for term in TERMS:
        hits = [number for number, text in enumerate(pages, start=1) if term in text.lower()]
        where = f"page {hits[0]}" if hits else f"{len(pages)} pages"
        evidence.append(Evidence(id=f"doc-{term}", goal=f"The report explains {term}", found=bool(hits), location=where))
    named = sorted({path for text in pages for path in PATH.findall(text)})
    evidence.append(
        Evidence(id="doc-paths", goal="Files the report names", found=bool(named), location="report", content="\n".join(named))
    )
    return {"evidences": {"document": evidence}}


def vision_inspector(state: AgentState) -> dict[str, Any]:
    try:
        sizes = [len(page.images) for page in PdfReader(state["pdf_path"]).pages]
    except (OSError, PdfReadError, KeyError) as error:
        return {"errors": [f"diagrams: {error}"]}
    seen = Evidence(
        id="vision-images", goal="The report draws the graph", found=sum(sizes) > 0, location="report",
        content=f"{sum(sizes)} images", confidence=0.6,
    )
    return {"evidences": {"vision": [seen]}}


def evidence_aggregator(state: AgentState) -> dict[str, Any]:
    """Runs once, after all three: what the report claims is held against what the repository has."""
    evidences = state.get("evidences", {})
    claimed = next((e.content.split("\n") for e in evidences.get("document", []) if e.id == "doc-paths"), [])
    graph = next((e.location for e in evidences.get("repository", []) if e.id == "repo-graph"), "")
    agrees = any(path and graph.startswith(path) for path in claimed)
    checked = Evidence(id="cross-graph", goal="The report names the file that wires the graph", found=agrees, location=graph)
    return {"evidences": {"cross_reference": [checked]}}
