"""Which headings of a report name a criterion: found before it is read, by what stands beneath each of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from courtroom.report_import import vocabulary
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.name_cleaning import is_overall, key_of, plain_key, section_in
from courtroom.report_import.statements import Title, statement_in, title_in

# A score or a judge stands this close under the heading of its criterion.
SEARCHED_LINES = 60
LONGEST_HEADING = 160
LEAST_USUAL = 3
_TITLE = re.compile(r"\b(?:audit\w*|report|evaluation|assessment|review|verdict)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Candidate:
    at: int
    depth: int
    has_score: bool


def criterion_headings(lines: Sequence[Line]) -> Mapping[int, Title]:
    """By position in `lines`: the headings that begin a criterion, with what they say."""
    titles = {at: title_in(lines[at].text) for at in _nameable(lines)}
    candidates = [found for at, title in titles.items() if (found := _candidate(lines, at, title))]
    depths = Counter(candidate.depth for candidate in candidates if candidate.has_score)
    usual = depths.most_common(1)[0][0] if depths else None
    return {
        candidate.at: titles[candidate.at]
        for candidate in candidates
        if (candidate.has_score and not _is_outlier(candidate, depths))
        or candidate.depth == usual
        or (usual is None and candidate.depth > 1)
    }


def _is_outlier(candidate: _Candidate, depths: Counter[int]) -> bool:
    """The only heading of its level with a score, where three others share a level: a remark and no criterion."""
    return depths[candidate.depth] == 1 and max(depths.values()) >= LEAST_USUAL


def _nameable(lines: Sequence[Line]) -> Iterator[int]:
    """Headings that may name a criterion: not the report's own title, nor what stands in its plan."""
    plan: int | None = None
    is_first = True
    for at, line in enumerate(lines):
        if line.kind != "heading":
            continue
        if plan is not None and line.depth <= plan:
            plan = None
        if section_in(line.text) == "plan" and line.depth < BOLD_HEADING:
            plan = line.depth
        is_title, is_first = is_first and _TITLE.search(line.text) is not None, False
        if (
            plan is None
            and not is_title
            and len(line.text) <= LONGEST_HEADING
            and "://" not in line.text
        ):
            yield at


def _candidate(lines: Sequence[Line], at: int, title: Title) -> _Candidate | None:
    line = lines[at]
    key = key_of(title.name)
    if (
        not key
        or key.isdigit()
        or is_overall(plain_key(title.name))
        or is_label(plain_key(title.name))
    ):
        return None
    statement = statement_in(title.name)
    if statement.judge or statement.topic or (section_in(title.name) and not title.score):
        return None
    if title.score or title.is_unscored:
        return _Candidate(at, line.depth, has_score=title.score is not None)
    beneath = _beneath(lines, at)
    return _Candidate(at, line.depth, has_score=beneath == "score") if beneath else None


def is_label(key: str) -> bool:
    """Whether these words only announce a score or a level."""
    return (
        key in vocabulary.SCORES
        or key in vocabulary.FINAL_SCORES
        or key in vocabulary.LEVELS
        or key in vocabulary.CRITERIA
    )


def _beneath(lines: Sequence[Line], at: int) -> str | None:
    """What follows before the next heading of a section: a score of its own, or the word of a judge."""
    own = lines[at].depth
    for line in lines[at + 1 : at + 1 + SEARCHED_LINES]:
        if (
            line.kind == "heading"
            and not _speaks(line)
            and (line.depth <= own or line.depth < BOLD_HEADING)
        ):
            return None
        if line.kind == "heading" and line.depth <= own < BOLD_HEADING:
            return None
        if line.kind == "heading" and is_label(plain_key(line.text)):
            return "score"
        if line.kind in ("heading", "item", "text") and (found := _told(line)):
            return found
        if line.kind == "row":
            return _told_by_row(line)
    return None


def _speaks(line: Line) -> bool:
    """A heading that belongs to the criterion above it: a judge, the opinions, a bold label."""
    statement = statement_in(line.text)
    if line.depth == BOLD_HEADING and (statement.judge or _told(line)):
        return True
    return (
        statement.judge is not None
        or section_in(line.text) in ("opinions", "dissent")
        or is_label(statement.key)
    )


def _told(line: Line) -> str | None:
    statement = statement_in(line.text)
    if statement.is_code:
        return None
    if (
        statement.key in vocabulary.SCORES
        or statement.key in vocabulary.FINAL_SCORES
        or statement.key in vocabulary.LEVELS
    ) and (statement.is_split or statement.score):
        return "score"
    if statement.judge and (statement.is_split or statement.score or line.kind == "heading"):
        return "judge"
    return "judge" if section_in(line.text) == "opinions" and line.kind == "heading" else None


def _told_by_row(line: Line) -> str | None:
    keys = [plain_key(cell) for cell in line.cells]
    if any(key in ("judge", "persona", "judge persona") for key in keys):
        return "judge"
    return (
        "score"
        if keys
        and (keys[0] in vocabulary.SCORES or keys[0] in vocabulary.FINAL_SCORES)
        and len(keys) == 2
        else None
    )


def names_criterion(title: Title, section: vocabulary.Section | None, *, follows: bool) -> bool:
    """An item that nobody spoke of before is a criterion with a score out of a maximum, or in a list of such."""
    key = plain_key(title.name)
    if section in ("other", "evidence") or title.score is None or title.score.maximum is None:
        return False
    if "%" in title.score.written and not follows:
        return False
    return not (is_overall(key) or section_in(title.name) or vocabulary.NO_CRITERION.search(key))
