"""Span of a node: its name, the judge and criteria that it answered, and codes of failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from courtroom.tracing import Span, mark_failed, span

Update = dict[str, Any]


@contextmanager
def node_span(stage: str) -> Iterator[Callable[[Update], Update]]:
    """Open the node's span; the function given describes the node's update on it, and returns it."""
    with span(stage) as current:

        def described(update: Update) -> Update:
            _describe(current, update)
            return update

        yield described


def _describe(current: Span, update: Mapping[str, Any]) -> None:
    answers = update.get("opinions", [])
    if answers:
        current.set_attribute("auditor.judge", answers[0]["judge"])
        current.set_attribute("auditor.criteria", [answer["criterion_id"] for answer in answers])
        current.set_attribute("auditor.round", answers[0]["round"])

    codes = [error["code"] for error in update.get("errors", [])]
    # To abstain is an answer of the heuristic bench, no fault.
    codes += [a["failure"] for a in answers if a.get("failure", "abstained") != "abstained"]
    if codes:
        mark_failed(current, codes[0])
