"""Findings that the repository and the records of the site answer together.

A site may keep rounds of peers. The repository or the site answers a check, and the evidence says
which. They may hold the same entries, so their numbers are never added up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from courtroom.checks.result import Clue, Finding, present

if TYPE_CHECKING:
    from courtroom.models.check import CheckBase

RECORDS = "From the records of the site that keeps the rounds of peers."


def with_site_records(
    check: CheckBase, in_repository: Finding, count: int, subject: str, *, minimum: int = 1
) -> Finding:
    """The repository's finding beside the `count` entries that the site keeps."""
    wanted = check.is_positive
    statement = f"The site keeps {subject}."
    clue = Clue(rationale=RECORDS, statement=statement)
    both = f"{in_repository.reason} {statement}"

    # Both hold enough: the evidence shows both.
    if count >= minimum and in_repository.met is wanted:
        return present(both, [clue, *in_repository.clues], met=wanted)
    if count >= minimum:
        return present(statement, [clue], met=wanted)
    # Neither holds enough. An open finding stays open: the repository could hold it.
    if in_repository.met is (not wanted):
        return present(both, [*in_repository.clues, clue], met=not wanted)
    return in_repository
