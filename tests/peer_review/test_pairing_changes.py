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
    Change,
    Effects,
    Load,
    RoundState,
    apply_change,
    effects_of,
    plan_ending,
    plan_late_joiner,
    plan_leaver,
    plan_pair,
    plan_swap,
)

SIZES = st.tuples(st.integers(3, 80), st.integers(1, 5)).filter(lambda size: size[1] < size[0])
SHARES = st.sampled_from([0.0, 0.4, 0.9])
RING = frozenset({(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)})


def round_state_of(students: int, k: int, finished: float = 0.0, group_of: int = 0) -> RoundState:
    """A round just drawn, with this share of its pairs finished."""
    groups = {n: f"group {n // group_of}" for n in range(students)} if group_of else {}
    pairs = circle(range(students), k, "seed", groups).pairs
    rng = Random(f"{students} {k}")
    done = frozenset(pair for pair in pairs if rng.random() < finished)
    return RoundState(frozenset(range(students)), frozenset(pairs), done, k, groups)


def ring(finished: frozenset[Pair] = frozenset()) -> RoundState:
    return RoundState(frozenset(range(5)), RING, finished, 1, {})


def left(state: RoundState, leaver: int) -> RoundState:
    result = apply_change(state, plan_leaver(state, leaver, "seed"))
    return RoundState(state.members - {leaver}, result.pairs, state.finished, state.k, state.groups)


@given(size=SIZES, finished=SHARES)
@settings(max_examples=40, deadline=None)
def test_a_late_joiner_changes_no_finished_pair_and_gets_k_of_both(
    size: tuple[int, int], finished: float
) -> None:
    students, k = size
    state = round_state_of(students, k, finished)
    change = plan_late_joiner(state, students, "seed")
    result = apply_change(state, change)
    assert (result.audit_counts()[students], result.auditor_counts()[students]) == (k, k)
    assert change.ended & state.finished == frozenset()
    assert len(change.ended) <= k
    if is_free_of_mutual(students + 1, k):
        assert [pair for pair in change.added if pair[::-1] in result.pairs] == []


def test_a_late_joiner_stands_between_others_and_nobody_gets_more() -> None:
    state = round_state_of(20, 3, finished=0.4)
    result = apply_change(state, plan_late_joiner(state, 20, "seed"))
    assert set(result.audit_counts().values()) == set(result.auditor_counts().values()) == {3}


def test_a_late_joiner_takes_the_place_of_who_is_missing_first() -> None:
    full = round_state_of(12, 2)
    missing = frozenset(pair for pair in full.pairs if 5 in pair)
    state = RoundState(full.members - {5}, full.pairs - missing, full.finished, 2, {})
    change = plan_late_joiner(state, 12, "seed")
    assert (change.ended, len(change.added)) == (frozenset(), 4)


def test_where_everything_is_finished_a_late_joiner_ends_nothing() -> None:
    state = round_state_of(9, 2, finished=1.0)
    change = plan_late_joiner(state, 9, "seed")
    assert (change.ended, len(change.added)) == (frozenset(), 4)


def test_a_late_joiner_is_kept_from_their_group() -> None:
    state = round_state_of(12, 2, group_of=3)
    mates = {**state.groups, 12: "group 0"}
    joined = RoundState(state.members, state.pairs, state.finished, state.k, mates)
    change = plan_late_joiner(joined, 12, "seed")
    assert [pair for pair in change.added if same_group(mates, *pair)] == []


@given(size=SIZES, finished=SHARES, leavers=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_drop_outs_leave_everybody_k_minus_one_auditors(
    size: tuple[int, int], finished: float, leavers: int
) -> None:
    students, k = size
    state = round_state_of(students, k, finished)
    for leaver in range(min(leavers, students - 2 * k - 1)):
        change = plan_leaver(state, leaver, "seed")
        assert change.ended & state.finished == frozenset()
        state = left(state, leaver)
        due = state.auditor_counts()
        assert [member for member in state.members if due[member] < k - 1] == []
    assert [pair for pair in state.pairs - state.finished if not state.members >= {*pair}] == []


def test_the_auditors_of_a_drop_out_take_over_whom_they_would_have_audited() -> None:
    assert plan_leaver(ring(), 2, "seed") == Change(
        frozenset({(1, 2), (2, 3)}), frozenset({(1, 3)})
    )


def test_whom_nobody_would_audit_any_more_is_audited_by_somebody_else() -> None:
    """The peer of a student who left has finished, and needs no other work."""
    change = plan_leaver(ring(finished=frozenset({(1, 2)})), 2, "seed")
    assert (change.ended, [auditee for _auditor, auditee in change.added]) == (
        frozenset({(2, 3)}),
        [3],
    )


def test_a_finished_pair_of_a_drop_out_stays() -> None:
    assert plan_leaver(ring(finished=frozenset({(1, 2), (2, 3)})), 2, "seed") == Change()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: plan_pair(ring(), 0, 0), "own_peer"),
        (lambda: plan_pair(ring(), 0, 1), "paired_already"),
        (lambda: plan_pair(ring(), 0, 9), "not_in_the_round"),
        (
            lambda: plan_pair(
                RoundState(frozenset({0, 1}), frozenset(), frozenset(), 1, {0: "a", 1: "a"}), 0, 1
            ),
            "same_group",
        ),
        (lambda: plan_swap(ring(frozenset({(0, 1)})), (0, 1), (2, 3)), "pair_finished"),
        (lambda: plan_swap(ring(), (0, 1), (0, 1)), "nothing_to_swap"),
        (lambda: plan_swap(ring(), (0, 1), (1, 2)), "own_peer"),
    ],
)
def test_what_cannot_be_paired_by_hand_is_refused(make: Callable[[], Change], code: str) -> None:
    with pytest.raises(RoundRefused) as refused:
        make()
    assert refused.value.code == code


def test_a_pair_by_hand_says_who_gets_more_and_that_it_is_mutual() -> None:
    state = ring()
    assert effects_of(state, plan_pair(state, 1, 0)) == Effects(
        loads=(Load(0, (1, 1), (1, 2)), Load(1, (1, 2), (1, 1))),
        mutual=((1, 0),),
        withdrawn=(),
        short=(),
    )


def test_a_swap_leaves_everybody_their_numbers() -> None:
    state = ring()
    change = plan_swap(state, (0, 1), (2, 3))
    assert change == Change(frozenset({(0, 1), (2, 3)}), frozenset({(0, 3), (2, 1)}))
    assert [
        load
        for load in effects_of(state, change).loads
        if (1, 1) not in (load.audits, load.audited_by)
    ] == []


def test_who_would_be_audited_by_nobody_is_named_and_not_who_leaves() -> None:
    state = RoundState(frozenset({0, 1}), frozenset({(0, 1), (1, 0)}), frozenset(), 1, {})
    assert effects_of(state, plan_ending(state, (0, 1))).short == (1,)
    assert effects_of(state, plan_leaver(state, 1, "seed"), leaver=1).short == (0,)


def test_to_end_a_finished_pair_says_that_a_report_goes_and_who_has_too_few() -> None:
    state = RoundState(frozenset(range(5)), RING, frozenset({(0, 1)}), 2, {})
    effects = effects_of(state, Change(ended=frozenset({(0, 1)})))
    assert (effects.withdrawn, effects.short) == (((0, 1),), (1,))
