"""Search for the headings that name a criterion, by the lines beneath each heading.

It runs before the report is parsed, because the level of the headings decides together with
their words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from courtroom.report_import import vocabulary
from courtroom.report_import.line_statements import Title, parse_statement, parse_title
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.name_cleaning import (
    is_overall_label,
    name_key,
    normalize,
    section_of,
)

Sign = Literal["score", "judge"]
# A score or a judge is this close under the heading of its criterion.
SEARCHED_LINES = 60
LONGEST_HEADING = 160
LEAST_USUAL = 3
# The parts of a numbered criterion may begin with its evidence.
_NUMBERED = re.compile(r"\W{0,4}\d{1,2}[.):]\s")
_TITLE = re.compile(r"\b(?:audit\w*|report|evaluation|assessment|review|verdict)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Candidate:
    index: int
    depth: int
    has_score: bool


def criterion_headings(lines: Sequence[Line]) -> Mapping[int, Title]:
    """Return the headings that begin a criterion, by position in `lines`, as parsed titles."""
    titles = {index: parse_title(lines[index].text) for index in _possible_headings(lines)}
    tested = [_candidate(lines, index, title) for index, title in titles.items()]
    candidates = [candidate for candidate in tested if candidate]

    # Criteria share a level. A candidate with a judge but no score counts only at that level.
    depths = Counter(candidate.depth for candidate in candidates if candidate.has_score)
    usual = depths.most_common(1)[0][0] if depths else None
    return {
        candidate.index: titles[candidate.index]
        for candidate in candidates
        if (candidate.has_score and not _is_outlier(candidate, depths))
        or candidate.depth == usual
        or (usual is None and candidate.depth > 1)
    }


def _is_outlier(candidate: _Candidate, depths: Counter[int]) -> bool:
    """Return true for the only scored heading of its level, where three others share a level.

    Such a heading is a remark.
    """
    return depths[candidate.depth] == 1 and max(depths.values()) >= LEAST_USUAL


def _possible_headings(lines: Sequence[Line]) -> Iterator[int]:
    """Yield headings outside the plan, without the report's own title."""
    plan_depth: int | None = None
    is_first = True

    for index, line in enumerate(lines):
        if line.kind != "heading":
            continue

        if plan_depth is not None and line.depth <= plan_depth:
            plan_depth = None
        if section_of(line.text) == "plan" and line.depth < BOLD_HEADING:
            plan_depth = line.depth

        is_title, is_first = is_first and _TITLE.search(line.text) is not None, False
        is_short = len(line.text) <= LONGEST_HEADING and "://" not in line.text
        if plan_depth is None and not is_title and is_short:
            yield index


def _candidate(lines: Sequence[Line], index: int, title: Title) -> _Candidate | None:
    depth = lines[index].depth
    key, words = name_key(title.name), normalize(title.name)
    if not key or key.isdigit() or is_overall_label(words) or is_score_label(words):
        return None

    statement = parse_statement(title.name)
    is_section = section_of(title.name) is not None and not title.score
    if statement.judge or statement.topic or is_section:
        return None

    if title.score or title.is_unscored:
        return _Candidate(index, depth, has_score=title.score is not None)
    sign = _sign_beneath(lines, index)
    return _Candidate(index, depth, has_score=sign == "score") if sign else None


def is_score_label(key: str) -> bool:
    """Return true for words that only announce a score, a level or a criterion."""
    return (
        key in vocabulary.SCORES
        or key in vocabulary.FINAL_SCORES
        or key in vocabulary.LEVELS
        or key in vocabulary.CRITERIA
    )


def _sign_beneath(lines: Sequence[Line], index: int) -> Sign | None:
    """Return the first sign of a criterion before the next section: its score, or a judge."""
    depth = lines[index].depth
    is_numbered = _NUMBERED.match(lines[index].text) is not None

    for line in lines[index + 1 : index + 1 + SEARCHED_LINES]:
        if line.kind == "heading":
            ends_part = line.depth <= depth or line.depth < BOLD_HEADING
            is_evidence = is_numbered and section_of(line.text) == "evidence"
            if ends_part and not is_evidence and not _belongs_to_criterion(line):
                return None
            if line.depth <= depth < BOLD_HEADING:
                return None
            if is_score_label(normalize(line.text)):
                return "score"

        if line.kind in ("heading", "item", "text") and (sign := _sign_in(line)):
            return sign
        if line.kind == "row":
            return _sign_in_row(line)
    return None


def _belongs_to_criterion(line: Line) -> bool:
    """Return true for a heading inside the criterion above it.

    Such headings are a judge, the opinions, or a bold label.
    """
    statement = parse_statement(line.text)
    if line.depth == BOLD_HEADING and (statement.judge or _sign_in(line)):
        return True
    return (
        statement.judge is not None
        or section_of(line.text) in ("opinions", "dissent")
        or is_score_label(statement.key)
    )


def _sign_in(line: Line) -> Sign | None:
    statement = parse_statement(line.text)
    if statement.is_code:
        return None

    has_value = statement.is_split or statement.score is not None
    is_score = is_score_label(statement.key) and statement.key not in vocabulary.CRITERIA
    if is_score and has_value:
        return "score"
    if statement.judge and (has_value or line.kind == "heading"):
        return "judge"
    return "judge" if section_of(line.text) == "opinions" and line.kind == "heading" else None


def _sign_in_row(line: Line) -> Sign | None:
    keys = [normalize(cell) for cell in line.cells]
    if any(key in ("judge", "persona", "judge persona") for key in keys):
        return "judge"

    # Two cells are a label and its value; a wider row is the head of a table of criteria.
    is_pair = len(keys) == 2
    is_score = is_pair and (keys[0] in vocabulary.SCORES or keys[0] in vocabulary.FINAL_SCORES)
    return "score" if is_score else None


def is_criterion_item(
    title: Title, section: vocabulary.Section | None, *, follows_item: bool
) -> bool:
    """Return true for a list item that is a new criterion: it has a score out of a maximum.

    A percentage counts only behind another criterion (`follows_item`): alone it may be anything.
    """
    key = normalize(title.name)
    if section in ("other", "evidence") or title.score is None or title.score.maximum is None:
        return False
    if "%" in title.score.written and not follows_item:
        return False

    is_label = is_overall_label(key) or section_of(title.name) is not None
    return not (is_label or vocabulary.NO_CRITERION.search(key))
