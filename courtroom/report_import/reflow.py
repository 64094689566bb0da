"""Text that was taken out of a PDF: one word on each line, or headings without a mark.

Words are put together into lines again, each with the number of the line it began on; short lines over a score or a
judge become headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from courtroom.report_import import vocabulary
from courtroom.report_import.markdown_lines import BOLD_HEADING, Line
from courtroom.report_import.statements import statement_in

LEAST_LINES = 40
# This many of a hundred lines hold a single word; of ordinary reports, a handful do.
SINGLE_WORDS = 80
# When every other line is empty, empty lines part words and no paragraphs.
BLANKS_BETWEEN_WORDS = 50
LONGEST_BARE_HEADING = 80
_STARTS = re.compile(
    r"(?:#{1,6}|[-•*]|\d{1,2}[.)]|\|)\Z|(?:final|overall|total|prosecutor|defen[sc]e|tech|techlead|score|remediation|dissent|criterion|dimension)"
    r"\b\W*\Z",
    re.IGNORECASE,
)
_LABELS = re.compile(
    r"(?:(?:final|overall|total) score|prosecutor|defen[sc]e|tech ?lead|score|remediation|dissent|criterion(?: \d{1,2})?|dimension(?: \d{1,2})?)"
    r"\s?(?:[:(]|score\b)|#{1,6} |[-•*] |\d{1,2}[.)] [A-Z]",
    re.IGNORECASE,
)


def reflowed(raw: Sequence[str]) -> list[tuple[int, str]] | None:
    """The lines anew, each with the 1-based number it began on; null for text that needs none of this."""
    told = [len(line.split()) for line in raw]
    full = sum(1 for count in told if count)
    if full < LEAST_LINES or 100 * sum(1 for count in told if count == 1) < SINGLE_WORDS * full:
        return None
    ignores_blanks = 100 * (len(told) - full) > BLANKS_BETWEEN_WORDS * full
    return list(_joined(raw, ignores_blanks=ignores_blanks))


def _joined(raw: Sequence[str], *, ignores_blanks: bool) -> Iterator[tuple[int, str]]:
    tokens = [
        (number, word) for number, line in enumerate(raw, start=1) for word in line.split() or [""]
    ]
    held: list[str] = []
    began = 1
    for at, (number, word) in enumerate(tokens):
        ends = not word and not ignores_blanks
        if held and (
            ends or (_STARTS.match(word) and _begins_label(tokens, at) and not _is_label(held))
        ):
            yield began, " ".join(held)
            held = []
        if ends:
            yield number, ""
        elif word:
            began = began if held else number
            held.append(word)
    if held:
        yield began, " ".join(held)


def _begins_label(tokens: Sequence[tuple[int, str]], at: int) -> bool:
    following = " ".join(word for _, word in tokens[at : at + 8] if word)
    return _LABELS.match(following) is not None


def _is_label(held: Sequence[str]) -> bool:
    """`Final` before `Score:`, or a mark before its words, stays with what follows."""
    return len(held) == 1 and _STARTS.match(held[0]) is not None and ":" not in held[0]


def with_bare_headings(lines: Sequence[Line]) -> list[Line]:
    """Where nothing is marked as a heading, a short line over a score or a judge is one."""
    if any(line.kind == "heading" for line in lines):
        return list(lines)
    full = [line for line in lines if line.kind not in ("blank", "rule")]
    below = {id(line): under for line, under in pairwise(full)}
    return [
        replace(line, kind="heading", depth=BOLD_HEADING)
        if _is_bare_heading(line, below.get(id(line)))
        else line
        for line in lines
    ]


def _is_bare_heading(line: Line, under: Line | None) -> bool:
    if line.kind not in ("text", "item") or under is None or len(line.text) > LONGEST_BARE_HEADING:
        return False
    statement, beneath = statement_in(line.text), statement_in(under.text)
    if (
        statement.judge
        or statement.is_split
        or statement.score
        or line.text.endswith((".", ",", ";"))
    ):
        return False
    is_told = beneath.is_split or beneath.score is not None
    return is_told and (
        beneath.key in vocabulary.SCORES
        or beneath.key in vocabulary.FINAL_SCORES
        or beneath.key in vocabulary.LEVELS
        or beneath.judge is not None
    )
