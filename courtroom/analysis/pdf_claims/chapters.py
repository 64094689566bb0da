"""Chapters of a report that are about something else than the present code."""

from __future__ import annotations

import re

_CHAPTER = re.compile(r"(\d{1,2})(?:[.)]|\s)")
# Parts of a plan: numbered by a word, the heads of its columns, or with the day when it is due.
_PART_OF_PLAN = re.compile(
    r"(?:phase|step|day|week|sprint|milestone|task|item|priority|gap|issue) ?#?\d"
    r"|(?:week|day|date|milestone|issue|task|item|action)(?: [\w/&-]+){1,5}$"
    r"|.{0,80}\((?:target|due|deadline|by|eta|owner)\b",
    re.IGNORECASE,
)


def skipped_chapter(heading: str, subject: re.Pattern[str], skipped: str | None) -> str | None:
    """Return the chapter to skip from this heading on: its number, or "" without one.

    None means that the section is read. `skipped` is what this returned for the heading before.
    """
    match = _CHAPTER.match(heading)
    chapter = match[1] if match else ""
    if subject.search(heading):
        return chapter or skipped or ""
    if skipped is not None and _PART_OF_PLAN.match(heading):
        return skipped
    # Subsections and unnumbered headings inside a numbered chapter belong to it.
    return skipped if skipped and chapter in {"", skipped} else None
