"""Parser of Markdown, HTML in Markdown, or plain text, line by line.

It tracks the open criterion and the current judge.
"""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.report_import.criterion_headings import criterion_headings, is_score_label
from courtroom.report_import.draft_report import DraftReport
from courtroom.report_import.line_parser import LineParser
from courtroom.report_import.line_statements import (
    Title,
    parse_statement,
    parse_title,
    score_and_argument,
)
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.name_cleaning import is_overall_label, parse_judge, section_of
from courtroom.report_import.score_parser import says_excluded
from courtroom.report_import.table_parser import has_score_columns, parse_table


class MarkdownParser(LineParser):
    """Parses all lines into the draft, in one pass."""

    def __init__(self, lines: Sequence[Line], draft: DraftReport) -> None:
        super().__init__(draft)
        self._lines, self._titles = lines, criterion_headings(lines)
        # A label in the place of a heading waits here for its value on the next line.
        self._label = ""
        self._table: list[Line] = []

    def parse(self) -> None:
        for index, line in enumerate(self._lines):
            if line.kind == "row":
                self._table.append(line)
            elif line.kind != "rule":
                self._close_table()
                self._parse_line(line, self._titles.get(index))

        self._close_table()
        self._state.close()

    def _parse_line(self, line: Line, title: Title | None) -> None:
        if line.kind == "heading":
            self._label = ""
            self._parse_heading(line, title)
            return
        if line.kind in ("blank", "code"):
            self._state.continue_with(line)
            return

        label, self._label = self._label, ""
        if label:
            line = Line(line.number, line.kind, line.depth, f"{label}: {line.text}")
        self._parse_statement(line)

    def _close_table(self) -> None:
        if not self._table:
            return

        rows, self._table = self._table, []
        if self._state.plan and not has_score_columns(rows[0]):
            self._state.plan.parse_table(rows)
        else:
            parse_table(rows, self._draft, self._state.criterion, self._parse_pair)

    def _parse_pair(self, number: int, label: str, value: str) -> None:
        self._parse_statement(Line(number, "text", 0, f"{label}: {value}"))

    def _parse_heading(self, line: Line, title: Title | None) -> None:
        section = section_of(parse_title(line.text).name)
        if title and not self._belongs_to_plan(line, title):
            self._open_criterion(line, title)
        elif self._parse_judge_heading(line) or self._parse_label_heading(line):
            return
        elif section:
            self._open_section(line, section)
        elif self._state.plan and self._state.criterion is None:
            self._state.plan.parse_heading(line.text, line.depth)
        elif line.depth < BOLD_HEADING or self._state.criterion is None:
            # The criterion stays open for its judges: code pasted without a fence is full of
            # such headings.
            self._state.close_opinion()
            self._section = "other"
        else:
            self._state.close_list()

    def _open_criterion(self, line: Line, title: Title) -> None:
        self._state.open_criterion(line, title.name, title.id, title.score)
        self._section = "breakdown"
        criterion = self._state.criterion
        if criterion and title.is_unscored and says_excluded(line.text):
            criterion.excluded = True

    def _belongs_to_plan(self, line: Line, title: Title) -> bool:
        """Return true for a heading in the plan of the whole report: it names a change."""
        if self._section != "plan" or self._state.criterion is not None:
            return False
        is_beneath = line.depth > self._section_depth
        return is_beneath or self._draft.find_criterion(title.name, title.id) is not None

    def _parse_label_heading(self, line: Line) -> bool:
        """Parse a label in the place of a heading: its value is behind it, or on the next line."""
        statement = parse_statement(line.text)
        if statement.is_split or statement.score:
            is_label = line.depth == BOLD_HEADING or is_overall_label(statement.key)
            return is_label and self._parse_label(line, statement)

        if is_score_label(statement.key) and self._state.criterion:
            self._label = line.text
            return True
        return False

    def _parse_judge_heading(self, line: Line) -> bool:
        """Parse a heading that names a judge: an opinion, or the judge's own part."""
        statement = parse_statement(line.text)
        judge, topic = parse_judge(statement.head)
        # Further words make it another heading, unless an underscore joins them: an identifier.
        if judge is None or (topic and "_" not in statement.head):
            return False

        score, rest = score_and_argument(statement)
        topic = topic or ("" if score or not statement.is_split else rest)
        if topic and not self._state.is_above(line):
            self._state.open_criterion(line, topic, None, None)
            self._state.open_opinion(judge, line, score, "")
        elif self._state.is_above(line):
            self._state.close_opinion()
            self._state.open_opinion(judge, line, score, rest)
        else:
            self._state.open_judge_part(judge, line)
        self._section = "opinions"
        return True
