"""Parser of tables: of criteria with scores, of judges' opinions, or of labels and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from courtroom.models.judge_answer import Persona
from courtroom.report_import import vocabulary
from courtroom.report_import.draft_report import DraftCriterion, DraftReport
from courtroom.report_import.imported_report import ImportedScore
from courtroom.report_import.line_statements import parse_statement
from courtroom.report_import.markdown_lines import Line
from courtroom.report_import.name_cleaning import (
    exact_judge,
    is_overall_label,
    name_key,
    normalize,
    short_name_key,
    split_id,
)
from courtroom.report_import.score_parser import as_number, parse_score, says_excluded
from courtroom.report_import.vocabulary import phrases

Column = Literal[
    "criterion",
    "judge",
    "score",
    "maximum",
    "level",
    "argument",
    "cited",
    "dissent",
    "remediation",
    "id",
]
# Takes the line number, the label and the value of a row.
ParsePair = Callable[[int, str, str], None]
# A shorter cell is a mark such as `yes` or `None`, not a text.
LEAST_WORDS = 3
_COLUMNS: dict[Column, frozenset[str]] = {
    "criterion": vocabulary.CRITERIA
    | phrases("""
        criteria, rubric criterion, rubric dimension, area, category, rubric, aspect, dimensions
    """),
    "judge": phrases("judge, persona, judge persona, judge name, role"),
    "score": vocabulary.SCORES
    | vocabulary.FINAL_SCORES
    | phrases("scores, earned, score 5, score 1 5, score 10, score 100, points earned"),
    "maximum": phrases("""
        max, maximum, max score, max points, out of, possible, points possible, total points
    """),
    "level": vocabulary.LEVELS | phrases("worth, achieved"),
    "argument": vocabulary.ARGUMENTS
    | phrases("""
        argument excerpt, key argument, notes, details, finding, why, key argument excerpt
    """),
    "cited": vocabulary.CITED,
    "dissent": phrases("dissent, dissent summary"),
    "remediation": phrases("remediation, recommendation, action, recommended action"),
    "id": vocabulary.IDS,
}


@dataclass(frozen=True, slots=True)
class _Header:
    """Frozen columns of a table by meaning, and the columns that judges have of their own."""

    columns: dict[Column, int]
    judges: dict[int, Persona | str]
    maximum: float | None

    def cell(self, row: Line, column: Column) -> str:
        index = self.columns.get(column)
        return row.cells[index].strip() if index is not None and index < len(row.cells) else ""


def parse_table(
    rows: Sequence[Line],
    draft: DraftReport,
    current: DraftCriterion | None,
    parse_pair: ParsePair,
) -> None:
    """Parse a table into the draft.

    `current` is the criterion the table stands under. `parse_pair` is called for each row that is
    a label and its value.
    """
    header = _parse_header(rows[0])
    if header is None:
        for row in rows:
            _parse_pair_row(row, draft, parse_pair)
        return

    for row in rows[1:]:
        if "judge" in header.columns:
            _parse_opinion_row(row, header, draft, current)
        elif "criterion" in header.columns:
            _parse_criterion_row(row, header, draft, parse_pair)


def has_score_columns(head: Line) -> bool:
    """Return true for the head of a table of criteria or judges."""
    return _parse_header(head) is not None


def _parse_header(row: Line) -> _Header | None:
    """Return null where the row names no known column: a table of labels and values."""
    columns: dict[Column, int] = {}
    judges: dict[int, Persona | str] = {}

    for index, cell in enumerate(row.cells):
        key = short_name_key(cell)
        column = next((name for name, labels in _COLUMNS.items() if key in labels), None)
        if column and column not in columns:
            columns[column] = index
        elif judge := exact_judge(cell):
            judges[index] = judge

    if "judge" in columns and ("score" in columns or "argument" in columns):
        return _Header(columns, judges, _scale(row, columns))
    if "criterion" not in columns and "id" in columns:
        columns["criterion"] = columns["id"]
    if "criterion" in columns and ({"score", "level"} & set(columns) or judges):
        return _Header(columns, judges, _scale(row, columns))
    return None


def _scale(row: Line, columns: dict[Column, int]) -> float | None:
    """Return the maximum in the head of the score, as in: Score (/5), Score / 10, Score (1-5)."""
    if "score" not in columns:
        return None

    text = row.cells[columns["score"]]
    for mark in ("1-", "1\u2013", "/", "(", ")"):
        text = text.replace(mark, " ")

    numbers = [float(word) for word in text.split() if word.isdecimal()]
    return numbers[-1] if numbers and numbers[-1] > 0 else None


def _parse_criterion_row(
    row: Line, header: _Header, draft: DraftReport, parse_pair: ParsePair
) -> None:
    name, identity = split_id(header.cell(row, "criterion"))
    if not name_key(name):
        return
    if is_overall_label(normalize(name)):
        parse_pair(row.number, name, _score_with_maximum(row, header))
        return

    identity = identity or header.cell(row, "id") or None
    criterion = draft.get_or_add_criterion(name, identity, row.number, "tables")
    if criterion is None:
        return

    if score := _scaled_score(header, _score_with_maximum(row, header)):
        draft.set_score(criterion, score, row.number, "tables")
    level = header.cell(row, "level")
    if level and name_key(level):
        draft.set_level(criterion, level)
    criterion.excluded = criterion.excluded or says_excluded(row.text)
    _set_texts(row, header, criterion)

    for index, judge in header.judges.items():
        cell = row.cells[index] if index < len(row.cells) else ""
        if score := _numeric_score(cell):
            draft.add_opinion(criterion, judge, row.number, score)


def _set_texts(row: Line, header: _Header, criterion: DraftCriterion) -> None:
    dissent, remediation = header.cell(row, "dissent"), header.cell(row, "remediation")
    if len(dissent.split()) >= LEAST_WORDS:
        criterion.dissent = criterion.dissent or dissent
    if len(remediation.split()) >= LEAST_WORDS:
        criterion.remediation = criterion.remediation or remediation


def _parse_opinion_row(
    row: Line, header: _Header, draft: DraftReport, current: DraftCriterion | None
) -> None:
    name = header.cell(row, "criterion")
    criterion = current
    if name_key(name):
        criterion = draft.get_or_add_criterion(name, None, row.number, "tables")
    judge = header.cell(row, "judge")
    if not judge or not name_key(judge):
        return
    if criterion is None:
        draft.add_note(row.number, f"The opinion of {judge} here belongs to no criterion.")
        return

    statement = parse_statement(judge)
    score = _scaled_score(header, header.cell(row, "score")) or statement.score
    # The Chief Justice gives no opinion: the score of that row is the criterion's.
    if any(word in normalize(judge) for word in ("chief justice", "final", "consensus")):
        if score:
            draft.set_score(criterion, score, row.number, "tables")
        return

    argument = header.cell(row, "argument")
    opinion = draft.add_opinion(
        criterion, statement.judge or judge, row.number, score, argument=argument
    )
    opinion.cited.extend(part for part in header.cell(row, "cited").split(", ") if part)


def _score_with_maximum(row: Line, header: _Header) -> str:
    score, maximum = header.cell(row, "score"), header.cell(row, "maximum")
    return f"{score}/{maximum}" if maximum and score and "/" not in score else score


def _scaled_score(header: _Header, text: str) -> ImportedScore | None:
    score = _numeric_score(text) or parse_score(text)
    if score and score.maximum is None and score.value is not None and header.maximum:
        return score.model_copy(update={"maximum": header.maximum})
    return score


def _numeric_score(text: str) -> ImportedScore | None:
    score = parse_score(text)
    if score is None or score.value is None or as_number(score.value) is None:
        return None
    return score


def _parse_pair_row(row: Line, draft: DraftReport, parse_pair: ParsePair) -> None:
    """Parse a row of a table without a known head.

    Two cells are a label and its value; three or more may be a criterion with its score.
    """
    cells = [cell.strip() for cell in row.cells if cell.strip()]
    if len(cells) < 2:
        return

    criterion = draft.find_criterion(cells[0])
    if criterion is None and len(cells) > 2:
        criterion = draft.find_criterion(cells[1])
    if criterion is None:
        parse_pair(row.number, cells[0], cells[1])
        return

    scores = (_numeric_score(cell) for cell in cells[1:])
    score = next((score for score in scores if score), None)
    if score:
        draft.set_score(criterion, score, row.number, "tables")
