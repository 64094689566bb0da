"""Sources that a report was made from: their text is the report's, and bears out nothing it says.

A script that draws the PDF holds its sentences as strings. Whoever looks up a name of the report
there finds it, whatever the code has.
"""

from __future__ import annotations

from collections.abc import Callable

from courtroom.analysis.pdf.pdf_content import PdfReading

# Runs of words from all over the report, away from the ends of lines.
_WORDS, _STEP, _END = 4, 12, 8
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 20, 60
_MOST_RUNS = 80
# A prompt or a rubric that the report quotes has two of them; a source has most.
_FEWEST_RUNS, _SHARE = 8, 0.25


def is_report_source(reading: PdfReading) -> Callable[[str], bool]:
    """Return a test of whether a text holds much of the report, word for word."""
    runs = _runs(reading)
    least = max(_FEWEST_RUNS, _SHARE * len(runs))
    return lambda text: sum(run in text for run in runs) >= least


def _runs(reading: PdfReading) -> list[str]:
    lines = (line.split() for page in reading.pages for line in page.split("\n"))
    runs = {
        " ".join(words[start : start + _WORDS]): None
        for words in lines
        for start in range(_WORDS, len(words) - _END, _STEP)
    }
    fitting = [run for run in runs if _FEWEST_CHARACTERS <= len(run) <= _MOST_CHARACTERS]
    return fitting[:: max(1, len(fitting) // _MOST_RUNS)]
