import sys

from langgraph.graph import END, START, StateGraph

from auditor.detectives import doc_analyst, evidence_aggregator, repo_investigator
from auditor.judges import defense, prosecutor, tech_lead
from auditor.justice import chief_justice
from auditor.state import AuditState


def build():
    g = StateGraph(AuditState)
    for node in (repo_investigator, doc_analyst, evidence_aggregator, prosecutor, defense, tech_lead, chief_justice):
        g.add_node(node.__name__, node)
    g.add_edge(START, "repo_investigator")
    g.add_edge(START, "doc_analyst")
    g.add_edge(["repo_investigator", "doc_analyst"], "evidence_aggregator")
    for judge in ("prosecutor", "defense", "tech_lead"):
        g.add_edge("evidence_aggregator", judge)
    g.add_edge(["prosecutor", "defense", "tech_lead"], "chief_justice")
    g.add_edge("chief_justice", END)
    return g.compile()


if __name__ == "__main__":
    print(build().invoke({"repo_url": sys.argv[1], "pdf_path": sys.argv[2]})["report"])
