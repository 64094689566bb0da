"""Wiring of the graph (DESIGN 4).

START -> context_builder -> repo_investigator | doc_analyst | vision_inspector
      -> evidence_aggregator
      -> insufficient_evidence -> END                   (no criterion can be judged)
      -> error_collector                                (a detective failed: what is left to judge)
      -> exhibit_selection                              (what the judges read, where models judge)
      -> screening                                      (of its prose, beside judges who wait for it)
      -> prosecutor | defense | tech_lead               (one Send per judge and criterion)
      -> judge_collector
      -> rehearing -> the judges again                  (contested criteria, while rounds are left)
      -> second_hearing -> the judges on outcomes alone (criteria whose text may address graders)
      -> chief_justice -> END

No exception of a node ends the audit (guarded_nodes.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from courtroom.graph.final_report import write_report
from courtroom.graph.guarded_nodes import (
    Node,
    Substitute,
    Substitutes,
    guarded,
    guarded_route,
    record_failure,
)
from courtroom.graph.nodes import AuditNodes
from courtroom.graph.state import JUDGES, AgentState, JudgeTask
from courtroom.models.judge_answer import Persona

DETECTIVES = ("repo_investigator", "doc_analyst", "vision_inspector")
# Enough for every round that a constitution may ask for, and low enough to stop a loop soon.
RECURSION_LIMIT = 25

Graph = CompiledStateGraph[AgentState, None, AgentState, AgentState]


def build_graph(nodes: AuditNodes) -> Graph:
    """Return the compiled graph of one audit."""
    builder, substitutes = StateGraph(AgentState), Substitutes(nodes)

    def add(stage: str, node: Node, substitute: Substitute) -> None:
        builder.add_node(stage, guarded(stage, node, substitute), input_schema=AgentState)

    add("context_builder", nodes.build_context, record_failure("context_builder", targets={}))
    add(
        "repo_investigator", nodes.investigate_repository, substitutes.detective("RepoInvestigator")
    )
    add("doc_analyst", nodes.analyse_document, substitutes.detective("DocAnalyst"))
    add("vision_inspector", nodes.inspect_diagrams, substitutes.detective("VisionInspector"))
    add("evidence_aggregator", nodes.aggregate_evidence, substitutes.dossier)
    # Without materials no question can be put: then the route below goes to the Chief Justice.
    add(
        "exhibit_selection",
        nodes.select_exhibits,
        record_failure("exhibit_selection", materials={}),
    )
    add("screening", nodes.screen_prose, record_failure("screening"))
    for judge in JUDGES.values():
        # A judge gets its questions only, not the state.
        answer = guarded(judge, nodes.answer, substitutes.answers)
        builder.add_node(judge, answer, input_schema=JudgeTask)
    no_more_rounds = record_failure("judge_collector", contested=[], doubtful=[])
    add("judge_collector", nodes.collect_opinions, no_more_rounds)
    add("rehearing", nodes.start_rehearing, record_failure("rehearing"))
    add("second_hearing", nodes.start_second_hearing, record_failure("second_hearing"))
    add("error_collector", nodes.collect_errors, record_failure("error_collector"))
    for stage in ("insufficient_evidence", "chief_justice"):
        add(stage, partial(write_report, nodes), substitutes.report(stage))
    _add_edges(builder, nodes)

    graph = builder.compile()
    # Without this, of two tasks that end within two turns of the event loop, langgraph streams the
    # second only when a third ends. An opinion that is not streamed is not stored.
    graph.stream_eager = True
    return graph


def draw_graph() -> str:
    """Return the compiled graph as a Mermaid flowchart; conditional routes are dashed."""
    # No node runs, so the nodes need no case.
    graph = build_graph(AuditNodes.__new__(AuditNodes))
    return graph.get_graph().draw_mermaid(with_styles=False)


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
        guarded_route(
            "evidence_aggregator",
            lambda state: _after_aggregation(nodes, state),
            instead="chief_justice",
        ),
        [
            "insufficient_evidence",
            "error_collector",
            "exhibit_selection",
            *JUDGES.values(),
            "chief_justice",
        ],
    )
    builder.add_conditional_edges(
        "error_collector",
        guarded_route(
            "error_collector", lambda state: _to_judges(nodes, state), instead="chief_justice"
        ),
        ["exhibit_selection", *JUDGES.values(), "chief_justice"],
    )
    builder.add_conditional_edges(
        "exhibit_selection",
        guarded_route(
            "exhibit_selection",
            lambda state: _after_selection(nodes, state),
            instead="chief_justice",
        ),
        ["screening", *JUDGES.values(), "chief_justice"],
    )
    builder.add_edge("screening", "judge_collector")
    builder.add_edge("insufficient_evidence", END)

    for judge in JUDGES.values():
        builder.add_edge(judge, "judge_collector")
    builder.add_conditional_edges(
        "judge_collector", _after_collection, ["rehearing", "second_hearing", "chief_justice"]
    )
    _add_hearing(builder, "rehearing", nodes.next_round)
    _add_hearing(builder, "second_hearing", nodes.outcomes_round)
    builder.add_edge("chief_justice", END)


def _add_hearing(
    builder: StateGraph[AgentState, None, AgentState, AgentState],
    stage: str,
    tasks: Callable[[AgentState], list[tuple[Persona, JudgeTask]]],
    *,
    instead: str = "chief_justice",
) -> None:
    route = guarded_route(stage, lambda state: _sends(tasks(state)), instead=instead)
    builder.add_conditional_edges(stage, route, [*JUDGES.values(), instead])


def _after_aggregation(nodes: AuditNodes, state: AgentState) -> str | list[Send]:
    if not nodes.has_enough_evidence(state):
        return "insufficient_evidence"
    if nodes.has_failures(state):
        return "error_collector"
    return _to_judges(nodes, state)


def _to_judges(nodes: AuditNodes, state: AgentState) -> str | list[Send]:
    if not nodes.judged(state):
        return "chief_justice"
    return "exhibit_selection" if nodes.has_models else _sends(nodes.first_round(state))


def _after_selection(nodes: AuditNodes, state: AgentState) -> list[Send]:
    judges = _sends(nodes.first_round(state))
    return [Send("screening", state), *judges] if nodes.is_unscreened(state) else judges


def _after_collection(state: AgentState) -> str:
    if state["contested"]:
        return "rehearing"
    return "second_hearing" if state["doubtful"] else "chief_justice"


def _sends(tasks: list[tuple[Persona, Any]]) -> list[Send]:
    return [Send(JUDGES[persona], task) for persona, task in tasks]
