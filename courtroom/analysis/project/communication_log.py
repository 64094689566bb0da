"""The log of how peers worked together: its dated entries, and whether each tells of progress, a blocker or a design."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from courtroom.analysis.python.source_files import is_vendored

LOG_SUFFIXES = frozenset({".md", ".txt", ".csv", ".json", ".rst"})
_LOG_NAME = re.compile(
    r"communicat|correspondence|collaborat|comms$|journal$|progress_?-?log|stand_?-?ups?$|dev_?-?log|work_?-?log|(?:peer|contact|message|chat|slack)_?-?log"
)
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"\b(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTHS}(?:,? \d{{4}})?|{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?)\b",
    re.IGNORECASE,
)
KINDS = {
    "progress": re.compile(
        r"\b(?:progress|finished|done|complet\w+|implemented|merged|pushed|shipped|added|working on|status|shared)\b",
        re.IGNORECASE,
    ),
    "blocker": re.compile(
        r"\b(?:block(?:ed|er|ers|ing)|stuck|need(?:ed|s)? help|problem|issue|fails?|failing|error|waiting (?:for|on)|asked)\b",
        re.IGNORECASE,
    ),
    "design": re.compile(
        r"\b(?:design\w*|architect\w*|decision|decid\w+|trade-?offs?|propos\w+|interface|schema|approach|agreed|discuss\w+)\b",
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
    """audit/proactive_communication.md and its variants, by name or by folder."""
    pure = PurePosixPath(path.lower())
    named = _LOG_NAME.search(pure.stem) or any(
        re.search("communicat", part) for part in pure.parts[:-1]
    )
    return bool(named) and pure.suffix in LOG_SUFFIXES and not is_vendored(path)


def entries_of(text: str) -> Iterator[Entry]:
    """The entries of a log: each begins on a line with a date and runs to the next such line."""
    lines = re.split(r"\r\n|\r|\n", text)
    dated = [
        (number, match[0]) for number, line in enumerate(lines) if (match := _DATE.search(line))
    ]
    ends = [number for number, _ in dated[1:]] + [len(lines)]
    for (start, date), end in zip(dated, ends, strict=True):
        said = "\n".join(lines[start:end])
        yield Entry(
            start + 1, date, tuple(kind for kind, words in KINDS.items() if words.search(said))
        )
