"""StateGraph with parallel detectives, fan-in aggregator, parallel judges and conditional error route.

builder = StateGraph(AgentState)
builder.add_edge(START, "repo_investigator")
builder.add_edge(START, "doc_analyst")
builder.add_edge(["repo_investigator", "doc_analyst"], "evidence_aggregator")
builder.add_conditional_edges("evidence_aggregator", route, ["prosecutor", "defense", "tech_lead", "degraded"])
builder.add_edge(["prosecutor", "defense", "tech_lead"], "chief_justice")
"""

EDGES = 'add_edge("evidence_aggregator", "prosecutor") add_edge("evidence_aggregator", "defense")'


def build_graph():
    # StateGraph fan-out fan-in parallel superstep conditional_edges
    return {"graph": "StateGraph", "edges": EDGES, "parallel": True}
