"""Deadlines as an iCalendar file (RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings

from grading.calendars.queries import Deadline
from grading.core.time_zones import in_words

# Octets of a line without its end (RFC 5545, 3.1).
LINE_LENGTH = 75
FETCH_EVERY = "PT6H"


def calendar_of(deadlines: Iterable[Deadline], *, zone: ZoneInfo | None, now: datetime) -> str:
    """Return the file. Times are UTC, so calendars convert them; `zone` is that of the words.

    Without one the words are in the zone of each cohort.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Automaton Auditor//Deadlines//EN",
        "X-WR-CALNAME:Automaton Auditor",
        f"REFRESH-INTERVAL;VALUE=DURATION:{FETCH_EVERY}",
        f"X-PUBLISHED-TTL:{FETCH_EVERY}",
    ]
    for deadline in deadlines:
        lines += _event(deadline, zone or ZoneInfo(deadline.cohort.time_zone), now)
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _event(deadline: Deadline, zone: ZoneInfo, now: datetime) -> Iterator[str]:
    cohort = deadline.cohort
    text = f"{in_words(deadline.at, zone)}\n{cohort.name}, {cohort.organization.name}"
    yield "BEGIN:VEVENT"
    yield f"UID:{deadline.key}@{urlsplit(settings.SITE_URL).hostname}"
    yield f"DTSTAMP:{_utc(now)}"
    # No end: the event is a moment (3.6.1).
    yield f"DTSTART:{_utc(deadline.at)}"
    yield f"SUMMARY:{_escaped(deadline.title)}"
    yield f"DESCRIPTION:{_escaped(text)}"
    yield f"URL:{settings.SITE_URL}{deadline.path}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    """Return text as a value (3.3.11): no character of it can end the line or begin a property."""
    printable = "".join(
        character
        for character in text.replace("\r\n", "\n")
        if character >= " " or character == "\n"
    )
    for plain, escaped in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")):
        printable = printable.replace(plain, escaped)
    return printable


def _folded(line: str) -> str:
    """Return a line in pieces of at most 75 octets; no character is cut."""
    pieces, length = [""], 0
    for character in line:
        octets = len(character.encode())
        if length + octets > LINE_LENGTH:
            pieces.append("")
            # The space that begins a continued line counts.
            length = 1
        pieces[-1] += character
        length += octets
    return "\r\n ".join(pieces)
