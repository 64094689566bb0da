"""The part of a report that says what is to be changed, item by item: by file, by criterion or in plain sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from courtroom.report_import import vocabulary
from courtroom.report_import.draft_items import DraftCriterion
from courtroom.report_import.draft_report import Draft
from courtroom.report_import.imported_report import Priority
from courtroom.report_import.judge_failures import is_failure
from courtroom.report_import.location_parser import line_in, place_in
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.name_cleaning import plain_key, priority_in
from courtroom.report_import.statements import statement_in

_NOTHING = re.compile(
    r"[\W_]*(?:no|none|nothing|n/a|not)\b(?:[^.]{0,80}\b(?:needed|required|necessary|remediation|changes?|urgent|available|identified|found"
    r"|issues?|actions?)\b.{0,60})?[\W_]*",
    re.IGNORECASE,
)
_INLINE_ITEM = re.compile(r"(?:^|\s)\(?\d{1,2}[.)]\s(?=[A-Z`\"'\[])")
_OWN = re.compile(r"(high|medium|low)(?:, line (\d{1,6}))? \((.{1,120}?)\): (.*)")
_FOOTER = re.compile(
    r"[\W_]*(?:(?:audit |this )?report )?(?:was )?generated (?:by|on|at|with)\b", re.IGNORECASE
)
_LABELS = vocabulary.PLACES | vocabulary.LINES | vocabulary.PRIORITIES | vocabulary.CRITERIA
_CHECKBOX = re.compile(r"^\[[ xX]?\]\s*")
_EVIDENCE = re.compile(r"\s*Evidence: (?:E-[0-9a-f]{8}(?:, )?)+\.?$")


class Plan:
    """Collects the items of a plan, or of a list of findings, under the headings they stand below."""

    def __init__(
        self, draft: Draft, *, asks: bool, criterion: DraftCriterion | None = None
    ) -> None:
        """`asks`: the items are changes to make, so their words are an action too."""
        self._draft, self._asks, self._base = draft, asks, criterion
        self._criterion = criterion
        self._path: str | None = None
        self._depth = BOLD_HEADING
        self._priority: Priority | None = None
        self._words: list[str] = []
        self._line: int | None = None
        self._item_path: str | None = None
        self._item_line: int | None = None
        self._item_priority: Priority | None = None
        self._item_criterion: DraftCriterion | None = None

    def heading(self, text: str, depth: int = BOLD_HEADING) -> None:
        """A file, a criterion or a priority that what follows belongs to."""
        self.close()
        named = self._draft.known(
            statement_in(text).head, text, text.replace("Remediation", "").strip(" []:-")
        )
        path, _ = place_in(text)
        priority = priority_in(text)
        if named or path or not priority or depth <= self._depth:
            self._criterion, self._path, self._depth = named or self._base, path, depth
        if not (named or path):
            self._priority = priority

    def table(self, rows: Sequence[Line]) -> None:
        """A table of changes: its head says where file, line, priority and criterion stand; the rest is the text."""
        self.close()
        head = [plain_key(cell) for cell in rows[0].cells]
        labels = {at: key for at, key in enumerate(head) if key in _LABELS}
        for row in rows[1:] if labels else rows:
            self._line = row.number
            for at, key in labels.items():
                self._detail(f"{key}: {row.cells[at] if at < len(row.cells) else ''}")
            told = [
                cell
                for at, cell in enumerate(row.cells)
                if at not in labels and plain_key(cell) and not cell.isdigit()
            ]
            self._words = [": ".join(told)]
            self.close()

    def line(self, line: Line) -> None:
        """An item begins a finding; what is indented beneath it, or follows a line of text, belongs to it."""
        if line.kind == "blank":
            if self._words and self._words[-1]:
                self._words.append("")
            return
        if line.kind == "code":
            return
        starts = line.kind in ("item", "row") and line.depth < 2
        if self._words and (starts or not self._words[-1]):
            self.close()
        if self._detail(line.text):
            return
        self._line = line.number if not self._words else self._line
        self._words.append(line.text)

    def _detail(self, text: str) -> bool:
        """A labelled line beneath an item: its file, its line, its priority, what to do."""
        statement = statement_in(text)
        if not statement.is_split:
            return False
        if statement.key in vocabulary.PLACES:
            self._item_path, found = place_in(statement.rest)
            self._item_line = found or self._item_line
        elif (
            statement.key in vocabulary.LINES
            and statement.rest[:6].split("-")[0].strip().isdecimal()
        ):
            self._item_line = int(statement.rest[:6].split("-")[0])
        elif statement.key in vocabulary.PRIORITIES:
            self._item_priority = priority_in(statement.rest)
        elif statement.key in vocabulary.CRITERIA:
            self._item_criterion = self._draft.known(statement.rest)
        else:
            return False
        return True

    def close(self) -> None:
        """Hand the open item in."""
        text = " ".join(part for part in self._words if part)
        if text and not _NOTHING.fullmatch(text[:300]):
            for part in _parts(text):
                self._hand_in(part)
        self._words, self._item_path, self._item_line = [], None, None
        self._item_priority = self._item_criterion = None

    def _hand_in(self, text: str) -> None:
        if own := _OWN.fullmatch(_EVIDENCE.sub("", text)):
            self._add(
                own[4], self._draft.known(own[3]), int(own[2] or 0) or None, priority_in(own[1])
            )
            return
        statement = statement_in(text)
        named = (
            self._draft.known(statement.head)
            if statement.is_split and not statement.judge
            else None
        )
        rest = statement.rest if named and statement.rest else text
        rest = statement_in(rest).rest if _is_marker(rest) else rest
        self._add(
            rest,
            named or self._item_criterion or self._criterion,
            self._item_line,
            self._item_priority or _marked(text),
        )

    def _add(
        self,
        text: str,
        criterion: DraftCriterion | None,
        line: int | None,
        priority: Priority | None,
    ) -> None:
        text = _CHECKBOX.sub("", text)
        if (
            not plain_key(text)
            or (text.endswith(":") and place_in(text)[0] is None)
            or _NOTHING.fullmatch(text[:300])
            or is_failure(text)
            or _FOOTER.match(text)
        ):
            return
        path, found = place_in(text)
        self._draft.finding(
            text,
            criterion=criterion,
            path=self._item_path or self._path or path,
            line=line or found or (line_in(text) if path is None else None),
            action=text if self._asks else None,
            priority=priority or self._priority,
            source_line=self._line,
        )


def _parts(text: str) -> list[str]:
    """A sentence that numbers its items within itself: 1. In src/state.py, ... 2. In src/graph.py, ..."""
    parts = [part.strip() for part in _INLINE_ITEM.split(text) if part.strip()]
    return (
        parts
        if len(parts) > 1
        else [_INLINE_ITEM.sub("", text, count=1) if _INLINE_ITEM.match(text) else text]
    )


def _is_marker(text: str) -> bool:
    """A label that only says that a change follows: Action, Recommendation, [HIGH]."""
    statement = statement_in(text)
    return (
        statement.is_split
        and bool(statement.rest)
        and (statement.key in vocabulary.ACTIONS or statement.key in vocabulary.PRIORITY)
    )


def _marked(text: str) -> Priority | None:
    statement = statement_in(text)
    if statement.is_split and (priority := vocabulary.PRIORITY.get(statement.key)):
        return priority
    return priority_in(text) if text.lstrip().startswith(("[", "(")) else None
