"""Numbers of commits in a report, held against the history."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.commit_counts import overstated_commits


def claimed(text: str, total: int | None = 27) -> list[tuple[str, int, str]]:
    held = overstated_commits(PdfReading((text,)), {"commit_count": total})
    return [(row.claim.feature, row.claim.page, row.standing) for row in held]


@pytest.mark.parametrize(
    "text",
    [
        "The repository shows 35 commits from initial setup to the graph.",
        "Findings: 57 total commits. Zero bulk uploads detected.",
        "It grew in 28 meaningful commits.",
    ],
)
def test_more_commits_than_the_history_has_are_contradicted(text: str) -> None:
    assert claimed(text) == [("commit_count", 1, "contradicted")]


@pytest.mark.parametrize(
    "text",
    [
        "The repository has 27 commits, and had 12 commits on Monday.",
        "The clone holds the last 50 commits.",
        "A history of more than 50 commits is rare.",
        "The peer made 54 atomic commits.",
        "TechLead saw no bulk upload with 118 commits.",
        "The detective looks for 50 commits.",
        "It is at v1.50 commits and in a/50 commits.",
    ],
)
def test_reached_numbers_limits_and_other_histories_are_none(text: str) -> None:
    assert claimed(text) == []


def test_unread_history_contradicts_nothing() -> None:
    assert claimed("The repository shows 35 commits.", None) == []
