"""Score track: a line from 1 to 5 with the three judges above it and the verdict on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from grading.report_pages.judge_marks import JUDGES, Judge

# All in units of the SVG view box.
WIDTH, HEIGHT = 340, 74
# The sides leave room for three marks over 1 or over 5.
LEFT, STEP = 36, 67
# Heights of the marks, the line and the numbers, from the top of the drawing.
MARKS_Y, LINE_Y, NUMBERS_Y = 13, 42, 65
MARK_SPACING = 22


def _x(score: int) -> int:
    return LEFT + (score - 1) * STEP


# The same in every drawing, of which a report has two for each criterion.
TICKS = format_html_join(
    "\n  ",
    '<circle class="tick" cx="{}" cy="{}" r="4"/><text x="{}" y="{}">{}</text>',
    ((_x(score), LINE_Y, _x(score), NUMBERS_Y, score) for score in range(1, 6)),
)


@dataclass(frozen=True, slots=True)
class Mark:
    """Position of a judge's mark, in the units of the view box."""

    judge: Judge
    x: int
    y: int = MARKS_Y


@dataclass(frozen=True, slots=True)
class Track:
    """Drawing of one criterion; `words` is its text alternative."""

    words: str
    marks: tuple[Mark, ...]
    verdict: int | None
    verdict_x: int | None
    width: int = WIDTH
    height: int = HEIGHT
    line_y: int = LINE_Y
    left: int = LEFT
    right: int = LEFT + 4 * STEP
    ticks: SafeString = TICKS


def track_of(scores: Mapping[str, int | None], verdict: int | None) -> Track:
    """Return the track; `scores` by judge id, None where a judge gave no usable answer."""
    return Track(
        words=_words(scores, verdict),
        marks=_marks(scores),
        verdict=verdict,
        verdict_x=None if verdict is None else _x(verdict),
    )


def _marks(scores: Mapping[str, int | None]) -> tuple[Mark, ...]:
    """Place judges who agree side by side, centred over their score."""
    marks = []
    for score in range(1, 6):
        agreed = [judge for judge in JUDGES if scores.get(judge.id) == score]
        start = _x(score) - MARK_SPACING * (len(agreed) - 1) // 2
        marks += [Mark(judge, start + MARK_SPACING * place) for place, judge in enumerate(agreed)]
    return tuple(marks)


def _words(scores: Mapping[str, int | None], verdict: int | None) -> str:
    opening = "No verdict." if verdict is None else f"Verdict {verdict} of 5."
    answers = [
        f"{judge.name} {scores.get(judge.id) or 'no answer'}"
        for judge in JUDGES
        if judge.id in scores
    ]
    return f"{opening} {', '.join(answers)}." if answers else opening
