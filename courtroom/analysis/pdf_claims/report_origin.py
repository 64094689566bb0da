"""A report that is no account of the work today: an output of its auditor, or one of an earlier day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from courtroom.analysis.pdf.pdf_content import PdfReading

# Share of the report's letters that a file must have to be its text: a PDF may number its pages.
_SHARE = 0.9
_LEAST_LETTERS = 200
_TITLE_LINES = 8
_TITLE_CHARACTERS = 60
_INTERIM = re.compile(r"\binterim (?:\w{3,20} )?(?:report|submission)\b", re.IGNORECASE)
# A report of the repository that is the final one by its name.
_FINAL = re.compile(r"final[ _-]?(?:report|submission)\.(?:md|pdf)$", re.IGNORECASE)
_LETTERS = re.compile(r"[^a-z]+")


def origin_of(
    reading: PdfReading, files: Mapping[str, Sequence[str]], audits: Iterable[str]
) -> str:
    """Return sentences on such a report, "" for any other.

    `files` are texts of the repository as lines, `audits` the paths of its own audits.
    """
    letters = _letters("\n".join(reading.pages))
    for path in audits:
        text = _letters("\n".join(files.get(path, ())))
        if len(text) >= max(_LEAST_LETTERS, _SHARE * len(letters)) and text in letters:
            return f"The report has the text of {path}, an audit that the work holds."
    if not _is_interim(reading):
        return ""
    final_report = next(filter(_FINAL.search, files), "")
    remark = f" {final_report} is not the report that was handed in." if final_report else ""
    return (
        f"By its title the report is an interim one: what it puts off may be built by now.{remark}"
    )


def _is_interim(reading: PdfReading) -> bool:
    """Return whether a line of the title says so, or a long first line begins with it."""
    lines = "".join(reading.pages[:1]).split("\n")[:_TITLE_LINES]
    titles = (line for line in lines if len(line) <= _TITLE_CHARACTERS)
    return any(map(_INTERIM.search, titles)) or any(map(_INTERIM.match, lines[:1]))


def _letters(text: str) -> str:
    return _LETTERS.sub("", text.lower())
