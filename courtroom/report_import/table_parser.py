"""Tables: of criteria with their scores, of one criterion's judges, of judges and criteria, or of labels and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from courtroom.models.record import Persona
from courtroom.report_import import vocabulary
from courtroom.report_import.draft_items import DraftCriterion
from courtroom.report_import.draft_report import Draft
from courtroom.report_import.imported_report import ImportedScore
from courtroom.report_import.markdown_lines import Line
from courtroom.report_import.name_cleaning import (
    is_overall,
    judge_named,
    key_of,
    plain_key,
    short_key_of,
    split_id,
)
from courtroom.report_import.score_parser import excludes, number_of, score_in
from courtroom.report_import.statements import statement_in

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
SayLabel = Callable[[int, str, str], None]
_COLUMNS: dict[Column, frozenset[str]] = {
    "criterion": vocabulary.CRITERIA
    | {
        "criteria",
        "rubric criterion",
        "rubric dimension",
        "area",
        "category",
        "rubric",
        "aspect",
        "dimensions",
    },
    "judge": frozenset({"judge", "persona", "judge persona", "judge name", "role"}),
    "score": vocabulary.SCORES
    | vocabulary.FINAL_SCORES
    | {"scores", "earned", "score 5", "score 1 5", "score 10", "score 100", "points earned"},
    "maximum": frozenset(
        {
            "max",
            "maximum",
            "max score",
            "max points",
            "out of",
            "possible",
            "points possible",
            "total points",
        }
    ),
    "level": vocabulary.LEVELS | {"worth", "achieved"},
    "argument": vocabulary.ARGUMENTS
    | {
        "argument excerpt",
        "key argument",
        "notes",
        "details",
        "finding",
        "why",
        "key argument excerpt",
    },
    "cited": vocabulary.CITED,
    "dissent": frozenset({"dissent", "dissent summary"}),
    "remediation": frozenset({"remediation", "recommendation", "action", "recommended action"}),
    "id": vocabulary.IDS,
}


@dataclass(frozen=True, slots=True)
class _Header:
    columns: dict[Column, int]
    judges: dict[int, Persona | str]
    maximum: float | None

    def cell(self, row: Line, column: Column) -> str:
        at = self.columns.get(column)
        return row.cells[at].strip() if at is not None and at < len(row.cells) else ""


def read_table(
    rows: Sequence[Line], draft: Draft, current: DraftCriterion | None, say: SayLabel
) -> None:
    """Take what a table tells into the draft. `say` is told of a row that is a label and its value."""
    header = _header(rows[0])
    if header is None:
        for row in rows:
            _say_row(row, draft, say)
        return
    for row in rows[1:]:
        if "judge" in header.columns:
            _opinion_row(row, header, draft, current)
        elif "criterion" in header.columns:
            _criterion_row(row, header, draft, say)


def tells_scores(head: Line) -> bool:
    """Whether a table with this first row tells of criteria or judges."""
    return _header(head) is not None


def _header(row: Line) -> _Header | None:
    """Null where the first row names no column that is known: a table of labels and values."""
    columns: dict[Column, int] = {}
    judges: dict[int, Persona | str] = {}
    for at, cell in enumerate(row.cells):
        key = short_key_of(cell)
        column = next((name for name, known in _COLUMNS.items() if key in known), None)
        if column and column not in columns:
            columns[column] = at
        elif judge := judge_named(cell):
            judges[at] = judge
    if "judge" in columns and ("score" in columns or "argument" in columns):
        return _Header(columns, judges, _scale(row, columns))
    if "criterion" not in columns and "id" in columns:
        columns["criterion"] = columns["id"]
    if "criterion" in columns and ({"score", "level"} & set(columns) or judges):
        return _Header(columns, judges, _scale(row, columns))
    return None


def _scale(row: Line, columns: dict[Column, int]) -> float | None:
    """The maximum that the score's own heading names, as in: Score (/5), Score / 10, Score (1-5)."""
    if "score" not in columns:
        return None
    digits = (
        row.cells[columns["score"]].replace("1-", " ").replace("1\u2013", " ").replace("/", " ")
    )
    numbers = [
        float(word)
        for word in digits.replace("(", " ").replace(")", " ").split()
        if word.isdecimal()
    ]
    return numbers[-1] if numbers and numbers[-1] > 0 else None


def _criterion_row(row: Line, header: _Header, draft: Draft, say: SayLabel) -> None:
    name, identity = split_id(header.cell(row, "criterion"))
    if not key_of(name):
        return
    if is_overall(plain_key(name)):
        say(row.number, name, _with_maximum(row, header))
        return
    criterion = draft.criterion(
        name, identity or header.cell(row, "id") or None, row.number, "tables"
    )
    if criterion is None:
        return
    if score := _scored(header, _with_maximum(row, header)):
        draft.give_score(criterion, score, row.number, "tables")
    level = header.cell(row, "level")
    if level and key_of(level):
        draft.give_level(criterion, level)
    criterion.excluded = criterion.excluded or excludes(row.text)
    _say_more(row, header, criterion)
    for at, judge in header.judges.items():
        cell = row.cells[at] if at < len(row.cells) else ""
        if score := _valued(cell):
            draft.opinion(criterion, judge, row.number, score)


def _say_more(row: Line, header: _Header, criterion: DraftCriterion) -> None:
    dissent, remediation = header.cell(row, "dissent"), header.cell(row, "remediation")
    if len(dissent.split()) > 2:
        criterion.dissent = criterion.dissent or dissent
    if len(remediation.split()) > 2:
        criterion.remediation = criterion.remediation or remediation


def _opinion_row(row: Line, header: _Header, draft: Draft, current: DraftCriterion | None) -> None:
    name = header.cell(row, "criterion")
    criterion = draft.criterion(name, None, row.number, "tables") if key_of(name) else current
    who = header.cell(row, "judge")
    if not who or not key_of(who):
        return
    if criterion is None:
        draft.note(row.number, f"What {who} says here belongs to no criterion.")
        return
    spoken = statement_in(who)
    score = _scored(header, header.cell(row, "score")) or spoken.score
    if any(word in plain_key(who) for word in ("chief justice", "final", "consensus")):
        if score:
            draft.give_score(criterion, score, row.number, "tables")
        return
    opinion = draft.opinion(
        criterion, spoken.judge or who, row.number, score, header.cell(row, "argument")
    )
    opinion.cited.extend(part for part in header.cell(row, "cited").split(", ") if part)


def _with_maximum(row: Line, header: _Header) -> str:
    score, most = header.cell(row, "score"), header.cell(row, "maximum")
    return f"{score}/{most}" if most and score and "/" not in score else score


def _scored(header: _Header, said: str) -> ImportedScore | None:
    score = _valued(said) or score_in(said)
    if score and score.maximum is None and score.value is not None and header.maximum:
        return score.model_copy(update={"maximum": header.maximum})
    return score


def _valued(said: str) -> ImportedScore | None:
    score = score_in(said)
    return (
        score if score and score.value is not None and number_of(score.value) is not None else None
    )


def _say_row(row: Line, draft: Draft, say: SayLabel) -> None:
    """A row of two is a label and its value; of three or more, perhaps a criterion with its score."""
    cells = [cell.strip() for cell in row.cells if cell.strip()]
    if len(cells) < 2:
        return
    known = draft.known(cells[0]) or (draft.known(cells[1]) if len(cells) > 2 else None)
    if known is None:
        say(row.number, cells[0], cells[1])
        return
    score = next((found for cell in cells[1:] if (found := _valued(cell))), None)
    if score:
        draft.give_score(known, score, row.number, "tables")
