"""Facts about the flow of data through a graph's state and the code around it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from courtroom.models.fact_model import FactModel, Place

FaultKind = Literal[
    "undeclared_write",
    "no_update",
    "undeclared_read",
    "unwritten_read",
    "early_read",
    "unread_write",
    "other_key",
    "empty_entry",
    "absent_key",
    "ignored_field",
    "unused_prompt",
    "unused_result",
    "unused_verdict",
    "unused_tool",
    "own_directory",
    "shallow_history",
    "deleted_clone",
    "lost_clone",
    "left_clone",
    "doubled_clone",
    "repeated_clone",
    "moved_directory",
    "named_folder",
    "carried_state",
    "cut_text",
    "dead_pattern",
    "word_scan",
    "dead_route",
    "needless_route",
    "input_route",
    "router_write",
    "idle_step",
    "endless_loop",
    "impossible_test",
    "refused_value",
    "moved_score",
    "twice_filled",
    "guessed_criterion",
    "unshown_evidence",
    "copied_evidence",
    "unshown_rubric",
    "left_out_criterion",
    "loose_rule",
    "broken_import",
    "undeclared_import",
    "broken_command",
    "failing_command",
    "absent_file",
    "stale_readme",
    "unnamed_key",
    "unused_key",
]


class ResultRead(Place):
    """Lookup of a key in the graph's result; the key is None in old reports."""

    key: str | None = Field(None, exclude_if=lambda key: key is None)


class FlowFault(Place):
    """A fault in one sentence with the work's own names; `other` is the second place.

    `keys` of the state that `nodes`, or routers, use and it does not declare; they belong under its
    key `channel`, if that is known. `places` are further lines of the fault. `is_given`: an input of
    the graph holds the keys. `callers` look for them in the graph's result; `written` is where one of
    them writes the report, which is not there, to a file. `is_constant`: a rule that a text sets off which every
    run writes. `is_minor`: neither a route nor the verdict hangs on what is unused, so it counts for
    nothing. `is_blinding`: no judge sees evidence for it. `leaves_single_way`: a router has nothing
    else to choose.
    """

    kind: FaultKind
    sentence: str
    other: Place | None = None
    keys: tuple[str, ...] = Field((), exclude_if=lambda keys: not keys)
    nodes: tuple[str, ...] = Field((), exclude_if=lambda nodes: not nodes)
    channel: str | None = Field(None, exclude_if=lambda channel: channel is None)
    places: tuple[Place, ...] = Field((), exclude_if=lambda places: not places)
    is_given: bool = Field(False, exclude_if=lambda is_given: not is_given)
    callers: tuple[ResultRead, ...] = Field((), exclude_if=lambda places: not places)
    is_constant: bool = Field(False, exclude_if=lambda is_constant: not is_constant)
    written: Place | None = Field(None, exclude_if=lambda place: place is None)
    is_minor: bool = Field(False, exclude_if=lambda is_minor: not is_minor)
    is_blinding: bool = Field(False, exclude_if=lambda is_blinding: not is_blinding)
    leaves_single_way: bool = Field(False, exclude_if=lambda is_single: not is_single)


class StateFlowFact(FactModel):
    """Faults found. `unread`: for each kind of which not everything was read, the first reason."""

    faults: tuple[FlowFault, ...]
    unread: dict[FaultKind, str]
