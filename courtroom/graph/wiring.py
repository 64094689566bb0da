"""The wiring of the courtroom, and nothing else (DESIGN 4).

START -> context_builder -> repo_investigator | doc_analyst | vision_inspector -> evidence_aggregator
      -> degraded_report -> END                                   (not enough evidence)
      -> prosecutor | defense | tech_lead (one Send per judge and criterion) -> judge_collector
      -> rehearing -> the judges again                            (contested criteria, while rounds are left)
      -> chief_justice -> END
"""

from __future__ import annotations

from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from courtroom.graph.final_report import deliver
from courtroom.graph.nodes import Court
from courtroom.graph.state import AgentState, Hearing
from courtroom.models.record import Persona

DETECTIVES = ("repo_investigator", "doc_analyst", "vision_inspector")
JUDGES: dict[Persona, str] = {
    "Prosecutor": "prosecutor",
    "Defense": "defense",
    "TechLead": "tech_lead",
}
# Enough for every re-hearing a constitution may ask for; langgraph's own default would not stop a loop for long.
RECURSION_LIMIT = 25

Graph = CompiledStateGraph[AgentState, None, AgentState, AgentState]


def build_graph(court: Court) -> Graph:
    """The compiled graph for one court."""
    builder = StateGraph(AgentState)
    builder.add_node("context_builder", court.build_context)
    builder.add_node("repo_investigator", court.investigate_repository)
    builder.add_node("doc_analyst", court.analyse_document)
    builder.add_node("vision_inspector", court.inspect_diagrams)
    builder.add_node("evidence_aggregator", court.aggregate_evidence)
    builder.add_node("degraded_report", partial(deliver, court))
    for judge in JUDGES.values():
        builder.add_node(judge, court.answer, input_schema=Hearing)
    builder.add_node("judge_collector", court.collect_opinions)
    builder.add_node("rehearing", court.call_again)
    builder.add_node("chief_justice", partial(deliver, court))
    _wire(builder, court)
    graph = builder.compile()
    # Else, of two tasks that end within two turns of the event loop, the second is told only when a third ends; and
    # an opinion that is not told is not stored, and would be bought again.
    graph.stream_eager = True
    return graph


def _wire(builder: StateGraph[AgentState, None, AgentState, AgentState], court: Court) -> None:
    builder.add_edge(START, "context_builder")
    for detective in DETECTIVES:
        builder.add_edge("context_builder", detective)
    builder.add_edge(list(DETECTIVES), "evidence_aggregator")
    builder.add_conditional_edges(
        "evidence_aggregator",
        lambda state: _open_hearing(court, state),
        ["degraded_report", *JUDGES.values()],
    )
    builder.add_edge("degraded_report", END)
    for judge in JUDGES.values():
        builder.add_edge(judge, "judge_collector")
    builder.add_conditional_edges(
        "judge_collector", _after_collection, ["rehearing", "chief_justice"]
    )
    builder.add_conditional_edges(
        "rehearing", lambda state: _sends(court.hearings_again(state)), list(JUDGES.values())
    )
    builder.add_edge("chief_justice", END)


def _open_hearing(court: Court, state: AgentState) -> str | list[Send]:
    if not court.has_enough_evidence(state):
        return "degraded_report"
    return _sends(court.first_hearings(state))


def _after_collection(state: AgentState) -> str:
    return "rehearing" if state["contested"] else "chief_justice"


def _sends(hearings: list[tuple[Persona, Any]]) -> list[Send]:
    return [Send(JUDGES[persona], hearing) for persona, hearing in hearings]
