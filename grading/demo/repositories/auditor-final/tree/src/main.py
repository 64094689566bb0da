"""Wiring and entry point."""

import sys

from langgraph.graph import END, START, StateGraph

from src.investigate import doc_analyst, evidence_aggregator, repo_investigator, start, vision_inspector
from src.judges import defense, prosecutor, tech_lead
from src.schema import AgentState
from src.verdict import chief_justice, degraded_report


def after_evidence(state: AgentState):
    if "repository" not in state.get("evidences", {}):
        return "degraded_report"
    return ["prosecutor", "defense", "tech_lead"]


def build_graph():
    graph = StateGraph(AgentState)
    graph.add_node("start", start)
    graph.add_node("repo_investigator", repo_investigator)
    graph.add_node("doc_analyst", doc_analyst)
    graph.add_node("vision_inspector", vision_inspector)
    graph.add_node("evidence_aggregator", evidence_aggregator)
    graph.add_node("prosecutor", prosecutor)
    graph.add_node("defense", defense)
    graph.add_node("tech_lead", tech_lead)
    graph.add_node("chief_justice", chief_justice)
    graph.add_node("degraded_report", degraded_report)
    graph.add_edge(START, "start")
    for detective in ("repo_investigator", "doc_analyst", "vision_inspector"):
        graph.add_edge("start", detective)
        graph.add_edge(detective, "evidence_aggregator")
    judges = ["prosecutor", "defense", "tech_lead"]
    graph.add_conditional_edges("evidence_aggregator", after_evidence, [*judges, "degraded_report"])
    for judge in judges:
        graph.add_edge(judge, "chief_justice")
    graph.add_edge("chief_justice", END)
    graph.add_edge("degraded_report", END)
    return graph.compile()


if __name__ == "__main__":
    print(build_graph().invoke({"repo_url": sys.argv[1], "pdf_path": sys.argv[2]})["report"])
