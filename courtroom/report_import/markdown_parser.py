"""Markdown, HTML in Markdown, or plain text: read line by line, knowing which criterion and which judge is speaking."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.report_import.criterion_headings import criterion_headings, is_label
from courtroom.report_import.draft_report import Draft
from courtroom.report_import.line_parser import LineReader
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.name_cleaning import is_overall, judge_in, section_in
from courtroom.report_import.score_parser import excludes
from courtroom.report_import.statements import Title, judge_and_score, statement_in, title_in
from courtroom.report_import.table_parser import read_table, tells_scores


class ProseReader(LineReader):
    """One pass over all lines."""

    def __init__(self, lines: Sequence[Line], draft: Draft) -> None:
        super().__init__(draft)
        self._lines, self._titles = lines, criterion_headings(lines)
        self._label = ""
        self._table: list[Line] = []

    def read(self) -> None:
        for at, line in enumerate(self._lines):
            if line.kind == "row":
                self._table.append(line)
            elif line.kind != "rule":
                self._close_table()
                self._take(line, self._titles.get(at))
        self._close_table()
        self._scene.close()

    def _take(self, line: Line, title: Title | None) -> None:
        if line.kind == "heading":
            self._label = ""
            self._heading(line, title)
        elif line.kind in ("blank", "code"):
            self._scene.pass_on(line)
        else:
            label, self._label = self._label, ""
            self._statement(
                Line(line.number, line.kind, line.depth, f"{label}: {line.text}") if label else line
            )

    def _close_table(self) -> None:
        if self._table:
            rows, self._table = self._table, []
            if self._scene.plan and not tells_scores(rows[0]):
                self._scene.plan.table(rows)
            else:
                read_table(rows, self._draft, self._scene.criterion, self._say_row)

    def _say_row(self, number: int, label: str, value: str) -> None:
        self._statement(Line(number, "text", 0, f"{label}: {value}"))

    def _heading(self, line: Line, title: Title | None) -> None:
        section = section_in(title_in(line.text).name)
        if title and not self._is_of_the_plan(line, title):
            self._scene.begin_criterion(line, title.name, title.id, title.score)
            self._section = "breakdown"
            if self._scene.criterion and title.is_unscored and excludes(line.text):
                self._scene.criterion.excluded = True
        elif self._judge_heading(line) or self._label_heading(line):
            return
        elif section:
            self._begin_section(line, section)
        elif self._scene.plan and self._scene.criterion is None:
            self._scene.plan.heading(line.text, line.depth)
        elif line.depth < BOLD_HEADING or self._scene.criterion is None:
            # The criterion stays open for its judges: code pasted without a fence is full of such headings.
            self._scene.silence()
            self._section = "other"
        else:
            self._scene.interrupt()

    def _is_of_the_plan(self, line: Line, title: Title) -> bool:
        """In the plan of the whole report, a heading names what is to be changed, and of which criterion."""
        if self._section != "plan" or self._scene.criterion is not None:
            return False
        return (
            line.depth > self._section_depth or self._draft.known(title.name, title.id) is not None
        )

    def _label_heading(self, line: Line) -> bool:
        """A label in the place of a heading: its value stands behind it, or on the next line."""
        statement = statement_in(line.text)
        if statement.is_split or statement.score:
            return (line.depth == BOLD_HEADING or is_overall(statement.key)) and self._labelled(
                line, statement
            )
        if is_label(statement.key) and self._scene.criterion:
            self._label = line.text
            return True
        return False

    def _judge_heading(self, line: Line) -> bool:
        statement = statement_in(line.text)
        judge, topic = judge_in(statement.head)
        if judge is None or (topic and "_" not in statement.head):
            return False
        score, rest = judge_and_score(statement)
        topic = topic or ("" if score or not statement.is_split else rest)
        if topic and not self._scene.is_above(line):
            self._scene.begin_criterion(line, topic, None, None)
            self._scene.open_opinion(judge, line, score, "")
        elif self._scene.is_above(line):
            self._scene.silence()
            self._scene.open_opinion(judge, line, score, rest)
        else:
            self._scene.begin_bench(judge, line)
        self._section = "opinions"
        return True
