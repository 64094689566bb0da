"""The wiring, and nothing else."""

from langgraph.graph import END, START, StateGraph

from tribunal.detectives import context_builder, doc_analyst, evidence_aggregator, repo_investigator, vision_inspector
from tribunal.judges import defense, prosecutor, tech_lead
from tribunal.justice import chief_justice
from tribunal.report import insufficient_evidence, write_report
from tribunal.state import AgentState

DETECTIVES = {
    "repo_investigator": repo_investigator,
    "doc_analyst": doc_analyst,
    "vision_inspector": vision_inspector,
}
JUDGES = {"prosecutor": prosecutor, "defense": defense, "tech_lead": tech_lead}


def route_on_evidence(state: AgentState) -> list[str] | str:
    """All judges at once; or, when the repository could not be read, a report that says so."""
    if not state.get("evidences", {}).get("repository"):
        return "insufficient_evidence"
    return list(JUDGES)


def build_graph():
    builder = StateGraph(AgentState)
    builder.add_node("context_builder", context_builder)
    builder.add_node("evidence_aggregator", evidence_aggregator)
    builder.add_node("insufficient_evidence", insufficient_evidence)
    builder.add_node("chief_justice", chief_justice)
    builder.add_node("write_report", write_report)
    for name, node in {**DETECTIVES, **JUDGES}.items():
        builder.add_node(name, node)

    builder.add_edge(START, "context_builder")
    for name in DETECTIVES:
        builder.add_edge("context_builder", name)
    builder.add_edge(list(DETECTIVES), "evidence_aggregator")
    builder.add_conditional_edges("evidence_aggregator", route_on_evidence, [*JUDGES, "insufficient_evidence"])
    builder.add_edge(list(JUDGES), "chief_justice")
    builder.add_edge("chief_justice", "write_report")
    builder.add_edge("write_report", END)
    builder.add_edge("insufficient_evidence", END)
    return builder.compile()
