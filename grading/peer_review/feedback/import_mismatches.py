"""Mismatches of an imported report with the work: other repository, commit or rubric.

Pure. The sentences name no repository, so that nobody learns from them whose work they audit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

Json = Mapping[str, Any]
Direction = Literal["generated", "self", "received"]
# Hex digits that identify a commit.
MIN_HASH_LENGTH = 7
# In a blind round these would confirm to an author whose work they have guessed.
REVEALING = frozenset({"repository_differs", "commit_differs"})
# A digit after the colon is a port: such an address is parsed as a URL.
_SSH = re.compile(r"(?:ssh://)?(?:[\w.-]+@)([\w.-]+):(?!\d)(.+)")
# Pages within a repository on GitHub, GitLab (/-/) and Bitbucket (/src/).
_PAGE = re.compile(r"/(?:-/)?(?:tree|blob|commit|commits|src)/.*")


@dataclass(frozen=True, slots=True)
class Work:
    """Repository and commit of one attempt."""

    repo_url: str
    commit: str


def normalised_repository(address: str) -> str:
    """Return host and path without scheme, credentials, “.git” and the page within a forge.

    Addresses of the same repository give the same text. Case is ignored, as forges do.
    """
    text = unquote(address.strip()).rstrip("/")
    if ssh := _SSH.fullmatch(text):
        text = f"{ssh[1]}/{ssh[2]}"
    elif "://" in text:
        parts = urlsplit(text)
        text = f"{(parts.hostname or '').removeprefix('www.')}{parts.path}"
    else:
        text = text.removeprefix("www.")
    return _PAGE.sub("", text).rstrip("/").removesuffix(".git").casefold()


def is_same_repository(address: str, other: str) -> bool:
    return normalised_repository(address) == normalised_repository(other)


def is_of(reading: Json, works: Iterable[Work]) -> bool:
    """Return True if the report names the repository of one of these attempts."""
    named = normalised_repository(reading["repo_url"] or "")
    return bool(named) and named in {normalised_repository(work.repo_url) for work in works}


def has_commit(reading: Json, work: Work) -> bool:
    named = (reading["commit"] or "").strip().lower()
    return len(named) >= MIN_HASH_LENGTH and bool(work.commit) and work.commit.startswith(named)


def mismatches_of(
    reading: Json, direction: Direction, works: Sequence[Work], *, unmatched_criteria: int = 0
) -> list[dict[str, str]]:
    """Return the mismatches as {code, sentence}.

    `works` are the subject's attempts, empty for an unknown subject. `unmatched_criteria` counts
    the report's criteria that the rubric does not have.
    """
    mismatches = [
        *_about_the_work(reading, direction, works),
        *_about_the_text(reading, unmatched_criteria),
    ]
    return [{"code": code, "sentence": sentence} for code, sentence in mismatches]


def _about_the_work(
    reading: Json, direction: Direction, works: Sequence[Work]
) -> Iterable[tuple[str, str]]:
    if not works:
        yield (
            "pairing_unmatched",
            "It fits no pairing, so this site does not know whose work it is about.",
        )
    elif not reading["repo_url"]:
        yield "repository_unnamed", "It does not name a repository."
    elif not is_of(reading, works):
        yield "repository_differs", "It names a different repository than the submission."
    if works and reading["commit"] and not any(has_commit(reading, work) for work in works):
        yield "commit_differs", "It names a commit that was not submitted."
    if reading["about"] is not None and reading["about"] != (
        "self" if direction == "self" else "peer"
    ):
        whose = "its author's own work" if reading["about"] == "self" else "a peer's work"
        yield "about_another", f"Its title says that it is about {whose}."


def _about_the_text(reading: Json, unmatched: int) -> Iterable[tuple[str, str]]:
    criteria = len(reading["criteria"])
    if unmatched:
        yield (
            "criteria_unknown",
            f"{unmatched} of its {criteria} criteria are not in the rubric.",
        )
    if not criteria and not reading["findings"]:
        yield "nothing_read", "No criterion or finding could be read from it."
