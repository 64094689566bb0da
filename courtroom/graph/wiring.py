"""Wiring of the graph (DESIGN 4).

START -> context_builder -> repo_investigator | doc_analyst | vision_inspector
      -> evidence_aggregator
      -> degraded_report -> END                         (not enough evidence)
      -> prosecutor | defense | tech_lead               (one Send per judge and criterion)
      -> judge_collector
      -> rehearing -> the judges again                  (contested criteria, while rounds are left)
      -> second_hearing -> the judges on outcomes alone (criteria whose text may address graders)
      -> chief_justice -> END
"""

from __future__ import annotations

from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from courtroom.graph.final_report import write_report
from courtroom.graph.nodes import AuditNodes
from courtroom.graph.state import AgentState, JudgeTask
from courtroom.models.judge_answer import Persona

DETECTIVES = ("repo_investigator", "doc_analyst", "vision_inspector")
JUDGES: dict[Persona, str] = {
    "Prosecutor": "prosecutor",
    "Defense": "defense",
    "TechLead": "tech_lead",
}
# Enough for every round that a constitution may ask for, and low enough to stop a loop soon.
RECURSION_LIMIT = 25

Graph = CompiledStateGraph[AgentState, None, AgentState, AgentState]


def build_graph(nodes: AuditNodes) -> Graph:
    """Return the compiled graph of one audit."""
    builder = StateGraph(AgentState)
    builder.add_node("context_builder", nodes.build_context)
    builder.add_node("repo_investigator", nodes.investigate_repository)
    builder.add_node("doc_analyst", nodes.analyse_document)
    builder.add_node("vision_inspector", nodes.inspect_diagrams)
    builder.add_node("evidence_aggregator", nodes.aggregate_evidence)
    builder.add_node("degraded_report", partial(write_report, nodes))
    for judge in JUDGES.values():
        # A judge gets its questions only, not the state.
        builder.add_node(judge, nodes.answer, input_schema=JudgeTask)
    builder.add_node("judge_collector", nodes.collect_opinions)
    builder.add_node("rehearing", nodes.start_rehearing)
    builder.add_node("second_hearing", nodes.start_second_hearing)
    builder.add_node("chief_justice", partial(write_report, nodes))
    _add_edges(builder, nodes)

    graph = builder.compile()
    # Without this, of two tasks that end within two turns of the event loop, langgraph streams the
    # second only when a third ends. An opinion that is not streamed is not stored.
    graph.stream_eager = True
    return graph


def _add_edges(
    builder: StateGraph[AgentState, None, AgentState, AgentState], nodes: AuditNodes
) -> None:
    builder.add_edge(START, "context_builder")
    for detective in DETECTIVES:
        builder.add_edge("context_builder", detective)
    # A list of sources is a join: the aggregator runs once, after all three.
    builder.add_edge(list(DETECTIVES), "evidence_aggregator")

    builder.add_conditional_edges(
        "evidence_aggregator",
        lambda state: _after_aggregation(nodes, state),
        ["degraded_report", *JUDGES.values()],
    )
    builder.add_edge("degraded_report", END)

    for judge in JUDGES.values():
        builder.add_edge(judge, "judge_collector")
    builder.add_conditional_edges(
        "judge_collector", _after_collection, ["rehearing", "second_hearing", "chief_justice"]
    )
    builder.add_conditional_edges(
        "rehearing", lambda state: _sends(nodes.next_round(state)), list(JUDGES.values())
    )
    builder.add_conditional_edges(
        "second_hearing", lambda state: _sends(nodes.outcomes_round(state)), list(JUDGES.values())
    )
    builder.add_edge("chief_justice", END)


def _after_aggregation(nodes: AuditNodes, state: AgentState) -> str | list[Send]:
    if not nodes.has_enough_evidence(state):
        return "degraded_report"
    return _sends(nodes.first_round(state))


def _after_collection(state: AgentState) -> str:
    if state["contested"]:
        return "rehearing"
    return "second_hearing" if state["doubtful"] else "chief_justice"


def _sends(tasks: list[tuple[Persona, Any]]) -> list[Send]:
    return [Send(JUDGES[persona], task) for persona, task in tasks]
