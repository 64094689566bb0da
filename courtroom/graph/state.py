"""The graph's state: plain JSON values, with a reducer for every key that parallel nodes write (DESIGN 4)."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict


class AgentState(TypedDict, total=False):
    """One audit in flight.

    evidences: detective -> evidence it handed in; testimonies: detective -> its outcomes, facts and reasons;
    dossier: all of it joined and verified (evidence_aggregator); opinions: judges' answers in the order of the
    rubric and the judges, whatever the order of completion; flags: conditions a person should know of;
    round: the hearing that was last collected; contested: criteria to be heard again.
    """

    targets: dict[str, list[str]]
    evidences: Annotated[dict[str, list[dict[str, Any]]], operator.ior]
    testimonies: Annotated[dict[str, dict[str, Any]], operator.ior]
    opinions: Annotated[list[dict[str, Any]], operator.add]
    usage: Annotated[list[dict[str, Any]], operator.add]
    errors: Annotated[list[dict[str, Any]], operator.add]
    flags: Annotated[list[str], operator.add]
    timings: Annotated[dict[str, float], operator.ior]
    dossier: dict[str, Any]
    round: int
    contested: list[str]
    report: dict[str, Any]


class Hearing(TypedDict):
    """What is sent to one judge at once: the brief of one criterion, or of each, as JSON."""

    briefs: list[dict[str, Any]]
