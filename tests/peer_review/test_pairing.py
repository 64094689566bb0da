"""Pairing of a round: its guarantees for every size, and its refusals."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.core.errors import RoundRefused
from grading.peer_review.rounds.pairing import (
    Circle,
    Groups,
    Pair,
    circle,
    is_free_of_mutual,
    same_group,
)

SIZES = [(students, k) for students in range(3, 81) for k in range(1, 6)]


def faults_of(drawn: Circle, students: int, k: int, groups: Groups) -> list[str]:
    """Every promise that is not kept."""
    pairs = set(drawn.pairs)
    owes, due = Counter(auditor for auditor, _ in pairs), Counter(auditee for _, auditee in pairs)
    everybody = dict.fromkeys(range(students), k)
    broken = {
        "everybody stands in the circle": sorted(drawn.order) != list(range(students)),
        "k out": owes != everybody,
        "k in": due != everybody,
        "nobody twice": len(pairs) != len(drawn.pairs),
        "never oneself": any(auditor == auditee for auditor, auditee in pairs),
        "never mutual": is_free_of_mutual(students, k)
        and any(pair[::-1] in pairs for pair in pairs),
        "never in a group": any(same_group(groups, *pair) for pair in pairs),
    }
    return [promise for promise, is_broken in broken.items() if is_broken]


def refusal_of(students: int, k: int, groups: Groups) -> str:
    with pytest.raises(RoundRefused) as refused:
        circle(range(students), k, "seed", groups)
    return refused.value.code


def in_groups(students: int, size: int) -> dict[int, str]:
    return {student: f"group {student // size}" for student in range(students)}


@pytest.mark.parametrize(("students", "k"), [(0, 1), (1, 1), (2, 2), (3, 3), (5, 5)])
def test_too_few_students_are_refused(students: int, k: int) -> None:
    assert refusal_of(students, k, {}) == "too_few_students"


def test_the_refusal_says_how_many_it_takes() -> None:
    with pytest.raises(
        RoundRefused, match=r"^Rounds with 3 peers need at least 4 students\. This one has 3\.$"
    ):
        circle(range(3), 3, "seed", {})


@pytest.mark.parametrize(
    ("students", "size", "k", "code"),
    [
        (8, 5, 1, "group_too_large"),  # five of eight have three others to audit them
        (
            6,
            3,
            2,
            "group_too_large",
        ),  # four different people for each, and three are not in the group
        (4, 4, 1, "group_too_large"),
        (7, 3, 2, "no_way_found"),  # both groups take all there is of the seventh
    ],
)
def test_groups_that_make_it_impossible_are_refused(
    students: int, size: int, k: int, code: str
) -> None:
    assert refusal_of(students, k, in_groups(students, size)) == code


def test_every_size_keeps_every_promise() -> None:
    broken = {
        (students, k): faults
        for students, k in SIZES
        if k < students
        and (faults := faults_of(circle(range(students), k, "s", {}), students, k, {}))
    }
    assert broken == {}


@given(
    students=st.integers(3, 80),
    k=st.integers(1, 5),
    size=st.integers(1, 5),
    seed=st.text(max_size=8),
)
@settings(max_examples=60, deadline=None)
def test_groups_are_parted_wherever_there_are_others_enough(
    students: int, k: int, size: int, seed: str
) -> None:
    students = max(students, 2 * (k + size) + 1)
    groups = in_groups(students, size) if size > 1 else {}
    assert faults_of(circle(range(students), k, seed, groups), students, k, groups) == []


@pytest.mark.parametrize("seed", range(20))
def test_four_of_whom_two_work_together_have_one_way_round(seed: int) -> None:
    groups = {0: "pair", 1: "pair"}
    assert faults_of(circle(range(4), 1, str(seed), groups), 4, 1, groups) == []


def test_two_groups_of_four_have_one_way_and_it_is_found() -> None:
    groups = in_groups(8, 4)
    assert faults_of(circle(range(8), 2, "seed", groups), 8, 2, groups) == []


def test_so_few_that_some_are_mutual_are_still_paired() -> None:
    pairs = set(circle(range(4), 2, "seed", {}).pairs)
    assert (is_free_of_mutual(4, 2), len(pairs)) == (False, 8)
    assert any(pair[::-1] in pairs for pair in pairs)


def test_the_same_seed_gives_the_same_pairs_whatever_the_order_of_the_students() -> None:
    def drawn(students: list[int], seed: str) -> tuple[Pair, ...]:
        return circle(students, 3, seed, in_groups(30, 2)).pairs

    forwards, backwards = list(range(30)), list(reversed(range(30)))
    assert drawn(forwards, "one") == drawn(backwards, "one")
    assert drawn(forwards, "one") != drawn(forwards, "two")
