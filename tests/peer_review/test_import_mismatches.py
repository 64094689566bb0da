"""Mismatches between an imported report and the work it was uploaded for."""

from __future__ import annotations

from typing import Any

import pytest

from grading.peer_review.feedback.import_mismatches import (
    Direction,
    Work,
    has_commit,
    is_of,
    mismatches_of,
    normalised_repository,
)

COMMIT = "4f2a9c1d7e0b35a86c1f9d2e4b7a60c3d8e5f412"
WORK = Work("https://github.com/ada/automaton.git", COMMIT)


def reading(**fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "repo_url": WORK.repo_url,
        "commit": None,
        "about": None,
        "criteria": [{}],
        "findings": [],
    }
    return given | fields


def codes(
    direction: Direction = "generated",
    works: list[Work] | None = None,
    unmatched: int = 0,
    **fields: Any,
) -> list[str]:
    mismatches = mismatches_of(
        reading(**fields),
        direction,
        [WORK] if works is None else works,
        unmatched_criteria=unmatched,
    )
    return [row["code"] for row in mismatches]


@pytest.mark.parametrize(
    "written",
    [
        "https://github.com/ada/automaton.git",
        "https://github.com/Ada/Automaton",
        "http://www.github.com/ada/automaton/",
        "https://ada:token@github.com/ada/automaton",
        "git@github.com:ada/automaton.git",
        "ssh://git@github.com/ada/automaton.git",
        "github.com/ada/automaton",
        "https://github.com/ada/automaton/tree/main/src",
        "https://github.com/ada%2Fautomaton",
    ],
)
def test_the_same_repository_is_known_however_it_is_written(written: str):
    assert normalised_repository(written) == "github.com/ada/automaton"


@pytest.mark.parametrize(
    "other",
    ["https://github.com/ada/automaton2", "https://gitlab.com/ada/automaton", "automaton", ""],
)
def test_another_repository_is_not(other: str):
    assert not is_of(reading(repo_url=other), [WORK])


@pytest.mark.parametrize(
    ("written", "fits"),
    [
        (COMMIT, True),
        (COMMIT[:7].upper(), True),
        (COMMIT[:6], False),
        ("abcdef1", False),
        (None, False),
    ],
)
def test_a_commit_is_named_by_at_least_seven_digits(written: str | None, fits: bool):
    assert has_commit(reading(commit=written), WORK) is fits


def test_what_fits_is_not_flagged():
    assert codes(commit=COMMIT[:10], about="peer") == []
    assert codes("self", about="self") == []


def test_another_repository_or_commit_is_flagged():
    assert codes(repo_url="https://github.com/eve/else", commit="a" * 40) == [
        "repository_differs",
        "commit_differs",
    ]
    assert codes(repo_url=None) == ["repository_unnamed"]


def test_a_commit_of_any_attempt_fits():
    assert codes(works=[Work(WORK.repo_url, "b" * 40), WORK], commit=COMMIT) == []


def test_work_that_nobody_knows_is_flagged_as_such_alone():
    assert codes(works=[], commit=COMMIT) == ["pairing_unmatched"]


@pytest.mark.parametrize(
    ("direction", "about"), [("self", "peer"), ("generated", "self"), ("received", "self")]
)
def test_a_report_about_somebody_else_by_its_title_is_flagged(direction: Direction, about: str):
    assert codes(direction, about=about) == ["about_another"]


def test_criteria_of_another_rubric_are_counted():
    mismatches = mismatches_of(
        reading(criteria=[{}, {}, {}]), "generated", [WORK], unmatched_criteria=2
    )
    assert mismatches == [
        {"code": "criteria_unknown", "sentence": "2 of its 3 criteria are not in the rubric."}
    ]


def test_a_report_in_which_nothing_could_be_read_is_flagged():
    assert codes(criteria=[]) == ["nothing_read"]
    assert codes(criteria=[], findings=[{}]) == []


def test_no_sentence_names_a_repository():
    mismatches = mismatches_of(
        reading(repo_url="https://github.com/eve/else", commit="a" * 40), "generated", [WORK]
    )
    assert [
        word
        for word in ("eve", "ada", "aaaa", COMMIT[:7])
        for row in mismatches
        if word in row["sentence"]
    ] == []
