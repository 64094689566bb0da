"""Text that others wrote, made safe to stand in Markdown: as prose, as a code span, as a fenced block.

Whatever it holds, it cannot end the place it stands in, start a link, a heading or HTML, or hide from the reader.
"""

from __future__ import annotations

import re

# Control characters but tab and newline, and what is invisible or changes the direction of writing.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f]"
)
REPLACEMENT = "�"
# An underscore inside a word is no emphasis and stays readable.
MARKS = re.compile(r"[\\`*\[\]<>&|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
BLOCK_START = re.compile(r"^(?:(\d+)(?=[.)](?:\s|$))|(?=[-+=#]))")
LINK_START = re.compile(r"(:)(?=//)|(?<=www)(\.)", re.IGNORECASE)


def prose(text: str) -> str:
    """One line of plain words."""
    line = UNSEEN.sub(REPLACEMENT, " ".join(text.split()))
    line = LINK_START.sub(lambda mark: "\\" + mark.group(), MARKS.sub(r"\\\g<0>", line))
    return BLOCK_START.sub(r"\1\\", line)


def code(text: str) -> str:
    """A code span on one line. Not for table cells: a bar would split them."""
    line = UNSEEN.sub(REPLACEMENT, " ".join(text.split()))
    ticks = "`" * (_longest_run(line) + 1)
    return f"{ticks} {line} {ticks}" if "`" in line or not line else f"{ticks}{line}{ticks}"


def fenced(text: str, suffix: str = "") -> str:
    """A block of lines, verbatim but for what cannot be seen; `suffix` names the language, as in `py`."""
    body = UNSEEN.sub(REPLACEMENT, text.replace("\r\n", "\n").replace("\r", "\n"))
    fence = "`" * max(3, _longest_run(body) + 1)
    language = suffix if re.fullmatch(r"[a-z0-9]{1,8}", suffix) else ""
    return f"{fence}{language}\n{body}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
