"""Places of a work in words, linked to where they can be opened: repository, commit, file, lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from django.conf import settings

from grading.engine.report import Location, Report

_COMMIT_ID = re.compile(r"[0-9a-fA-F]{7,64}")
# Hosts show these as documents, in which lines have no anchors.
_DOCUMENTS = (".md", ".markdown", ".rst", ".adoc", ".ipynb", ".svg", ".csv")
SHORT_COMMIT = 10


@dataclass(frozen=True, slots=True)
class LinkedLocation:
    """Place in words, with its address at the repository's host, and with that of the site's own
    page of the audited lines.
    """

    words: str
    address: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """Work that a page is about: what its places are relative to.

    A redacted edition has neither repository nor commit, so that no place of it gets a link.
    `audit_address` is the page of the audit, empty where its reader may not open it.
    """

    repo_url: str = ""
    commit: str | None = None
    audit_address: str = ""

    @classmethod
    def of(cls, report: Report, audit_address: str = "") -> Work:
        return cls(report.repo_url, report.commit, audit_address)


def link_location(location: Location, work: Work) -> LinkedLocation:
    """Return words and link for a file, a page of the PDF, a commit or the whole project."""
    if location.path:
        return LinkedLocation(
            _file_words(location),
            _file_address(location, work.repo_url),
            _code_address(location, work.audit_address),
        )
    if location.page:
        viewer = f"{work.audit_address}pdf/?page={location.page}" if work.audit_address else None
        return LinkedLocation(f"PDF, page {location.page}", viewer)
    if location.commit:
        commit = link_commit(location.commit, work.repo_url)
        return LinkedLocation(f"commit {commit.words}", commit.address)
    return LinkedLocation("Whole project")


def link_commit(commit: str, repo_url: str, digits: int = SHORT_COMMIT) -> LinkedLocation:
    return LinkedLocation(commit[:digits], _address(repo_url, commit, "commit"))


def link_repository(repo_url: str) -> LinkedLocation:
    """Return the repository's address, linked where it is https: students enter it."""
    is_web = _split(repo_url).scheme == "https"
    return LinkedLocation(repo_url, repo_url if is_web else None)


def _split(repo_url: str) -> SplitResult:
    """Return the parts of an address; those of a path on this machine may be no address at all."""
    try:
        return urlsplit(repo_url)
    except ValueError:
        return urlsplit("")


def _file_words(location: Location) -> str:
    start, end = location.line_start, location.line_end
    if start is None:
        return f"{location.path}"
    lines = f"{start}" if end in (None, start) else f"{start}-{end}"
    return f"{location.path}:{lines}"


def _file_address(location: Location, repo_url: str) -> str | None:
    path, first = location.path or "", location.line_start
    # A browser resolves such a path before it asks the host.
    if {"", ".", ".."} & set(path.split("/")):
        return None
    if first is None:
        return _address(repo_url, location.commit, "file", path=path)

    plain = ("plain",) if path.lower().endswith(_DOCUMENTS) else ()
    last = location.line_end or first
    lines = "line" if last == first else "lines"
    return _address(
        repo_url, location.commit, "file", *plain, lines, path=path, first=first, last=last
    )


def _code_address(location: Location, audit_address: str) -> str | None:
    if not audit_address:
        return None
    numbers = {"first": location.line_start, "last": location.line_end}
    lines = {name: number for name, number in numbers.items() if number}
    anchor = "#cited" if location.line_start else ""
    return f"{audit_address}code/?{urlencode({'path': location.path, **lines})}{anchor}"


def _address(repo_url: str, commit: str | None, *parts: str, **names: str | int) -> str | None:
    """Return the repository's address with these templates of its host; None for an unknown host."""
    repository = _split(repo_url)
    hosts: Mapping[str, Mapping[str, str]] = settings.REPOSITORY_HOSTS
    templates = hosts.get((repository.hostname or "").removeprefix("www."))
    if repository.scheme != "https" or not templates or not _COMMIT_ID.fullmatch(commit or ""):
        return None

    folder = repository.path.removesuffix("/").removesuffix(".git")
    if "path" in names:
        names["path"] = quote(str(names["path"]))
    rest = "".join(templates[part] for part in parts).format_map({"commit": commit, **names})
    return f"https://{repository.hostname}{folder}{rest}"
