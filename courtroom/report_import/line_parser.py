"""Parser of single lines: an opinion, a label and value, a listed criterion, or more text."""

from __future__ import annotations

from courtroom.report_import import header_facts, vocabulary
from courtroom.report_import.criterion_headings import is_criterion_item
from courtroom.report_import.draft_report import DraftReport
from courtroom.report_import.line_statements import (
    Statement,
    Title,
    parse_bench,
    parse_statement,
    parse_title,
    score_and_argument,
    split_segments,
)
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.name_cleaning import is_overall_label, name_key, section_of
from courtroom.report_import.parser_state import ParserState
from courtroom.report_import.score_parser import parse_score, says_excluded

LONGEST_ITEM_NAME = 90
LONGEST_LEVEL_WORDS = 4


class LineParser:
    """Parses lines into the draft. `_section` is the section that the last heading began."""

    def __init__(self, draft: DraftReport) -> None:
        self._draft, self._state = draft, ParserState(draft)
        self._section: vocabulary.Section | None = None
        self._section_depth = 0
        self._last_item = -1

    def _open_section(self, line: Line, section: vocabulary.Section) -> None:
        state = self._state
        state.close_opinion()
        if state.criterion and section in ("evidence", "other"):
            self._section = "other"  # as any unknown heading
            return

        if not state.is_above(line):
            state.close()
            is_in_part = state.judge_part is not None and line.depth > state.judge_part[1]
            state.judge_part = state.judge_part if is_in_part else None
        self._section, self._section_depth = section, line.depth

        if section in ("plan", "findings"):
            state.open_plan(is_plan=section == "plan")
        if state.criterion and section == "dissent":
            state.field = "dissent"
        if state.criterion and section == "plan":
            state.field = "remediation"

        title = parse_title(line.text)
        if section == "summary" and title.score and self._draft.overall is None:
            self._draft.overall = title.score

    def _parse_statement(self, line: Line) -> None:
        statement, state = parse_statement(line.text), self._state
        is_dissent = self._section == "dissent" and state.field == "dissent"

        # A dissent names judges and their scores: they are no new opinions.
        if is_dissent and not _ends_dissent(statement):
            state.append(line.text)
        elif state.plan and state.criterion is None and not is_overall_label(statement.key):
            state.plan.parse_line(line)
        elif not (
            self._parse_opinion(line, statement)
            or self._parse_label(line, statement)
            or self._parse_list_criterion(line, statement)
        ):
            state.continue_with(line)

    def _parse_opinion(self, line: Line, statement: Statement) -> bool:
        judge, state = statement.judge, self._state
        is_short_item = line.kind == "item" and len(line.text) <= LONGEST_ITEM_NAME
        has_content = statement.is_split or statement.score or is_short_item
        if judge is None or state.criterion is None or not has_content or self._section == "plan":
            return False

        if bench := parse_bench(line.text):
            for bench_judge, bench_score in bench:
                state.open_opinion(bench_judge, line, bench_score, "")
            return True

        # In a dissent or a remediation a judge is only mentioned, unless an item has a score.
        score, argument = score_and_argument(statement)
        is_mention = line.kind != "item" or score is None
        if state.field in ("dissent", "remediation") and is_mention:
            return False
        if score is None and state.is_quoted(line):
            return False

        if self._section == "other":
            self._section = "opinions"
        state.open_opinion(judge, line, None if self._section == "findings" else score, argument)
        return True

    def _parse_label(self, line: Line, statement: Statement) -> bool:
        """Parse a label and its value; the open parts decide whose value it is."""
        key, value, state = statement.key, statement.rest, self._state
        has_value = statement.is_split or statement.score
        if not has_value or statement.judge or statement.is_code:
            return False
        if self._parse_scored_label(line, statement):
            return True

        if state.opinion and key in vocabulary.ARGUMENTS:
            state.open_field("argument", value)
            return True
        if state.opinion and key in vocabulary.CITED:
            state.open_field("cited", value)
            return True
        if self._parse_criterion_label(line, statement):
            return True

        if state.criterion is None or self._section == "other":
            is_fact = header_facts.set_labelled_fact(self._draft, key, value)
            return is_fact or self._parse_plan_label(line, statement)
        return self._parse_criterion_part(line, statement)

    def _parse_criterion_label(self, line: Line, statement: Statement) -> bool:
        """Parse `Criterion: Git Forensic Analysis (4/5)`, which opens a criterion."""
        if statement.key not in vocabulary.CRITERIA:
            return False
        value_key = name_key(statement.rest)
        if not value_key or is_overall_label(value_key):
            return False

        title = parse_title(statement.rest)
        heading = Line(line.number, "heading", BOLD_HEADING, "")
        self._state.open_criterion(heading, title.name, title.id, title.score)
        self._section = "breakdown"
        return True

    def _parse_plan_label(self, line: Line, statement: Statement) -> bool:
        """Parse `Recommendations:` with the changes beneath, where no heading is marked."""
        section = section_of(statement.head)
        if section != "plan" or not statement.is_split:
            return False

        self._open_section(Line(line.number, "heading", 1, statement.head), section)
        if statement.rest:
            self._state.continue_with(Line(line.number, "text", 0, statement.rest))
        return True

    def _parse_scored_label(self, line: Line, statement: Statement) -> bool:
        key = statement.key
        text = statement.rest if statement.score is None else statement.score.written
        if is_overall_label(key):
            return self._parse_overall(key, text)

        if key in vocabulary.LEVELS and self._state.criterion:
            self._parse_level(line, statement.rest)
        elif key in vocabulary.SCORES or key in vocabulary.FINAL_SCORES:
            self._parse_score(line, statement, text)
        else:
            return False
        return True

    def _parse_overall(self, key: str, text: str) -> bool:
        """Parse an overall score; within a criterion only a number is the whole report's.

        Words there assess the criterion.
        """
        score, criterion = parse_score(text), self._state.criterion
        if criterion and (score is None or score.value is None):
            return False

        header_facts.set_overall(self._draft, score)
        if criterion and criterion.score and "overall" in key:
            self._state.close()
        return True

    def _parse_level(self, line: Line, text: str) -> None:
        # As in: Level: Absent | Points: 0
        level, *segments = split_segments(text) or [""]
        if self._state.criterion and level:
            self._draft.set_level(self._state.criterion, level)
        for segment in segments:
            self._parse_label(line, parse_statement(segment))

    def _parse_score(self, line: Line, statement: Statement, text: str) -> None:
        score = statement.score or parse_score(text)
        is_final = statement.key in vocabulary.FINAL_SCORES
        has_number = score is not None and score.value is not None
        criterion = self._state.criterion

        if criterion is None:
            if self._section != "other" and (has_number or is_final):
                header_facts.set_overall(self._draft, score, is_certain=False)
            return

        if says_excluded(text):
            criterion.excluded = True
        if self._section == "other" or score is None:
            return
        # A level's name is short; a longer text behind `Verdict:` is an argument.
        if has_number or len(text.split()) <= LONGEST_LEVEL_WORDS:
            self._state.set_score(line, score, is_final=is_final)

    def _parse_criterion_part(self, line: Line, statement: Statement) -> bool:
        """Parse the label of a dissent, a plan or findings within a criterion; or of its id."""
        state = self._state
        if statement.key in vocabulary.IDS and state.criterion:
            state.criterion.id = state.criterion.id or statement.rest[:LONGEST_ITEM_NAME]
            return True

        section = section_of(statement.head)
        if section not in ("dissent", "plan", "findings", "evidence"):
            return False
        state.close_opinion()
        self._section = "breakdown"

        if section in ("plan", "findings"):
            state.open_plan(is_plan=section == "plan")
        state.field = (
            "dissent" if section == "dissent" else "remediation" if section == "plan" else ""
        )
        if statement.rest:
            state.continue_with(Line(line.number, "text", 0, statement.rest))
        return True

    def _parse_list_criterion(self, line: Line, statement: Statement) -> bool:
        """Parse an item of a list of criteria with scores: `[PASS] Git Forensic Analysis: 4/5`."""
        title, state = parse_title(line.text), self._state
        score = title.score
        if score is None or score.value is None or statement.judge or state.criterion:
            return False
        if not self._is_list_criterion(line, statement, title):
            return False

        self._last_item = line.number
        criterion = self._draft.get_or_add_criterion(title.name, title.id, line.number, "lists")
        if criterion and state.judge_part:
            judge = state.judge_part[0]
            item = Line(line.number, "item", BOLD_HEADING, "")
            state.open_criterion(item, title.name, title.id, None, source="lists")
            state.open_opinion(judge, line, score, "")
        elif criterion:
            self._draft.set_score(criterion, score, line.number, "lists")
        return True

    def _is_list_criterion(self, line: Line, statement: Statement, title: Title) -> bool:
        if len(title.name) > LONGEST_ITEM_NAME or not name_key(title.name):
            return False
        if self._draft.find_criterion(statement.head):
            return True

        follows_item = line.number == self._last_item + 1
        return line.kind == "item" and is_criterion_item(
            title, self._section, follows_item=follows_item
        )


def _ends_dissent(statement: Statement) -> bool:
    is_end = (
        section_of(statement.head) in ("plan", "opinions")
        or statement.key in vocabulary.FINAL_SCORES
    )
    return statement.is_split and is_end
