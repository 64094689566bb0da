"""Locations of a report in words, linked to the line at the audited commit."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from grading.engine.report import Location

# Hosts with documented URLs of a file at a commit; other hosts get no link.
BLOB_PATHS = {"github.com": "blob", "gitlab.com": "-/blob", "codeberg.org": "src/commit"}


@dataclass(frozen=True, slots=True)
class LinkedLocation:
    words: str
    address: str | None = None


def link_location(location: Location, repo_url: str) -> LinkedLocation:
    """Return words and link for a file, a page of the PDF, a commit or the whole project."""
    if location.path:
        return LinkedLocation(_file_words(location), _address(location, repo_url))
    if location.page:
        return LinkedLocation(f"PDF, page {location.page}")
    if location.commit:
        return LinkedLocation(f"commit {location.commit[:10]}")
    return LinkedLocation("Whole project")


def _file_words(location: Location) -> str:
    start, end = location.line_start, location.line_end
    if start is None:
        return f"{location.path}"
    lines = f"{start}" if end in (None, start) else f"{start}-{end}"
    return f"{location.path}:{lines}"


def _address(location: Location, repo_url: str) -> str | None:
    parts = urlsplit(repo_url)
    blob = BLOB_PATHS.get(parts.hostname or "")
    # A redacted report has neither a repository nor a commit, so its locations get no link.
    if parts.scheme != "https" or blob is None or location.commit is None:
        return None

    folder = parts.path.removesuffix("/").removesuffix(".git")
    file = f"{quote(location.commit)}/{quote(location.path or '')}"
    anchor = "" if location.line_start is None else f"#L{location.line_start}"
    return f"https://{parts.hostname}{folder}/{blob}/{file}{anchor}"
