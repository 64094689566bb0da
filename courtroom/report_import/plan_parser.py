"""Parser of a plan or a list of findings: by file, by criterion or in plain sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from courtroom.report_import import vocabulary
from courtroom.report_import.change_requests import asks_for_change
from courtroom.report_import.draft_report import DraftCriterion, DraftReport
from courtroom.report_import.imported_report import Priority
from courtroom.report_import.judge_failures import is_failure
from courtroom.report_import.line_statements import parse_statement
from courtroom.report_import.location_parser import parse_line_number, parse_location
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.name_cleaning import normalize, parse_priority

_NOTHING = re.compile(
    r"[\W_]*(?:no|none|nothing|n/a|not)\b(?:[^.]{0,80}\b(?:needed|required|necessary|remediation"
    r"|changes?|urgent|available|identified|found"
    r"|issues?|actions?)\b.{0,60})?[\W_]*",
    re.IGNORECASE,
)
_INLINE_ITEM = re.compile(r"(?:^|\s)\(?\d{1,2}[.)]\s(?=[A-Z`\"'\[])")
# A change as our own Markdown writes it (rendering/markdown_report.py), without its evidence.
_OWN_CHANGE = re.compile(r"(high|medium|low)(?:, line (\d{1,6}))? \((.{1,120}?)\): (.*)")
_OWN_EVIDENCE = re.compile(r"(?<!\s)\s*+Evidence: (?:E-[0-9a-f]{8}(?:, )?)+\.?$")
_FOOTER = re.compile(
    r"[\W_]*(?:(?:audit |this )?report )?(?:was )?generated (?:by|on|at|with)\b", re.IGNORECASE
)
_LABELS = vocabulary.PATHS | vocabulary.LINES | vocabulary.PRIORITIES | vocabulary.CRITERIA
_CHECKBOX = re.compile(r"^\[[ xX]?\]\s*")


class PlanParser:
    """Collects the items of a plan, or of a list of findings, under their headings."""

    def __init__(
        self, draft: DraftReport, *, is_plan: bool, criterion: DraftCriterion | None = None
    ) -> None:
        """`is_plan`: an item that asks for a change is the action too."""
        self._draft, self._is_plan, self._base = draft, is_plan, criterion

        # Of the heading above:
        self._criterion = criterion
        self._path: str | None = None
        self._depth = BOLD_HEADING
        self._priority: Priority | None = None

        # Of the open item:
        self._words: list[str] = []
        self._line: int | None = None
        self._item_path: str | None = None
        self._item_line: int | None = None
        self._item_priority: Priority | None = None
        self._item_criterion: DraftCriterion | None = None

    def parse_heading(self, text: str, depth: int = BOLD_HEADING) -> None:
        """Read a file, a criterion or a priority that the next lines belong to."""
        self.close()
        topic = text.replace("Remediation", "").strip(" []:-")
        criterion = self._draft.find_criterion(parse_statement(text).head, text, topic)
        path, _ = parse_location(text)
        priority = parse_priority(text)

        # A heading with only a priority, deeper than its file, keeps the file.
        if criterion or path or not priority or depth <= self._depth:
            self._criterion, self._path, self._depth = criterion or self._base, path, depth
        if not (criterion or path):
            self._priority = priority

    def parse_table(self, rows: Sequence[Line]) -> None:
        """Read a table of changes.

        Its head names the columns of file, line, priority and criterion; the rest is the text.
        """
        self.close()
        head = [normalize(cell) for cell in rows[0].cells]
        labels = {column: key for column, key in enumerate(head) if key in _LABELS}

        for row in rows[1:] if labels else rows:
            self._line = row.number
            for column, key in labels.items():
                cell = row.cells[column] if column < len(row.cells) else ""
                self._parse_detail(f"{key}: {cell}")

            texts = [
                cell
                for column, cell in enumerate(row.cells)
                if column not in labels and normalize(cell) and not cell.isdigit()
            ]
            self._words = [": ".join(texts)]
            self.close()

    def parse_line(self, line: Line) -> None:
        """Read a line: a new item, or more of the open one if indented or behind its text."""
        if line.kind == "blank":
            if self._words and self._words[-1]:
                self._words.append("")
            return
        if line.kind == "code":
            return

        begins_item = line.kind in ("item", "row") and line.depth < 2
        if self._words and (begins_item or not self._words[-1]):
            self.close()
        if self._parse_detail(line.text):
            return
        self._line = line.number if not self._words else self._line
        self._words.append(line.text)

    def _parse_detail(self, text: str) -> bool:
        """Read a labelled line of an item: its file, line, priority or criterion."""
        statement = parse_statement(text)
        key, value = statement.key, statement.rest
        if not statement.is_split:
            return False

        # Only the first number of a range such as 30-34.
        first_number = value[:6].split("-")[0]
        if key in vocabulary.PATHS:
            self._item_path, line = parse_location(value)
            self._item_line = line or self._item_line
        elif key in vocabulary.LINES and first_number.strip().isdecimal():
            self._item_line = int(first_number)
        elif key in vocabulary.PRIORITIES:
            self._item_priority = parse_priority(value)
        elif key in vocabulary.CRITERIA:
            self._item_criterion = self._draft.find_criterion(value)
        else:
            return False
        return True

    def close(self) -> None:
        """Add the open item to the draft."""
        text = " ".join(part for part in self._words if part)
        if text and not _NOTHING.fullmatch(text[:300]):
            for part in _numbered_parts(text):
                self._add_item(part)

        self._words, self._item_path, self._item_line = [], None, None
        self._item_priority = self._item_criterion = None

    def _add_item(self, text: str) -> None:
        if own := _OWN_CHANGE.fullmatch(_OWN_EVIDENCE.sub("", text)):
            criterion = self._draft.find_criterion(own[3])
            line = int(own[2] or 0) or None
            self._add(own[4], criterion, line, parse_priority(own[1]), is_request=True)
            return

        statement = parse_statement(text)
        criterion = None
        if statement.is_split and not statement.judge:
            criterion = self._draft.find_criterion(statement.head)
        action = statement.rest if criterion and statement.rest else text
        action = parse_statement(action).rest if _is_action_label(action) else action

        self._add(
            action,
            criterion or self._item_criterion or self._criterion,
            self._item_line,
            self._item_priority or _marked_priority(text),
        )

    def _add(
        self,
        text: str,
        criterion: DraftCriterion | None,
        line: int | None,
        priority: Priority | None,
        *,
        is_request: bool = False,
    ) -> None:
        text = _CHECKBOX.sub("", text)
        path, line_in_text = parse_location(text)
        if not _is_finding(text, has_path=path is not None):
            return

        self._draft.add_finding(
            text,
            criterion=criterion,
            path=self._item_path or self._path or path,
            line=line or line_in_text or (parse_line_number(text) if path is None else None),
            action=text if is_request or (self._is_plan and asks_for_change(text)) else None,
            priority=priority or self._priority,
            source_line=self._line,
        )


def _is_finding(text: str, *, has_path: bool) -> bool:
    """Return false for an introduction, an empty phrase, a failure or a footer."""
    is_introduction = text.endswith(":") and not has_path
    if not normalize(text) or is_introduction or _NOTHING.fullmatch(text[:300]):
        return False
    return not is_failure(text) and not _FOOTER.match(text)


def _numbered_parts(text: str) -> list[str]:
    """Split a text that numbers its items: 1. In src/state.py, ... 2. In src/graph.py, ..."""
    parts = [part.strip() for part in _INLINE_ITEM.split(text) if part.strip()]
    if len(parts) > 1:
        return parts
    return [_INLINE_ITEM.sub("", text, count=1) if _INLINE_ITEM.match(text) else text]


def _is_action_label(text: str) -> bool:
    """Return true for a label that only announces a change: Action, Recommendation, [HIGH]."""
    statement = parse_statement(text)
    is_label = statement.key in vocabulary.ACTIONS or statement.key in vocabulary.PRIORITY_BY_WORD
    return statement.is_split and bool(statement.rest) and is_label


def _marked_priority(text: str) -> Priority | None:
    statement = parse_statement(text)
    if statement.is_split and (priority := vocabulary.PRIORITY_BY_WORD.get(statement.key)):
        return priority
    return parse_priority(text) if text.lstrip().startswith(("[", "(")) else None
