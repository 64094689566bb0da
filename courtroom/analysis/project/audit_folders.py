"""Find the audits that students gave and received (MinMax), by the words in their paths.

Names vary: audit/report_onself_generated, report_oneself_generated, report_bypeer_recieved,
audits/on-peer, reports/peer_audit_report.md and others, as folders and as single files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from courtroom.analysis.python.source_files import is_vendored

REPORT_SUFFIXES = frozenset({".md", ".json", ".pdf", ".txt", ".html", ".docx", ""})
KINDS = ("generated", "self", "received")
LEAST_BYTES = 40
# A note that no audit has arrived yet is shorter than any audit.
SHORT_NOTE_BYTES = 600
_FOLDER_WORD = re.compile(r"report|audit|feedback|review|peer|minmax")
_RECEIVED = re.compile(r"rec(?:ei|ie)ved|by[_ -]?peers?|from[_ -]?peers?|incoming")
_SELF = re.compile(
    r"on[_ -]?(?:one)?(?:my)?self|(?:^|[/_ -])self(?:$|[/_ -])"
    r"|self[_ -]?(?:audit|report|generated|review)"
)
_GENERATED = re.compile(
    r"on[_ -]?peers?|(?:^|[/_ -])peers?(?:$|/|[_ -](?:audit|report|generated|review))"
    r"|report[_ -]?generated"
)
_NOTHING_YET = re.compile(
    r"\b(?:no|not|nothing)\b[^.\n]{0,60}\b(?:yet|received|available|provided)\b|\bplaceholder\b"
    r"|\bpending\b|\btbd\b|\bwill be (?:added|placed|stored|saved)\b"
    r"|\b(?:add|place|put|save) (?:here|your|the)\b",
    re.IGNORECASE,
)


def kind_of(path: str) -> str | None:
    """Return "generated", "self" or "received" by the words of the path, or None for no audit."""
    pure = PurePosixPath(path.lower())
    if is_vendored(path) or pure.suffix not in REPORT_SUFFIXES:
        return None
    if pure.stem == "readme" or pure.name.startswith("."):
        return None
    # Pages of a web application that shows reports.
    if pure.suffix == ".html" and "templates" in pure.parts:
        return None

    folders = "/".join(pure.parts[:-1])
    if not _FOLDER_WORD.search(folders):
        return None

    name = f"{folders}/{pure.stem}"
    # "received from peer" also contains the word for generated audits, so the order matters.
    kinds = (("received", _RECEIVED), ("self", _SELF), ("generated", _GENERATED))
    return next((kind for kind, pattern in kinds if pattern.search(name)), None)


def audits_on_record(
    sizes: Mapping[str, int], text_of: Callable[[str], str | None]
) -> dict[str, list[str]]:
    """Return kind to paths of audits, without notes that none has arrived. `sizes` are in bytes.

    An audit in Markdown and in JSON counts as two paths, because only their existence matters.
    """
    audits: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for path, size in sizes.items():
        kind = kind_of(path) if size >= LEAST_BYTES else None
        if kind is not None and not _is_placeholder(size, path, text_of):
            audits[kind].append(path)
    return audits


def _is_placeholder(size: int, path: str, text_of: Callable[[str], str | None]) -> bool:
    text = text_of(path) if size <= SHORT_NOTE_BYTES else None
    return text is not None and _NOTHING_YET.search(text) is not None
