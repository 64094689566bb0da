"""Whether an imported report fits the work it was brought for: the same repository, a commit of it, the same rubric.

Pure. What is told names neither repository, so that nobody learns by it whose work they audit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

Json = Mapping[str, Any]
Direction = Literal["generated", "self", "received"]
LEAST_HASH = 7  # hex digits that name a commit
# What would tell an author, in a round in which they are not to know it, whose work they have guessed.
TELLING = frozenset({"repository_differs", "commit_differs"})
_SSH = re.compile(r"(?:ssh://)?(?:[\w.-]+@)([\w.-]+):(?!\d)(.+)")
_PAGE = re.compile(r"/(?:-/)?(?:tree|blob|commit|commits|src)/.*")


@dataclass(frozen=True, slots=True)
class Work:
    """One attempt as it was handed in."""

    repo_url: str
    commit: str


def normalised_repository(address: str) -> str:
    """Host and path without scheme, credentials, “.git” and the page within a forge; the same for the same repository.

    Letter case is left out: forges do not tell names apart by it.
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


def is_of(reading: Json, works: Iterable[Work]) -> bool:
    """Whether the report names the repository of one of these attempts."""
    named = normalised_repository(reading["repo_url"] or "")
    return bool(named) and named in {normalised_repository(work.repo_url) for work in works}


def has_commit(reading: Json, work: Work) -> bool:
    named = (reading["commit"] or "").strip().lower()
    return len(named) >= LEAST_HASH and bool(work.commit) and work.commit.startswith(named)


def misfits_of(
    reading: Json, direction: Direction, works: Sequence[Work], *, unmatched: int = 0
) -> list[dict[str, str]]:
    """What does not match, as {code, sentence}; `works` are the subject's attempts, empty where nobody knows whose work
    it is. `unmatched` counts the report's criteria that the rubric does not have."""
    told = [*_about_the_work(reading, direction, works), *_about_the_text(reading, unmatched)]
    return [{"code": code, "sentence": sentence} for code, sentence in told]


def _about_the_work(
    reading: Json, direction: Direction, works: Sequence[Work]
) -> Iterable[tuple[str, str]]:
    if not works:
        yield (
            "pairing_unmatched",
            "It fits none of the pairings, so nobody knows here whose work it is about.",
        )
    elif not reading["repo_url"]:
        yield "repository_unnamed", "It does not say which repository it is about."
    elif not is_of(reading, works):
        yield "repository_differs", "It names another repository than the one that was handed in."
    if works and reading["commit"] and not any(has_commit(reading, work) for work in works):
        yield "commit_differs", "It names a commit that is none of the attempts handed in."
    if reading["about"] is not None and reading["about"] != (
        "self" if direction == "self" else "peer"
    ):
        whose = "its author's own work" if reading["about"] == "self" else "a peer's work"
        yield "about_another", f"By its title it is about {whose}."


def _about_the_text(reading: Json, unmatched: int) -> Iterable[tuple[str, str]]:
    criteria = len(reading["criteria"])
    if unmatched:
        yield (
            "criteria_unknown",
            f"{unmatched} of its {criteria} criteria are none of the rubric's.",
        )
    if not criteria and not reading["findings"]:
        yield "nothing_read", "No criterion and no finding could be read in it."
