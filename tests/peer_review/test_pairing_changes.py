"""A round that runs: late joiners, drop-outs and pairs by hand change no finished pair, and little else."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.core.errors import RoundRefused
from grading.peer_review.rounds.pairing import Pair, circle, is_free_of_mutual, same_group
from grading.peer_review.rounds.pairing_changes import (
    Board,
    Change,
    Effects,
    Load,
    after,
    by_hand,
    effects_of,
    ending,
    swapped,
    with_late_joiner,
    without,
)

SIZES = st.tuples(st.integers(3, 80), st.integers(1, 5)).filter(lambda size: size[1] < size[0])
SHARES = st.sampled_from([0.0, 0.4, 0.9])
RING = frozenset({(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)})


def board_of(students: int, k: int, finished: float = 0.0, group_of: int = 0) -> Board:
    """A round just drawn, with this share of its pairs finished."""
    groups = {n: f"group {n // group_of}" for n in range(students)} if group_of else {}
    pairs = circle(range(students), k, "seed", groups).pairs
    chance = Random(f"{students} {k}")
    done = frozenset(pair for pair in pairs if chance.random() < finished)
    return Board(frozenset(range(students)), frozenset(pairs), done, k, groups)


def ring(finished: frozenset[Pair] = frozenset()) -> Board:
    return Board(frozenset(range(5)), RING, finished, 1, {})


def left(board: Board, leaver: int) -> Board:
    then = after(board, without(board, leaver, "seed"))
    return Board(board.members - {leaver}, then.pairs, board.finished, board.k, board.groups)


@given(size=SIZES, finished=SHARES)
@settings(max_examples=40, deadline=None)
def test_a_late_joiner_changes_no_finished_pair_and_gets_k_of_both(
    size: tuple[int, int], finished: float
) -> None:
    students, k = size
    board = board_of(students, k, finished)
    change = with_late_joiner(board, students, "seed")
    then = after(board, change)
    assert (then.owes()[students], then.due()[students]) == (k, k)
    assert change.ended & board.finished == frozenset()
    assert len(change.ended) <= k
    if is_free_of_mutual(students + 1, k):
        assert [pair for pair in change.added if pair[::-1] in then.pairs] == []


def test_a_late_joiner_stands_between_others_and_nobody_gets_more() -> None:
    board = board_of(20, 3, finished=0.4)
    then = after(board, with_late_joiner(board, 20, "seed"))
    assert set(then.owes().values()) == set(then.due().values()) == {3}


def test_a_late_joiner_takes_the_place_of_who_is_missing_first() -> None:
    full = board_of(12, 2)
    missing = frozenset(pair for pair in full.pairs if 5 in pair)
    board = Board(full.members - {5}, full.pairs - missing, full.finished, 2, {})
    change = with_late_joiner(board, 12, "seed")
    assert (change.ended, len(change.added)) == (frozenset(), 4)


def test_where_everything_is_finished_a_late_joiner_ends_nothing() -> None:
    board = board_of(9, 2, finished=1.0)
    change = with_late_joiner(board, 9, "seed")
    assert (change.ended, len(change.added)) == (frozenset(), 4)


def test_a_late_joiner_is_kept_from_their_group() -> None:
    board = board_of(12, 2, group_of=3)
    mates = {**board.groups, 12: "group 0"}
    joined = Board(board.members, board.pairs, board.finished, board.k, mates)
    change = with_late_joiner(joined, 12, "seed")
    assert [pair for pair in change.added if same_group(mates, *pair)] == []


@given(size=SIZES, finished=SHARES, leavers=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_drop_outs_leave_everybody_k_minus_one_auditors(
    size: tuple[int, int], finished: float, leavers: int
) -> None:
    students, k = size
    board = board_of(students, k, finished)
    for leaver in range(min(leavers, students - 2 * k - 1)):
        change = without(board, leaver, "seed")
        assert change.ended & board.finished == frozenset()
        board = left(board, leaver)
        due = board.due()
        assert [member for member in board.members if due[member] < k - 1] == []
    assert [pair for pair in board.pairs - board.finished if not board.members >= {*pair}] == []


def test_the_auditors_of_a_drop_out_take_over_whom_they_would_have_audited() -> None:
    assert without(ring(), 2, "seed") == Change(frozenset({(1, 2), (2, 3)}), frozenset({(1, 3)}))


def test_whom_nobody_would_audit_any_more_is_audited_by_somebody_else() -> None:
    """Who audited the drop-out is done already, and has nobody to take over."""
    change = without(ring(finished=frozenset({(1, 2)})), 2, "seed")
    assert (change.ended, [auditee for _auditor, auditee in change.added]) == (
        frozenset({(2, 3)}),
        [3],
    )


def test_a_finished_pair_of_a_drop_out_stays() -> None:
    assert without(ring(finished=frozenset({(1, 2), (2, 3)})), 2, "seed") == Change()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: by_hand(ring(), 0, 0), "own_peer"),
        (lambda: by_hand(ring(), 0, 1), "paired_already"),
        (lambda: by_hand(ring(), 0, 9), "not_in_the_round"),
        (
            lambda: by_hand(
                Board(frozenset({0, 1}), frozenset(), frozenset(), 1, {0: "a", 1: "a"}), 0, 1
            ),
            "same_group",
        ),
        (lambda: swapped(ring(frozenset({(0, 1)})), (0, 1), (2, 3)), "pair_finished"),
        (lambda: swapped(ring(), (0, 1), (0, 1)), "nothing_to_swap"),
        (lambda: swapped(ring(), (0, 1), (1, 2)), "own_peer"),
    ],
)
def test_what_cannot_be_paired_by_hand_is_refused(make: Callable[[], Change], code: str) -> None:
    with pytest.raises(RoundRefused) as refused:
        make()
    assert refused.value.code == code


def test_a_pair_by_hand_says_who_gets_more_and_that_it_is_mutual() -> None:
    board = ring()
    assert effects_of(board, by_hand(board, 1, 0)) == Effects(
        loads=(Load(0, (1, 1), (1, 2)), Load(1, (1, 2), (1, 1))),
        mutual=((1, 0),),
        withdrawn=(),
        short=(),
    )


def test_a_swap_leaves_everybody_their_numbers() -> None:
    board = ring()
    change = swapped(board, (0, 1), (2, 3))
    assert change == Change(frozenset({(0, 1), (2, 3)}), frozenset({(0, 3), (2, 1)}))
    assert [
        load for load in effects_of(board, change).loads if (1, 1) not in (load.owes, load.due)
    ] == []


def test_who_would_be_audited_by_nobody_is_named_and_not_who_leaves() -> None:
    board = Board(frozenset({0, 1}), frozenset({(0, 1), (1, 0)}), frozenset(), 1, {})
    assert effects_of(board, ending(board, (0, 1))).short == (1,)
    assert effects_of(board, without(board, 1, "seed"), leaver=1).short == (0,)


def test_to_end_a_finished_pair_says_that_a_report_goes_and_who_has_too_few() -> None:
    board = Board(frozenset(range(5)), RING, frozenset({(0, 1)}), 2, {})
    effects = effects_of(board, Change(ended=frozenset({(0, 1)})))
    assert (effects.withdrawn, effects.short) == (((0, 1),), (1,))
