"""Changes and findings in JSON: sentences, lists of them, objects with file, line and priority, or all of it by file."""

from __future__ import annotations

from typing import Any

from courtroom.report_import import json_keys as keys
from courtroom.report_import.draft_items import DraftCriterion
from courtroom.report_import.draft_report import Draft
from courtroom.report_import.location_parser import place_in
from courtroom.report_import.markdown_lines import Line, lines_in
from courtroom.report_import.name_cleaning import priority_in
from courtroom.report_import.plan_parser import Plan
from courtroom.report_import.score_parser import number_of

MOST_LINES = 2000
MOST_NESTED = 4


def take_changes(
    draft: Draft,
    said: Any,
    line: int | None,
    *,
    asks: bool,
    criterion: DraftCriterion | None = None,
    depth: int = 0,
) -> None:
    """Every change or finding that is said here becomes one of the draft's."""
    if isinstance(said, str):
        _sentences(draft, said, line, asks=asks, criterion=criterion)
    elif isinstance(said, list) and depth < MOST_NESTED:
        for part in said:
            take_changes(draft, part, line, asks=asks, criterion=criterion, depth=depth + 1)
    elif isinstance(said, dict) and (keys.held(said, keys.ACTIONS) or keys.held(said, keys.TEXTS)):
        _object(draft, said, line, asks=asks, criterion=criterion)
    elif isinstance(said, dict) and depth < MOST_NESTED:
        for name, part in said.items():
            _under(draft, str(name), part, line, asks=asks, criterion=criterion, depth=depth)


def _under(
    draft: Draft,
    name: str,
    part: Any,
    line: int | None,
    *,
    asks: bool,
    criterion: DraftCriterion | None,
    depth: int,
) -> None:
    """What stands under a key: the key is a criterion, a file, or of no consequence."""
    path, _ = place_in(name)
    if path and isinstance(part, str):
        draft.finding(
            part, criterion=criterion, path=path, action=part if asks else None, source_line=line
        )
        return
    take_changes(
        draft, part, line, asks=asks, criterion=draft.known(name) or criterion, depth=depth + 1
    )


def _sentences(
    draft: Draft, said: str, line: int | None, *, asks: bool, criterion: DraftCriterion | None
) -> None:
    plan = Plan(draft, asks=asks, criterion=criterion)
    for each in lines_in(said.split("\n", MOST_LINES)[:MOST_LINES]):
        placed = Line(line or 1, each.kind, each.depth, each.text, each.cells)
        if each.kind == "heading":
            plan.heading(each.text)
        else:
            plan.line(placed)
    plan.close()


def _object(
    draft: Draft,
    said: dict[str, Any],
    line: int | None,
    *,
    asks: bool,
    criterion: DraftCriterion | None,
) -> None:
    action, text = keys.text(said, keys.ACTIONS), keys.text(said, keys.TEXTS)
    named = draft.known(keys.text(said, keys.IDS | keys.NAMES) or None)
    place = keys.text(said, keys.PATHS)
    path, found = place_in(place)
    at = number_of(keys.first(said, keys.LINES))
    draft.finding(
        text or action,
        criterion=named or criterion,
        path=path or place or None,
        line=int(at) if at else found,
        action=action or (text if asks else None),
        priority=priority_in(keys.text(said, keys.PRIORITIES)),
        source_line=line,
    )
