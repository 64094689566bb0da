"""Parse the log of how peers worked together: dated entries on progress, blockers and design."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from courtroom.analysis.python.source_files import is_vendored

LOG_SUFFIXES = frozenset({".md", ".txt", ".csv", ".json", ".rst"})
_LOG_NAME = re.compile(
    r"communicat|correspondence|collaborat|comms$|journal$|progress_?-?log|stand_?-?ups?$"
    r"|dev_?-?log|work_?-?log|(?:peer|contact|message|chat|slack)_?-?log"
)
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"\b(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTHS}(?:,? \d{{4}})?"
    rf"|{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?)\b",
    re.IGNORECASE,
)
KINDS = {
    "progress": re.compile(
        r"\b(?:progress|finished|done|complet\w+|implemented|merged|pushed|shipped|added|working on"
        r"|status|shared)\b",
        re.IGNORECASE,
    ),
    "blocker": re.compile(
        r"\b(?:block(?:ed|er|ers|ing)|stuck|need(?:ed|s)? help|problem|issue|fails?|failing|error"
        r"|waiting (?:for|on)|asked)\b",
        re.IGNORECASE,
    ),
    "design": re.compile(
        r"\b(?:design\w*|architect\w*|decision|decid\w+|trade-?offs?|propos\w+|interface|schema"
        r"|approach|agreed|discuss\w+)\b",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One dated entry; `line` is 1-based, `date` as written."""

    line: int
    date: str
    kinds: tuple[str, ...]


def is_communication_log(path: str) -> bool:
    """Return whether the path is a variant of audit/proactive_communication.md."""
    pure = PurePosixPath(path.lower())
    has_name = _LOG_NAME.search(pure.stem) or any("communicat" in part for part in pure.parts[:-1])
    return bool(has_name) and pure.suffix in LOG_SUFFIXES and not is_vendored(path)


def entries_of(text: str) -> Iterator[Entry]:
    """Yield the entries of a log: an entry runs from a line with a date to the next one."""
    lines = re.split(r"\r\n|\r|\n", text)
    dated = [
        (number, match[0]) for number, line in enumerate(lines) if (match := _DATE.search(line))
    ]
    ends = [number for number, _ in dated[1:]] + [len(lines)]

    for (start, date), end in zip(dated, ends, strict=True):
        entry = "\n".join(lines[start:end])
        kinds = tuple(kind for kind, pattern in KINDS.items() if pattern.search(entry))
        yield Entry(start + 1, date, kinds)
