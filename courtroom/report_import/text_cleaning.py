"""Cleaning of untrusted text: bounded, in plain lines, without invisible characters.

Lines are never joined or removed here, so a note can name the line that the author knows.
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
# Besides what our own Markdown marks as unseen: joiners, fillers and half surrogate pairs, which
# no page shows and no database stores.
_INVISIBLE = re.compile(
    f"{UNSEEN.pattern}|[\u034f\u115f\u1160\u17b4\u17b5\u180e\u200c\u200d\u3164"
    "\ufe00-\ufe0f\uffa0\ud800-\udfff]"
)
_OTHER_FILES = {
    "%PDF-": "A PDF cannot be imported. Upload the Markdown or JSON that it was made from.",
    "PK\x03\x04": "An archive or a Word file cannot be imported. Upload Markdown or JSON.",
    "{\\rtf": "A Word file cannot be imported. Upload Markdown or JSON.",
}


def visible_text(text: str) -> str:
    """Return the text without characters that nobody sees or a database refuses."""
    return _BLANK.sub(" ", _INVISIBLE.sub("", text))


def clean_text(text: str) -> str:
    """Return the text as lines of visible characters.

    Raises ReportRefused: report_too_large, report_empty, report_no_text.
    """
    # The first comparison is cheap and spares encoding a text that is far too long.
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        message = (
            f"The report is larger than {MOST_BYTES // MEBIBYTE} MB. "
            "Upload the report alone, without its raw evidence."
        )
        raise ReportRefused("report_too_large", message)

    for beginning, message in _OTHER_FILES.items():
        if text.startswith(beginning):
            raise ReportRefused("report_no_text", message)
    if "\0" in text:
        message = "The file is not text. Upload the report as Markdown or JSON."
        raise ReportRefused("report_no_text", message)

    cleaned = visible_text(_LINE_END.sub("\n", text)).expandtabs(4)
    if not cleaned.strip():
        raise ReportRefused("report_empty", "The report is empty.")
    return cleaned
