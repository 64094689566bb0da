"""The pipeline in one line of nodes."""

import sys

from langgraph.graph import END, START, StateGraph

from pipeline.judges import defense, prosecutor, tech_lead
from pipeline.models import PipelineState
from pipeline.steps import doc_analyst, repo_investigator, vision_inspector
from pipeline.verdict import chief_justice

STEPS = {
    "repo_investigator": repo_investigator,
    "doc_analyst": doc_analyst,
    "vision_inspector": vision_inspector,
    "prosecutor": prosecutor,
    "defense": defense,
    "tech_lead": tech_lead,
    "chief_justice": chief_justice,
}


def build_pipeline():
    builder = StateGraph(PipelineState)
    previous = START
    for name, step in STEPS.items():
        builder.add_node(name, step)
        builder.add_edge(previous, name)
        previous = name
    builder.add_edge(previous, END)
    return builder.compile()


if __name__ == "__main__":
    print(build_pipeline().invoke({"repo_url": sys.argv[1], "pdf_path": sys.argv[2]})["verdict"])
