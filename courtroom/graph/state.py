"""State of the graph: plain JSON values, with reducers for keys that parallel nodes write."""

from __future__ import annotations

import operator
from typing import Annotated, Any, NotRequired, TypedDict

from courtroom.models.judge_answer import Persona

# The node of each judge.
JUDGES: dict[Persona, str] = {
    "Prosecutor": "prosecutor",
    "Defense": "defense",
    "TechLead": "tech_lead",
}


class AgentState(TypedDict, total=False):
    """State of one running audit.

    targets            detective -> ids of the checks it owes
    evidences          detective -> its evidence
    detective_results  detective -> its outcomes, facts and reasons
    dossier            all of it, joined and verified by the evidence_aggregator
    materials          criterion -> what its judges read, where models judge
    screening          record of the screening of their prose, passages that it named, and its usage
    opinions, usage    judges' answers and their cost, row by row; the order of rubric and judges
    unjudged           ids of criteria that no judge is asked about, because a detective failed
    errors, flags      failures, and conditions that a person should know of
    round, contested   the last round that was collected; ids of criteria that get another one
    doubtful           ids of criteria that are heard on outcomes alone, once none is contested
    """

    targets: dict[str, list[str]]
    evidences: Annotated[dict[str, list[dict[str, Any]]], operator.ior]
    detective_results: Annotated[dict[str, dict[str, Any]], operator.ior]
    opinions: Annotated[list[dict[str, Any]], operator.add]
    usage: Annotated[list[dict[str, Any]], operator.add]
    errors: Annotated[list[dict[str, Any]], operator.add]
    flags: Annotated[list[str], operator.add]
    timings: Annotated[dict[str, float], operator.ior]
    dossier: dict[str, Any]
    materials: dict[str, dict[str, Any]]
    screening: dict[str, Any]
    unjudged: list[str]
    round: int
    contested: list[str]
    doubtful: list[str]
    report: dict[str, Any]


class JudgeTask(TypedDict):
    """Input of one judge node: the questions on one criterion, or on all of them, as JSON.

    `is_unscreened`: their prose is screened meanwhile. `goes_ahead`: the judge need not wait for
    that, because its call warms the provider's cache for others.
    """

    questions: list[dict[str, Any]]
    is_unscreened: NotRequired[bool]
    goes_ahead: NotRequired[bool]
