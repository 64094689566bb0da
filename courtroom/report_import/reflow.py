"""Repair of text taken out of a PDF: one word on each line, or headings without a mark.

Words become lines again, each with the number of the line it began on. Short lines above a score
or a judge become headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from courtroom.report_import import vocabulary
from courtroom.report_import.line_statements import parse_statement
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line

LEAST_LINES = 40
# This many of a hundred lines hold a single word; of ordinary reports, a handful do.
SINGLE_WORDS = 80
# When every other line is empty, empty lines part words and no paragraphs.
BLANKS_BETWEEN_WORDS = 50
LONGEST_BARE_HEADING = 80
# A label has at most this many words, with its mark.
LABEL_WORDS = 8
# Words that may begin a line: marks, and first words of labels.
_STARTS = re.compile(
    r"(?:#{1,6}|[-•*]|\d{1,2}[.)]|\|)\Z"
    r"|(?:final|overall|total|prosecutor|defen[sc]e|tech|techlead|score|remediation|dissent"
    r"|criterion|dimension)"
    r"\b\W*\Z",
    re.IGNORECASE,
)
_LABELS = re.compile(
    r"(?:(?:final|overall|total) score|prosecutor|defen[sc]e|tech ?lead|score|remediation|dissent"
    r"|criterion(?: \d{1,2})?|dimension(?: \d{1,2})?)"
    r"\s?(?:[:(]|score\b)|#{1,6} |[-•*] |\d{1,2}[.)] [A-Z]",
    re.IGNORECASE,
)


def reflow_words(raw: Sequence[str]) -> list[tuple[int, str]] | None:
    """Return the rebuilt lines, each with the 1-based number it began on.

    Null for text that is not split into words.
    """
    counts = [len(line.split()) for line in raw]
    filled = sum(1 for count in counts if count)
    single = sum(1 for count in counts if count == 1)
    if filled < LEAST_LINES or 100 * single < SINGLE_WORDS * filled:
        return None

    ignores_blanks = 100 * (len(counts) - filled) > BLANKS_BETWEEN_WORDS * filled
    return list(_joined_lines(raw, ignores_blanks=ignores_blanks))


def _joined_lines(raw: Sequence[str], *, ignores_blanks: bool) -> Iterator[tuple[int, str]]:
    tokens = [
        (number, word) for number, line in enumerate(raw, start=1) for word in line.split() or [""]
    ]
    words: list[str] = []
    start = 1

    for index, (number, word) in enumerate(tokens):
        is_end = not word and not ignores_blanks
        if words and (is_end or _begins_line(tokens, index, words)):
            yield start, " ".join(words)
            words = []

        if is_end:
            yield number, ""
        elif word:
            start = start if words else number
            words.append(word)
    if words:
        yield start, " ".join(words)


def _begins_line(tokens: Sequence[tuple[int, str]], index: int, words: Sequence[str]) -> bool:
    # The cheap test of one word comes first: the look-ahead is costly.
    if not _STARTS.match(tokens[index][1]):
        return False
    ahead = " ".join(word for _, word in tokens[index : index + LABEL_WORDS] if word)
    return _LABELS.match(ahead) is not None and not _is_label_start(words)


def _is_label_start(words: Sequence[str]) -> bool:
    """Return true for `Final` before `Score:`, or a mark before its words: the label goes on."""
    return len(words) == 1 and _STARTS.match(words[0]) is not None and ":" not in words[0]


def mark_bare_headings(lines: Sequence[Line]) -> list[Line]:
    """Turn short lines above a score or a judge into headings.

    A text with at least one marked heading stays as it is.
    """
    if any(line.kind == "heading" for line in lines):
        return list(lines)

    filled = [line for line in lines if line.kind not in ("blank", "rule")]
    following = {id(line): after for line, after in pairwise(filled)}
    return [
        replace(line, kind="heading", depth=BOLD_HEADING)
        if _is_bare_heading(line, following.get(id(line)))
        else line
        for line in lines
    ]


def _is_bare_heading(line: Line, after: Line | None) -> bool:
    if line.kind not in ("text", "item") or after is None or len(line.text) > LONGEST_BARE_HEADING:
        return False

    statement, following = parse_statement(line.text), parse_statement(after.text)
    is_sentence = line.text.endswith((".", ",", ";"))
    if statement.judge or statement.is_split or statement.score or is_sentence:
        return False

    has_value = following.is_split or following.score is not None
    return has_value and (
        following.key in vocabulary.SCORES
        or following.key in vocabulary.FINAL_SCORES
        or following.key in vocabulary.LEVELS
        or following.judge is not None
    )
