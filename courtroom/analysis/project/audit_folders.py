"""Find the audits that students gave and received (MinMax): by their paths, then by reading them.

Names vary: audit/report_onself_generated, report_oneself_generated, report_bypeer_recieved,
audits/on-peer, reports/peer_audit_report.md and others, as folders and as single files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from courtroom.analysis.python.source_files import is_vendored
from courtroom.models.errors import ReportRefused

if TYPE_CHECKING:
    from courtroom.report_import.imported_report import ImportedReport

REPORT_SUFFIXES = frozenset({".md", ".json", ".pdf", ".txt", ".html", ".docx", ""})
# The bytes of these are no text, so the reader of reports cannot read them.
DOCUMENT_SUFFIXES = frozenset({".pdf", ".docx"})
# In the order in which they are read where there are too many.
KINDS = ("received", "generated", "self")
LEAST_BYTES = 40
# Reading one takes about 20 ms, and about 3 s for so many bytes of reports made to be slow.
MOST_AUDITS, MOST_BYTES = 60, 2 * 1024 * 1024
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
DATE = re.compile(
    r"(?<!\d)(20\d\d)[-_./]?([01]\d)[-_./]?([0-3]\d)"
    r"(?:[T _-]{1,2}(\d\d)[:_-]?(\d\d)(?:[:_-]?(\d\d))?)?"
)
_NUMBERED = re.compile(r"(.*\D)(\d{1,3})")
_PLACE = re.compile(
    r"\w\.(?:py|ipynb|ts|tsx|js|jsx|go|rs|java|rb|php|cs|kt)\b|\bsrc/|\bline \d", re.IGNORECASE
)
_SIDES = re.compile(r"\bprosecutor\b|\bdissent", re.IGNORECASE)


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


def series_of(path: str) -> str:
    """Return the name of a file without the time in it; "" where it has none."""
    stem = PurePosixPath(path).stem
    return re.sub(r"\d", "", stem) if DATE.search(stem) else ""


def moment_of(path: str, date: str | None) -> str:
    """Return the digits of the day, or of day and time, in an audit's name or its own date."""
    texts = (PurePosixPath(path).stem, date or "")
    match = next(filter(None, map(DATE.search, texts)), None)
    return "".join(part or "" for part in match.groups()) if match else ""


def is_later(new: str, old: str) -> bool:
    """Return whether a moment is after another, as far as both are given; "" is no moment."""
    size = min(len(new), len(old))
    return new[:size] > old[:size]


def is_archived(path: str) -> bool:
    return not {"archive", "archived"}.isdisjoint(PurePosixPath(path.lower()).parts[:-1])


def has_later_number(later: str, earlier: str) -> bool:
    new, old = (_NUMBERED.fullmatch(PurePosixPath(path).stem) for path in (later, earlier))
    return bool(new and old and new[1] == old[1] and int(new[2]) > int(old[2]))


def candidates_among(sizes: Mapping[str, int]) -> tuple[dict[str, str], list[str]]:
    """Return path to kind of the files to read as reports, and the paths that cannot be read.

    `sizes` are in bytes. Documents, and files beyond the limits, cannot be read.
    """
    kinds = {path: kind_of(path) for path, size in sizes.items() if size >= LEAST_BYTES}
    named = sorted((KINDS.index(kind), path, kind) for path, kind in kinds.items() if kind)
    texts = [p for _, p, _ in named if PurePosixPath(p.lower()).suffix not in DOCUMENT_SUFFIXES]
    read = set(affordable(texts, sizes))
    chosen = {path: kind for _, path, kind in named if path in read}
    return chosen, [path for _, path, _ in named if path not in read]


def affordable(paths: Sequence[str], sizes: Mapping[str, int]) -> list[str]:
    """Return the first MOST_AUDITS paths, as far as they have MOST_BYTES together."""
    totals = accumulate(sizes[path] for path in paths[:MOST_AUDITS])
    return [path for path, total in zip(paths, totals, strict=False) if total <= MOST_BYTES]


# Some are read both as what the work wrote and as what was exchanged.
@lru_cache(maxsize=2 * MOST_AUDITS)
def read_once(text: str, path: str) -> ImportedReport | None:
    """Return the report that a text is read as, or None where the reader refuses it."""
    # The reader is imported where there is something to read: it loads pydantic.
    from courtroom.report_import.read_report import read_report

    try:
        return read_report(text, name=path)
    except ReportRefused:
        return None


def is_report(report: ImportedReport) -> bool:
    """Return whether a text holds what a report holds: scores, or findings with a place."""
    from courtroom.report_import.judge_failures import is_failure

    scored = any(c.score is not None and c.score.value is not None for c in report.criteria)
    # A failed judge's score is none, so that such a report has an overall score alone.
    failed = report.overall is not None and any(
        is_failure(opinion.argument) for c in report.criteria for opinion in c.opinions
    )
    return scored or failed or any(finding.path for finding in report.findings)


def reports_on_record(
    texts: Mapping[str, str | None], kinds: Mapping[str, str]
) -> Iterator[tuple[str, str, ImportedReport]]:
    """Yield path, kind and reading of the texts that are reports."""
    for path, text in texts.items():
        report = None if text is None else read_once(text, path)
        if report is not None and is_report(report):
            yield path, kinds[path], report


def contents_of(paths: Sequence[str], texts: Mapping[str, str | None]) -> dict[str, list[str]]:
    """Return the reports at these paths by what they hold, as fields of MinMaxFact.

    `scored`: criteria with scores; `placed`: files or lines; `argued`: what several judges hold;
    `planned`: changes that could be made.
    """
    held: dict[str, list[str]] = {"scored": [], "placed": [], "argued": [], "planned": []}
    for path in paths:
        text = texts[path] or ""
        report = read_once(text, path)
        criteria = report.criteria if report else ()
        findings = report.findings if report else ()
        judges = {opinion.judge for criterion in criteria for opinion in criterion.opinions}
        contents = {
            "scored": any(c.score is not None for c in criteria),
            "placed": any(f.path for f in findings) or _PLACE.search(text) is not None,
            "argued": len(judges) > 1 or _SIDES.search(text) is not None,
            "planned": any(f.action for f in findings) or any(c.remediation for c in criteria),
        }
        for name, is_held in contents.items():
            held[name] += [path] if is_held else []
    return held
