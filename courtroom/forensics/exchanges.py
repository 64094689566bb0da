"""Where students keep the audits they gave and received, and the log of how they worked together.

The folders occur as audit/report_onself_generated, audits/on-peer, peer_reports/received and the like: what
counts is which of the words stand in a path, not its exact spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from courtroom.forensics.source_files import is_vendored

REPORT_SUFFIXES = frozenset({".md", ".json", ".pdf", ".txt", ".html", ".docx"})
LOG_SUFFIXES = frozenset({".md", ".txt", ".csv", ".json", ".rst"})
LEAST_BYTES = 40
_FOLDER_WORD = re.compile(r"report|audit|feedback|review|peer|minmax")
_DATE = re.compile(
    r"\b(\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    r"|(\d{1,2} )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,? \d{1,2}(, \d{4})?)\b",
    re.IGNORECASE,
)


def kind_of(path: str) -> str | None:
    """generated, self or received, by the words in the path's folders and name; None when it is no audit."""
    pure = PurePosixPath(path.lower())
    if is_vendored(path) or pure.suffix not in REPORT_SUFFIXES or pure.stem in {"readme", ".gitkeep"}:
        return None
    folders = "/".join(pure.parts[:-1])
    if not _FOLDER_WORD.search(folders):
        return None
    where = f"{folders}/{pure.stem}"
    if re.search(r"received|by_?-?peers?|from_?-?peers?|incoming", where):
        return "received"
    if re.search(r"on_?-?self|self_?-?(audit|report|generated|review)|/self(/|_|-|$)", where):
        return "self"
    if re.search(r"on_?-?peers?|peers?_?-?(audit|report|generated|review)|/peers?(/|_|-|$)", where):
        return "generated"
    return None


def feedback_files(sizes: Mapping[str, int], aspect: str) -> list[tuple[str, str]]:
    """(path, kind) of the audits on record. `exchanged`: given to a peer or received from one."""
    wanted = {"generated", "received"} if aspect == "exchanged" else {aspect}
    kinds = ((path, kind_of(path)) for path, size in sizes.items() if size >= LEAST_BYTES)
    return [(path, kind) for path, kind in kinds if kind in wanted and kind is not None]


def is_communication_log(path: str) -> bool:
    pure = PurePosixPath(path.lower())
    named = re.search(
        r"communicat|correspondence|collaboration|peer_?-?log|contact_?-?log|message_?-?log", pure.stem
    )
    return bool(named) and pure.suffix in LOG_SUFFIXES and not is_vendored(path)


def entry_lines(text: str) -> Iterator[int]:
    """The 1-based lines of dated entries."""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        if _DATE.search(line):
            yield number
