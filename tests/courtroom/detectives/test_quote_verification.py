"""Lines that judges cite from the PDF, compared with its own text."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.detectives.quote_verification import unverified, verify
from courtroom.models.evidence import CITED_TAG, Evidence, Location, evidence

KEY = "AKIA" + "IOSFODNN7EXAMQLE"
PAGES = ("A heading\nThe judges run in parallel.\nThe end.", f"The key is {KEY}.\nIt is secret.")
SNAPSHOT = Snapshot(Path("/nowhere"), "c" * 40, None, malformed_objects=False)


def cited(content: str, page: int, tags: tuple[str, ...] = (CITED_TAG,)) -> Evidence:
    return evidence(
        detective="DocAnalyst",
        check="c",
        goal="g",
        found=True,
        rationale="r",
        content=content,
        location=Location(page=page),
        tags=tags,
    )


@pytest.mark.parametrize(
    ("content", "page", "is_verified"),
    [
        ("The judges run in parallel.", 1, True),
        ("A heading\nThe judges run in parallel.", 1, True),
        ("The judges run", 1, False),
        ("The judges run in series.", 1, False),
        ("The end.", 2, False),
        ("The end.", 3, False),
        (f"The key is {KEY}.\nIt is secret.", 2, True),
    ],
)
def test_cited_lines_are_whole_lines_of_their_page(
    content: str, page: int, is_verified: bool
) -> None:
    item = cited(content, page)
    assert KEY not in (item.content or "")
    assert unverified([item], SNAPSHOT, PAGES) == (frozenset() if is_verified else {item.id})


def test_cited_page_of_a_report_that_cannot_be_read_is_dropped_and_recorded() -> None:
    item = cited("The end.", 1)
    dropped, errors = verify([item], SNAPSHOT, stage="judge_collector")
    assert (set(dropped), [e.code for e in errors]) == ({item.id}, ["evidence_unverified"])


def test_what_a_detective_found_on_a_page_is_no_citation() -> None:
    assert unverified([cited("12 words on 1 page", 1, tags=())], SNAPSHOT, PAGES) == frozenset()
