"""Escaping of untrusted text for Markdown: as prose, as a code span, as a fenced block.

No text can end its place, start a link, a heading or HTML, or hide from the reader.
"""

from __future__ import annotations

import re

# Control characters but tab and newline, what is invisible or changes the direction of writing, and
# what neither UTF-8 nor XML can hold: halves of surrogate pairs, and two non-characters.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)
REPLACEMENT = "�"
# An underscore inside a word is no emphasis and stays readable.
OUTER_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
MARKS = re.compile(rf"[\\`*\[\]<>&|~$]|{OUTER_UNDERSCORE.pattern}")
CODE = re.compile(r"(?<!`)`([^`\s](?:[^`]*[^`\s])?)`(?!`)")
CODE_OR_NAME = re.compile(rf"{CODE.pattern}|(?<![\w./*`-])(?P<name>[\w*][\w./*-]*+(?:\(\))?)(?!`)")
BLOCK_START = re.compile(r"^(?:(\d+)(?=[.)](?:\s|$))|(?=[-+=#]))")
# GitHub turns bare addresses into links, so their colon or dot is escaped.
LINK_START = re.compile(r"(:)(?=//)|(?<=www)(\.)", re.IGNORECASE)


def escape_prose(text: str) -> str:
    """Return the text as one line of plain words."""
    return BLOCK_START.sub(r"\1\\", _escape_inline(one_line(text)))


def escape_sentence(text: str) -> str:
    """Return prose in which words between single backticks are code. Not for table cells.

    So are names such as `_clone()` and `**/*.py`, which would need a backslash.
    """
    line = one_line(text)
    if "`" not in CODE.sub("", line):
        line = CODE_OR_NAME.sub(_as_code, line)
    # Every second part is the inside of a code span: no tick, no blank at its ends.
    parts = CODE.split(line)
    # A bar parts nothing outside of tables, which need a second line.
    parts[::2] = [_escape_inline(part).replace("\\|", "|") for part in parts[::2]]
    return BLOCK_START.sub(r"\1\\", "`".join(parts))


def _as_code(match: re.Match[str]) -> str:
    name = (match["name"] or "").rstrip("./-")
    is_escaped = "*" in name or OUTER_UNDERSCORE.search(name) is not None
    return f"`{name}`{match[0][len(name) :]}" if is_escaped else match[0]


def one_line(text: str) -> str:
    """Return the text as one line, with a mark for each invisible character."""
    return UNSEEN.sub(REPLACEMENT, " ".join(text.split()))


def _escape_inline(line: str) -> str:
    return LINK_START.sub(lambda match: "\\" + match.group(), MARKS.sub(r"\\\g<0>", line))


def code_span(text: str) -> str:
    """Return a code span on one line. Not for table cells: a bar would split them."""
    line = one_line(text)

    # More ticks than the text holds in a row, or the text could close the span.
    ticks = "`" * (_longest_tick_run(line) + 1)
    return f"{ticks} {line} {ticks}" if "`" in line or not line else f"{ticks}{line}{ticks}"


def code_block(text: str, suffix: str = "") -> str:
    """Return a fenced block, verbatim but for invisible characters.

    `suffix` names the language, as in `py`; one that is no plain word is left out.
    """
    body = UNSEEN.sub(REPLACEMENT, text.replace("\r\n", "\n").replace("\r", "\n"))
    fence = "`" * max(3, _longest_tick_run(body) + 1)
    language = suffix if re.fullmatch(r"[a-z0-9]{1,8}", suffix) else ""
    return f"{fence}{language}\n{body}\n{fence}"


def _longest_tick_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
