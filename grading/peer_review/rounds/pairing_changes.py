"""Plans for changes to a running round: late joiners, leavers and pairs made by staff.

A plan is computed from the state of the round and reviewed before it is applied. A finished pair
(one with a report) ends only when a person ends it; as few of the other pairs as possible end.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from grading.core.errors import RoundRefused
from grading.peer_review.rounds.pairing import Groups, Pair, is_free_of_mutual, same_group

# Random orders tried, of which the best wins: with at most five pairs to place, enough.
ATTEMPTS = 60


@dataclass(frozen=True, slots=True)
class RoundState:
    """Present members of a round, its pairs that have not ended, and those that have a report."""

    members: frozenset[int]
    pairs: frozenset[Pair]
    finished: frozenset[Pair]
    k: int
    groups: Groups

    def audit_counts(self) -> Counter[int]:
        """Number of students that each student audits."""
        return Counter(auditor for auditor, _auditee in self.pairs)

    def auditor_counts(self) -> Counter[int]:
        """Number of auditors that each student has."""
        return Counter(auditee for _auditor, auditee in self.pairs)

    @property
    def min_auditors(self) -> int:
        """Auditors that each student keeps when others leave: k - 1, at least one."""
        return max(1, self.k - 1)

    def may_pair(self, auditor: int, auditee: int) -> bool:
        """Return True if the site itself may make this pair."""
        keeps_apart = (
            is_free_of_mutual(len(self.members), self.k) and (auditee, auditor) in self.pairs
        )
        is_new = auditor != auditee and (auditor, auditee) not in self.pairs
        return is_new and not keeps_apart and not same_group(self.groups, auditor, auditee)


@dataclass(frozen=True, slots=True)
class Change:
    """Pairs that end and pairs that are made."""

    ended: frozenset[Pair] = frozenset()
    added: frozenset[Pair] = frozenset()


@dataclass(frozen=True, slots=True)
class Load:
    """Number of audits that a student gives and gets, each (before, after) a change."""

    student: int
    audits: tuple[int, int]
    audited_by: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Effects:
    """Effects of a change on students.

    `loads` of all students whose pairs change; `mutual` new pairs whose reverse exists too;
    `withdrawn` finished pairs that end; `short` students with fewer than min_auditors auditors.
    """

    loads: tuple[Load, ...]
    mutual: tuple[Pair, ...]
    withdrawn: tuple[Pair, ...]
    short: tuple[int, ...]


def apply_change(state: RoundState, change: Change) -> RoundState:
    return _with_pairs(state, (state.pairs - change.ended) | change.added)


def plan_late_joiner(state: RoundState, newcomer: int, seed: str) -> Change:
    """Give the newcomer k students to audit and k auditors, as far as possible.

    Students with too few audits or auditors come first: that changes no pair. Then pairs without a
    report are split and the newcomer put between them: all keep their numbers. Then some students
    get one more.
    """
    joined = RoundState(
        state.members | {newcomer}, state.pairs, state.finished, state.k, state.groups
    )

    def attempt(rng: random.Random) -> Change:
        planner = _Planner(joined, rng)
        planner.fill_gaps(newcomer)
        planner.put_between(newcomer)
        planner.fill_gaps(newcomer, also_beyond=True)
        return planner.change

    # As many pairs for the newcomer as possible first, then as few ended pairs as possible.
    def score(change: Change) -> tuple[int, ...]:
        result = apply_change(joined, change)
        return (
            result.audit_counts()[newcomer] + result.auditor_counts()[newcomer],
            -len(change.ended),
        )

    return _best_plan(attempt, score, seed)


def plan_leaver(state: RoundState, leaver: int, seed: str) -> Change:
    """End the leaver's pairs without a report; their auditors take over their auditees.

    All others keep at least min_auditors auditors while anybody is free to audit.
    """
    ended = frozenset(pair for pair in state.pairs - state.finished if leaver in pair)
    rest = RoundState(
        state.members - {leaver}, state.pairs - ended, state.finished, state.k, state.groups
    )

    # Leaver's auditors and auditees: pairing these two sides changes nobody else's load.
    freed_auditors = [auditor for auditor, auditee in sorted(ended) if auditee == leaver]
    unaudited = [auditee for auditor, auditee in sorted(ended) if auditor == leaver]

    def attempt(rng: random.Random) -> Change:
        planner = _Planner(rest, rng)
        for auditor in rng.sample(freed_auditors, len(freed_auditors)):
            planner.pair_with_one_of(auditor, rng.sample(unaudited, len(unaudited)))
        planner.audit_everybody()
        return Change(ended, planner.change.added)

    return _best_plan(attempt, lambda change: (len(change.added),), seed)


def plan_pair(state: RoundState, auditor: int, auditee: int) -> Change:
    """Add one pair. Raises RoundRefused."""
    _refuse_pair(state, auditor, auditee)
    return Change(added=frozenset({(auditor, auditee)}))


def plan_ending(state: RoundState, pair: Pair) -> Change:
    """End one pair. Raises RoundRefused."""
    _refuse_ended(state, pair)
    return Change(ended=frozenset({pair}))


def plan_swap(state: RoundState, first: Pair, second: Pair) -> Change:
    """Swap the auditees of two pairs. Raises RoundRefused, also if one of them is finished."""
    for pair in (first, second):
        _refuse_ended(state, pair)
        if pair in state.finished:
            raise RoundRefused(
                "other", "pair_finished", "One of the two pairings already has a report: it stays."
            )

    rest = _with_pairs(state, state.pairs - {first, second})
    # Each auditor takes the other's auditee.
    new = frozenset({(first[0], second[1]), (second[0], first[1])})
    if first == second or new & {first, second}:
        raise RoundRefused(
            "other", "nothing_to_swap", "That would change nothing. Choose another pairing."
        )

    for pair in new:
        _refuse_pair(rest, *pair, field="other")
    return Change(frozenset({first, second}), new)


def effects_of(state: RoundState, change: Change, *, leaver: int | None = None) -> Effects:
    """Return the effects of the change, student by student."""
    result = apply_change(state, change)
    touched = sorted({student for pair in change.ended | change.added for student in pair})
    given, received = (
        (side(state), side(result)) for side in (RoundState.audit_counts, RoundState.auditor_counts)
    )

    return Effects(
        loads=tuple(
            Load(
                student,
                (given[0][student], given[1][student]),
                (received[0][student], received[1][student]),
            )
            for student in touched
        ),
        mutual=tuple(sorted(pair for pair in change.added if pair[::-1] in result.pairs)),
        withdrawn=tuple(sorted(change.ended & state.finished)),
        short=tuple(
            student
            for student in touched
            if student != leaver and received[1][student] < state.min_auditors
        ),
    )


def _refuse_pair(state: RoundState, auditor: int, auditee: int, field: str = "auditee") -> None:
    if auditor == auditee:
        raise RoundRefused(field, "own_peer", "Students cannot audit themselves.")
    if (auditor, auditee) in state.pairs:
        raise RoundRefused(field, "paired_already", "This pair already exists.")
    if not {auditor, auditee} <= state.members:
        raise RoundRefused(field, "not_in_the_round", "Both students must take part in the round.")
    if same_group(state.groups, auditor, auditee):
        raise RoundRefused(
            field, "same_group", "They are in the same group: group members are never paired."
        )


def _refuse_ended(state: RoundState, pair: Pair) -> None:
    if pair not in state.pairs:
        raise RoundRefused("", "pairing_ended", "This pairing has ended already.")


def _with_pairs(state: RoundState, pairs: frozenset[Pair]) -> RoundState:
    return RoundState(state.members, pairs, state.finished, state.k, state.groups)


def _best_plan(
    attempt: Callable[[random.Random], Change],
    score: Callable[[Change], tuple[int, ...]],
    seed: str,
) -> Change:
    rng = random.Random(seed)  # noqa: S311 -- the reviewed plan must be the applied one
    # The same seed gives the same plan, so the applied change is the one that was reviewed.
    return max((attempt(rng) for _ in range(ATTEMPTS)), key=score)


class _Planner:
    """Working copy of a round to which pairs are added."""

    def __init__(self, state: RoundState, rng: random.Random) -> None:
        self._start = self._board = state
        self._chance = rng

    @property
    def change(self) -> Change:
        return Change(self._start.pairs - self._board.pairs, self._board.pairs - self._start.pairs)

    def fill_gaps(self, newcomer: int, *, also_beyond: bool = False) -> None:
        """Pair the newcomer with students who lack pairs; with `also_beyond`, with all."""
        for auditee in self._least(self._board.auditor_counts(), also_beyond=also_beyond):
            if self._board.audit_counts()[newcomer] == self._board.k:
                break
            self._add(newcomer, auditee)
        for auditor in self._least(self._board.audit_counts(), also_beyond=also_beyond):
            if self._board.auditor_counts()[newcomer] == self._board.k:
                break
            self._add(auditor, newcomer)

    def put_between(self, newcomer: int) -> None:
        """Turn a → b into a → newcomer → b while the newcomer lacks both."""
        missing = self._board.k - max(
            self._board.audit_counts()[newcomer], self._board.auditor_counts()[newcomer]
        )
        for auditor, auditee in self._open_pairs():
            if missing == 0:
                break
            if self._board.may_pair(auditor, newcomer) and self._board.may_pair(newcomer, auditee):
                between = {(auditor, newcomer), (newcomer, auditee)}
                self._board = _with_pairs(
                    self._board, (self._board.pairs - {(auditor, auditee)}) | between
                )
                missing -= 1

    def pair_with_one_of(self, auditor: int, auditees: list[int]) -> None:
        """Pair with the first that lacks an auditor and may be paired."""
        for auditee in auditees:
            if self._board.auditor_counts()[auditee] < self._board.k and self._add(
                auditor, auditee
            ):
                break

    def audit_everybody(self) -> None:
        """Give each member at least `min_auditors` auditors, while anybody may be paired."""
        counts, minimum = self._board.auditor_counts(), self._board.min_auditors
        for auditee in sorted(member for member in self._board.members if counts[member] < minimum):
            for auditor in self._least(self._board.audit_counts(), also_beyond=True):
                if self._board.auditor_counts()[auditee] == minimum:
                    break
                self._add(auditor, auditee)

    def _least(self, loads: Counter[int], *, also_beyond: bool) -> list[int]:
        """Return members by load, ties in random order; those with k or more only if wanted."""
        members = self._chance.sample(sorted(self._board.members), len(self._board.members))
        wanted = [member for member in members if also_beyond or loads[member] < self._board.k]
        # The sort is stable: equal loads keep their random order.
        return sorted(wanted, key=loads.__getitem__)

    def _open_pairs(self) -> list[Pair]:
        """Return pairs of two members without a report, in random order."""
        # Sorted first: a set has no fixed order, and the same seed must give the same plan.
        open_pairs = sorted(self._board.pairs - self._board.finished)
        return [
            pair
            for pair in self._chance.sample(open_pairs, len(open_pairs))
            if self._board.members >= {*pair}
        ]

    def _add(self, auditor: int, auditee: int) -> bool:
        if not self._board.may_pair(auditor, auditee):
            return False
        self._board = _with_pairs(self._board, self._board.pairs | {(auditor, auditee)})
        return True
