"""Changes and findings in JSON: sentences, lists of them, objects with a location, or by file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from courtroom.report_import import json_keys as keys
from courtroom.report_import.change_requests import asks_for_change
from courtroom.report_import.draft_report import DraftCriterion, DraftReport
from courtroom.report_import.location_parser import parse_location
from courtroom.report_import.markdown_lines import parse_lines
from courtroom.report_import.name_cleaning import parse_priority
from courtroom.report_import.plan_parser import PlanParser
from courtroom.report_import.score_parser import as_number

MOST_LINES = 2000
MOST_NESTED = 4


@dataclass(frozen=True, slots=True)
class FindingsParser:
    """Adds each change (`is_plan`) or finding to the draft.

    `line` is the line of the JSON value, `criterion` the one that the findings belong to.
    """

    draft: DraftReport
    line: int | None
    is_plan: bool
    criterion: DraftCriterion | None = None
    depth: int = 0

    def parse(self, value: Any) -> None:
        if isinstance(value, str):
            self._parse_text(value)
        elif isinstance(value, list) and self.depth < MOST_NESTED:
            for item in value:
                replace(self, depth=self.depth + 1).parse(item)
        elif isinstance(value, dict) and _is_finding(value):
            self._parse_object(value)
        elif isinstance(value, dict) and self.depth < MOST_NESTED:
            for name, item in value.items():
                self._parse_member(str(name), item)

    def _parse_member(self, name: str, value: Any) -> None:
        """Parse the value of a key that is a file, a criterion, or neither."""
        path, _ = parse_location(name)
        if path and isinstance(value, str):
            self.draft.add_finding(
                value,
                criterion=self.criterion,
                path=path,
                action=value if self.is_plan and asks_for_change(value) else None,
                source_line=self.line,
            )
            return

        criterion = self.draft.find_criterion(name) or self.criterion
        replace(self, criterion=criterion, depth=self.depth + 1).parse(value)

    def _parse_text(self, text: str) -> None:
        """Parse Markdown inside a string, all of it with the line of the JSON value."""
        plan = PlanParser(self.draft, is_plan=self.is_plan, criterion=self.criterion)

        for line in parse_lines(text.split("\n", MOST_LINES)[:MOST_LINES]):
            if line.kind == "heading":
                plan.parse_heading(line.text)
            else:
                plan.parse_line(replace(line, number=self.line or 1))
        plan.close()

    def _parse_object(self, fields: dict[str, Any]) -> None:
        action = keys.first_text(fields, keys.ACTIONS)
        text = keys.first_text(fields, keys.TEXTS)
        named = self.draft.find_criterion(keys.first_text(fields, keys.IDS | keys.NAMES) or None)

        # A path in an unknown form is still better than none.
        location = keys.first_text(fields, keys.PATHS)
        path, line_in_path = parse_location(location)
        line = as_number(keys.first_value(fields, keys.LINES))

        self.draft.add_finding(
            text or action,
            criterion=named or self.criterion,
            path=path or location or None,
            line=int(line) if line else line_in_path,
            action=action or (text if self.is_plan and asks_for_change(text) else None),
            priority=parse_priority(keys.first_text(fields, keys.PRIORITIES)),
            source_line=self.line,
        )


def _is_finding(fields: dict[str, Any]) -> bool:
    return bool(keys.matching_keys(fields, keys.ACTIONS | keys.TEXTS))
