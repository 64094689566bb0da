"""Markdown, HTML in Markdown, or plain text: read line by line, knowing which criterion and which judge is speaking."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.record import Persona
from courtroom.report_reading import heading_facts, words
from courtroom.report_reading.draft import LONGEST_TEXT, Draft, DraftCriterion, DraftOpinion
from courtroom.report_reading.imported import ImportedScore
from courtroom.report_reading.names import is_overall, judge_in, key_of, plain_key, section_in
from courtroom.report_reading.outline import criterion_headings
from courtroom.report_reading.plain_lines import BOLD_HEADING, Line
from courtroom.report_reading.plan import Plan
from courtroom.report_reading.scores import excludes, leading_score_in, score_in
from courtroom.report_reading.statements import (
    Statement,
    Title,
    judge_and_score,
    segments_of,
    statement_in,
    title_in,
)
from courtroom.report_reading.tables import read_table

LONGEST_ITEM_NAME = 90


class ProseReader:
    """One pass over the lines. What is open (a criterion, a judge, a field) takes the words that follow."""

    def __init__(self, lines: Sequence[Line], draft: Draft) -> None:
        self._lines, self._draft = lines, draft
        self._titles = criterion_headings(lines)
        self._section: words.Section | None = None
        self._criterion: DraftCriterion | None = None
        self._depth = 0
        self._opinion: DraftOpinion | None = None
        self._opinion_depth = 0
        self._bench: tuple[Persona | str, int] | None = None
        self._field = ""
        self._plan: Plan | None = None
        self._table: list[Line] = []

    def read(self) -> None:
        for at, line in enumerate(self._lines):
            if line.kind == "row":
                self._table.append(line)
                continue
            if line.kind == "rule" and line.depth:
                continue
            self._close_table()
            if line.kind == "heading":
                self._heading(line, self._titles.get(at))
            elif line.kind == "blank" or line.kind == "code":
                self._pass_on(line)
            elif line.kind != "rule":
                self._statement(line)
        self._close_table()
        self._close_plan()

    # Headings

    def _heading(self, line: Line, title: Title | None) -> None:
        section = section_in(title_in(line.text).name)
        if self._plan and line.depth == BOLD_HEADING and self._criterion is None and section is None:
            self._plan.heading(line.text)
        elif title and not (
            self._section == "plan" and self._criterion is None and self._draft.known(title.name)
        ):
            self._begin_criterion(line, title)
        elif self._judge_heading(line) or self._is_bold_statement(line):
            return
        elif section:
            self._begin_section(line, section)
        elif self._plan and self._section in ("plan", "findings"):
            self._plan.heading(line.text)
        else:
            self._other_heading(line)

    def _is_bold_statement(self, line: Line) -> bool:
        """A bold line may be a label with its value rather than a heading."""
        if line.depth != BOLD_HEADING and not is_overall(statement_in(line.text).key):
            return False
        return self._label(line, statement_in(line.text))

    def _begin_criterion(self, line: Line, title: Title) -> None:
        self._close_plan()
        self._field, self._opinion = "", None
        if self._bench and line.depth <= self._bench[1]:
            self._bench = None
        criterion = self._draft.criterion(title.name, title.id, line.number)
        self._criterion, self._depth, self._section = criterion, line.depth, "breakdown"
        if criterion and self._bench:
            self._open_opinion(criterion, self._bench[0], line, title.score, "")
        elif criterion and title.score:
            self._draft.give_score(criterion, title.score, line.number, "headings")

    def _judge_heading(self, line: Line) -> bool:
        statement = statement_in(line.text)
        judge, topic = judge_in(statement.head)
        if judge is None or (topic and "_" not in statement.head):
            return False
        score, rest = judge_and_score(statement)
        topic = topic or ("" if score or not statement.is_split else rest)
        self._close_plan()
        if topic and not self._criterion_above(line):
            criterion = self._draft.criterion(topic, None, line.number)
            if criterion:
                self._open_opinion(criterion, judge, line, score, "")
                self._criterion, self._depth = criterion, line.depth
        elif self._criterion and self._criterion_above(line):
            self._open_opinion(self._criterion, judge, line, score, rest)
        else:
            self._bench, self._criterion, self._opinion = (judge, line.depth), None, None
            self._section = "opinions"
        return True

    def _criterion_above(self, line: Line) -> bool:
        return self._criterion is not None and line.depth > self._depth

    def _begin_section(self, line: Line, section: words.Section) -> None:
        self._close_plan()
        self._opinion, self._field = None, ""
        if not self._criterion_above(line):
            self._criterion = None
            self._bench = self._bench if self._bench and line.depth > self._bench[1] else None
        self._section = section
        if section in ("plan", "findings"):
            self._plan = Plan(self._draft, asks=section == "plan", criterion=self._criterion)
        if self._criterion and section in ("dissent", "plan"):
            self._field = "dissent" if section == "dissent" else "remediation"
        title = title_in(line.text)
        if section == "summary" and title.score and self._draft.overall is None:
            self._draft.overall = title.score

    def _other_heading(self, line: Line) -> None:
        """Unknown. In a criterion, code that was pasted without a fence looks like a heading of level 1."""
        self._close_plan()
        self._field = ""
        if self._criterion and line.depth <= self._depth and not (line.depth == 1 < self._depth):
            self._criterion, self._section = None, "other"

    # Lines

    def _statement(self, line: Line) -> None:
        statement = statement_in(line.text)
        if self._section == "dissent" and self._criterion and not self._ends_dissent(statement):
            self._append(line.text)
            return
        if self._plan and self._criterion is None:
            self._plan.line(line)
            return
        if (
            self._judge_line(line, statement)
            or self._label(line, statement)
            or self._criterion_item(line, statement)
        ):
            return
        self._pass_on(line)

    def _ends_dissent(self, statement: Statement) -> bool:
        return statement.is_split and (
            section_in(statement.head) in ("plan", "opinions") or statement.key in words.FINAL_SCORES
        )

    def _judge_line(self, line: Line, statement: Statement) -> bool:
        judge = statement.judge
        if judge is None or self._criterion is None or not (statement.is_split or statement.score):
            return False
        if self._section == "plan" or (self._field in ("dissent", "remediation") and not _is_fresh(line)):
            return False
        score, argument = judge_and_score(statement)
        if plain_key(statement.head).endswith("score") and score is None:
            score = leading_score_in(statement.rest)[0]
        self._open_opinion(self._criterion, judge, line, score, argument)
        return True

    def _open_opinion(self, criterion: DraftCriterion, judge: Persona | str, line: Line, score: ImportedScore | None, argument: str) -> None:  # fmt: skip
        argument, cited = _cited_in(argument)
        self._opinion = self._draft.opinion(criterion, judge, line.number, score, argument)
        self._opinion.cited.extend(cited)
        self._opinion_depth = line.depth
        self._field = "argument"

    def _label(self, line: Line, statement: Statement) -> bool:
        key = statement.key
        if not (statement.is_split or statement.score):
            return False
        if self._scored(line, statement, key) or self._judges_field(statement, key):
            return True
        if self._criterion is None:
            return self._named(line, statement, key) or heading_facts.take_label(
                self._draft, key, statement.rest
            )
        return self._criterion_field(line, statement)

    def _scored(self, line: Line, statement: Statement, key: str) -> bool:
        said = statement.rest if statement.score is None else statement.score.written
        if is_overall(key) and not (self._criterion and key in ("total", "average", "mean")):
            self._overall(said)
            return True
        if key in words.LEVELS and self._criterion:
            self._levelled(line, statement.rest)
            return True
        if key in words.FINAL_SCORES or (
            key in words.SCORES and (self._criterion or self._section != "other")
        ):
            self._give_score(line, statement, key, said)
            return True
        return False

    def _overall(self, said: str) -> None:
        score = score_in(said)
        if score and (self._draft.overall is None or (self._draft.overall.maximum is None and score.maximum)):
            self._draft.overall = score

    def _levelled(self, line: Line, said: str) -> None:
        if self._criterion is None:
            return
        level, *others = segments_of(said) or [""]
        self._draft.give_level(self._criterion, level)
        for other in others:
            self._label(line, statement_in(other))

    def _give_score(self, line: Line, statement: Statement, key: str, said: str) -> None:
        score = statement.score or score_in(said)
        if self._criterion is None:
            if (
                score
                and (score.value is not None or key in words.FINAL_SCORES)
                and self._draft.overall is None
            ):
                self._draft.overall = score
            return
        self._field = ""
        if excludes(said):
            self._criterion.excluded = True
        if score is None or (score.value is None and len(said.split()) > 4):
            return
        beneath = self._opinion and (
            line.depth > self._opinion_depth or self._opinion_depth == BOLD_HEADING or self._criterion.score
        )
        if key in words.SCORES and self._opinion and self._opinion.score is None and beneath:
            self._opinion.score, self._field = score, "argument"
        else:
            self._draft.give_score(self._criterion, score, line.number, "headings")

    def _judges_field(self, statement: Statement, key: str) -> bool:
        if self._opinion is None:
            return False
        if key in words.ARGUMENTS:
            self._opinion.argument = self._opinion.argument or ""
            self._field = "argument"
            self._append(statement.rest)
        elif key in words.CITED:
            self._field = "cited"
            self._append(statement.rest)
        else:
            return False
        return True

    def _named(self, line: Line, statement: Statement, key: str) -> bool:
        if key not in words.CRITERIA or not key_of(statement.rest):
            return False
        title = title_in(statement.rest)
        self._begin_criterion(Line(line.number, "heading", BOLD_HEADING, line.text), title)
        return True

    def _criterion_field(self, line: Line, statement: Statement) -> bool:
        if statement.key in words.CRITERIA and key_of(statement.rest):
            return self._named(line, statement, statement.key)
        if statement.key in words.IDS and self._criterion:
            self._criterion.id = self._criterion.id or statement.rest[:120]
            return True
        section = section_in(statement.head)
        if section not in ("dissent", "plan", "findings", "evidence"):
            return False
        self._close_plan()
        self._opinion, self._section = None, "breakdown"
        self._field = {"dissent": "dissent", "plan": "remediation"}.get(section, "")
        if section in ("plan", "findings"):
            self._plan = Plan(self._draft, asks=section == "plan", criterion=self._criterion)
        if statement.rest:
            self._pass_on(Line(line.number, "text", 0, statement.rest))
        return True

    def _criterion_item(self, line: Line, statement: Statement) -> bool:
        """A list of criteria with their scores: `[PASS] Git Forensic Analysis: 4/5`."""
        known = self._draft.known(statement.head)
        if self._criterion and known is None:
            return False
        title = title_in(line.text)
        score = title.score
        if (
            score is None
            or score.value is None
            or len(title.name) > LONGEST_ITEM_NAME
            or not key_of(title.name)
        ):
            return False
        if known is None and (line.kind != "item" or score.maximum is None or _is_no_criterion(title.name)):
            return False
        criterion = self._draft.criterion(title.name, title.id, line.number)
        if criterion and self._bench:
            self._open_opinion(criterion, self._bench[0], line, score, statement.rest)
        elif criterion and (criterion.score is None or self._criterion is None):
            self._draft.give_score(criterion, score, line.number, "lists")
        return True

    # What follows belongs to what is open

    def _pass_on(self, line: Line) -> None:
        if excludes(line.text) and self._criterion and len(line.text) < 60:
            self._criterion.excluded = True
        if self._plan:
            self._plan.line(line)
        if self._field and line.text:
            self._append(line.text)

    def _append(self, text: str) -> None:
        if self._field == "cited" and self._opinion:
            self._opinion.cited.extend(part.strip() for part in text.split(", ")[:50] if part.strip())
        elif self._field == "argument" and self._opinion and len(self._opinion.argument) < LONGEST_TEXT:
            said, cited = _cited_in(text)
            self._opinion.argument = f"{self._opinion.argument} {said}".strip()
            self._opinion.cited.extend(cited)
        elif self._field in ("dissent", "remediation") and self._criterion:
            before = str(getattr(self._criterion, self._field))
            if len(before) < LONGEST_TEXT:
                setattr(self._criterion, self._field, f"{before}\n{text}".strip())

    def _close_table(self) -> None:
        if self._table:
            rows, self._table = self._table, []
            read_table(rows, self._draft, self._criterion, self._say_row)

    def _say_row(self, number: int, label: str, value: str) -> None:
        self._statement(Line(number, "text", 0, f"{label}: {value}"))

    def _close_plan(self) -> None:
        if self._plan:
            self._plan.close()
        self._plan = None


def _is_fresh(line: Line) -> bool:
    return line.kind == "item"


def _is_no_criterion(name: str) -> bool:
    key = plain_key(name)
    return is_overall(key) or section_in(name) is not None or "criteria" in key or "judge" in key


def _cited_in(argument: str) -> tuple[str, list[str]]:
    """An argument and the evidence that its last sentence cites."""
    at = max(
        argument.rfind(mark) for mark in (" Evidence: ", " Cited: ", " Citations: ", " Cited evidence: ")
    )
    if at < 0:
        return argument, []
    listed = argument[at:].partition(": ")[2]
    cited = [part.strip(" .[]") for part in listed.split(", ")]
    return argument[:at].strip(), [part for part in cited if part and part != "none"]
