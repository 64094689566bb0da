"""Text that strangers wrote, made fit to be read: bounded, in plain lines, with nothing in it that nobody sees.

Lines are never joined or removed here, so that a note can name the line that its author knows.
"""

from __future__ import annotations

import re

from courtroom.models.errors import ReportRefused
from courtroom.rendering.markdown_escaping import UNSEEN

MEBIBYTE = 1024 * 1024
# The longest report known from practice has 253 kB.
MOST_BYTES = 2 * MEBIBYTE
_LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# Beside what Markdown of ours marks as unseen: joiners, fillers and half surrogates, which no page or database takes.
_NOT_SHOWN = re.compile(
    f"{UNSEEN.pattern}|[\u034f\u115f\u1160\u17b4\u17b5\u180e\u200c\u200d\u3164\ufe00-\ufe0f\uffa0\ud800-\udfff]"
)
_OTHER_FILES = {
    "%PDF-": "A PDF cannot be read as a report: give the Markdown or JSON it was made from.",
    "PK\x03\x04": "An archive or a Word file cannot be read as a report: give Markdown or JSON.",
    "{\\rtf": "A Word file cannot be read as a report: give Markdown or JSON.",
}


def shown(text: str) -> str:
    """The text without what nobody sees or a database refuses, NUL and half a surrogate pair among it."""
    return _BLANK.sub(" ", _NOT_SHOWN.sub("", text))


def readable(text: str) -> str:
    """The text in lines of visible characters. Raises ReportRefused: report_too_large, report_empty, report_no_text."""
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        message = f"The report is larger than {MOST_BYTES // MEBIBYTE} MB. Give the report alone, without its raw evidence."
        raise ReportRefused("report_too_large", message)
    for beginning, message in _OTHER_FILES.items():
        if text.startswith(beginning):
            raise ReportRefused("report_no_text", message)
    if "\0" in text:
        raise ReportRefused(
            "report_no_text", "The file is no text. Give the report as Markdown or JSON."
        )
    seen = shown(_LINE_END.sub("\n", text)).expandtabs(4)
    if not seen.strip():
        raise ReportRefused("report_empty", "The report is empty.")
    return seen
