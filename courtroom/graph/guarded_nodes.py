"""Nodes whose exceptions are recorded instead of ending the audit.

Each node has a substitute for its result: a typed error, and what the nodes after it need to go on
without it. A fault of the submission (InputRefused) and a cancellation still end the audit.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from langgraph.types import Send

from courtroom.detectives.detective_result import (
    DIAGRAM_FACTS,
    DOCUMENT_FACTS,
    HISTORY_FACTS,
    SOURCE_FACTS,
    Dossier,
    failed_result,
    recorded_error,
)
from courtroom.graph.final_report import write_unjudged_report
from courtroom.graph.node_spans import node_span
from courtroom.graph.nodes import AuditNodes, Update, detective_update
from courtroom.graph.state import AgentState, JudgeTask
from courtroom.models.audit_report import Integrity, RecordedError, Usage
from courtroom.models.canonical_json import digest_of
from courtroom.models.errors import CourtroomError, ExaminationFailed, InputRefused
from courtroom.models.evidence import CheckOutcome, DetectiveName
from courtroom.models.facts import Facts, establish
from courtroom.models.judge_answer import JudgeFailure
from courtroom.tracing import get_current_span, mark_failed

FAILED = "node_failed"
Node = Callable[[Any], Any]
# Writes an update in place of the node that failed.
Substitute = Callable[[Any, CourtroomError], Update]
log = logging.getLogger(__name__)


class GraphNode(Protocol):
    """Node as langgraph takes it."""

    def __call__(self, state: Any) -> Any: ...


def guarded(stage: str, node: Node, substitute: Substitute) -> GraphNode:
    """Return the node with a substitute for its result, should it raise."""
    if not inspect.iscoroutinefunction(node):

        def run(state: Any) -> Update:
            with node_span(stage) as described:
                try:
                    return described(dict(node(state)))
                except Exception as error:  # noqa: BLE001 -- whatever it is, the audit goes on
                    return described(substitute(state, _failure(stage, error)))

        return run

    async def run_async(state: Any) -> Update:
        with node_span(stage) as described:
            try:
                return described(dict(await node(state)))
            except Exception as error:  # noqa: BLE001 -- whatever it is, the audit goes on
                return described(substitute(state, _failure(stage, error)))

    return run_async


def guarded_route(stage: str, route: Callable[[AgentState], Any], instead: str) -> Node:
    """Return the route; should it raise, the error goes with the state to the node `instead`."""

    def run(state: AgentState) -> Any:
        try:
            return route(state)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the audit goes on
            row = recorded_error(stage, _failure(stage, error)).model_dump(mode="json")
            return [Send(instead, {**state, "errors": [*state.get("errors", []), row]})]

    return run


def _failure(stage: str, error: Exception) -> CourtroomError:
    """Return an exception as a typed error. Raises it again where the submission is at fault."""
    if isinstance(error, InputRefused):
        raise error
    if not isinstance(error, CourtroomError):
        # The words of an unknown exception may hold paths or a student's text: they are for the log.
        log.error("node %s failed", stage, exc_info=error)
        message = f"A step of the audit failed unexpectedly ({type(error).__name__})."
        error = ExaminationFailed(FAILED, message)
    mark_failed(get_current_span(), error.code)
    return error


def record_failure(stage: str, **update: Any) -> Substitute:
    """Return a substitute that records the error, with fixed values for other keys of the state."""

    def substitute(_: AgentState, error: CourtroomError) -> Update:
        return {**update, "errors": [recorded_error(stage, error).model_dump(mode="json")]}

    return substitute


class Substitutes:
    """Substitutes that depend on the audit: on its rubric, its bench, its record."""

    def __init__(self, nodes: AuditNodes) -> None:
        self._nodes = nodes

    def detective(self, name: DetectiveName) -> Substitute:
        return partial(self._detective, name)

    def _detective(self, name: DetectiveName, state: AgentState, error: CourtroomError) -> Update:
        """Leave every check that the detective owed open, and its facts unknown."""
        owed = set(state["targets"].get(name, []))
        checks = [check for check in self._nodes.case.rubric.checks if check.id in owed]
        return detective_update(failed_result(name, checks, error, FACTS[name]))

    def dossier(self, state: AgentState, error: CourtroomError) -> Update:
        """Return a dossier without evidence: what is not joined and verified is not judged."""
        earlier = (RecordedError.model_validate(row) for row in state.get("errors", []))
        checks = self._nodes.case.rubric.checks
        dossier = Dossier(
            evidence=(),
            outcomes=tuple(
                CheckOutcome(check=check.id, met=None, reason=error.message, has_failed=True)
                for check in checks
            ),
            facts=establish({}, dict.fromkeys(Facts.model_fields, error.message)),
            errors=(*earlier, recorded_error("evidence_aggregator", error)),
            integrity=Integrity(),
        )
        return {"dossier": dossier.model_dump(mode="json", by_alias=True)}

    def answers(self, state: JudgeTask, error: CourtroomError) -> Update:
        """Return a failure of the judge for each of its questions."""
        failures = [self._no_answer(question, error) for question in state["questions"]]
        return {
            "opinions": [failure.model_dump(mode="json") for failure in failures],
            "usage": [Usage().model_dump(mode="json") for _ in failures],
        }

    def _no_answer(self, question: dict[str, Any], error: CourtroomError) -> JudgeFailure:
        persona = question["persona"]
        return JudgeFailure(
            judge=persona,
            criterion_id=question["criterion"]["id"],
            round=question["round"],
            failure="internal",
            message=error.message,
            model=self._nodes.bench.references[persona].model,
            key=digest_of(question),
        )

    def report(self, stage: str) -> Substitute:
        def substitute(state: AgentState, error: CourtroomError) -> Update:
            return write_unjudged_report(self._nodes, state, recorded_error(stage, error))

        return substitute


FACTS: dict[DetectiveName, Iterable[str]] = {
    "RepoInvestigator": (*SOURCE_FACTS, *HISTORY_FACTS),
    "DocAnalyst": DOCUMENT_FACTS,
    "VisionInspector": DIAGRAM_FACTS,
}
