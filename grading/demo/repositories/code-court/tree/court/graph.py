"""Detectives in parallel, then judges in parallel, then the chief justice."""

from langgraph.graph import END, START, StateGraph

from court.detectives import doc_detective, evidence_collector, repo_detective
from court.judges import defense, prosecutor, tech_lead
from court.justice import chief_justice
from court.state import CourtState


def build():
    graph = StateGraph(CourtState)
    graph.add_node("repo_detective", repo_detective)
    graph.add_node("doc_detective", doc_detective)
    graph.add_node("evidence_collector", evidence_collector)
    graph.add_node("prosecutor", prosecutor)
    graph.add_node("defense", defense)
    graph.add_node("tech_lead", tech_lead)
    graph.add_node("chief_justice", chief_justice)

    graph.add_edge(START, "repo_detective")
    graph.add_edge(START, "doc_detective")
    graph.add_edge("repo_detective", "evidence_collector")
    graph.add_edge("doc_detective", "evidence_collector")
    graph.add_edge("evidence_collector", "prosecutor")
    graph.add_edge("evidence_collector", "defense")
    graph.add_edge("evidence_collector", "tech_lead")
    graph.add_edge("prosecutor", "chief_justice")
    graph.add_edge("defense", "chief_justice")
    graph.add_edge("tech_lead", "chief_justice")
    graph.add_edge("chief_justice", END)
    return graph.compile()
