"""Where a person can look: a location of the report in words, and as a link to the line at its commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

# Hosts whose addresses of a file at a commit are documented; elsewhere the place is words only.
BLOB_PATHS = {"github.com": "blob", "gitlab.com": "-/blob", "codeberg.org": "src/commit"}


@dataclass(frozen=True, slots=True)
class Place:
    words: str
    address: str | None = None


def place_of(location: Mapping[str, Any], repo_url: str) -> Place:
    """A location of the report contract (path and lines, page of the PDF, commit, or none of them)."""
    path, page, commit = location["path"], location["page"], location["commit"]
    if path:
        lines = _lines(location["line_start"], location["line_end"])
        return Place(f"{path}{lines}", _address(repo_url, commit, path, location["line_start"]))
    if page:
        return Place(f"PDF, page {page}")
    if commit:
        return Place(f"commit {commit[:10]}")
    return Place("the whole submission")


def _lines(start: int | None, end: int | None) -> str:
    if start is None:
        return ""
    return f":{start}" if end in (None, start) else f":{start}-{end}"


def _address(repo_url: str, commit: str | None, path: str, line: int | None) -> str | None:
    parts = urlsplit(repo_url)
    blob = BLOB_PATHS.get(parts.hostname or "")
    if parts.scheme != "https" or blob is None or commit is None:
        return None
    folder = parts.path.removesuffix("/").removesuffix(".git")
    anchor = "" if line is None else f"#L{line}"
    return f"https://{parts.hostname}{folder}/{blob}/{quote(commit)}/{quote(path)}{anchor}"
