"""What changes in a round that runs: somebody comes late, somebody leaves, a person pairs by hand.

Each change is worked out from the board before it and looked at before it is made. A finished pair (one with a report)
ends only when a person ends it; as few of the others as possible do.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from grading.core.errors import RoundRefused
from grading.peer_review.rounds.pairing import Groups, Pair, is_free_of_mutual, same_group

TRIES = 60  # the best of so many orders: with at most five pairs to place, all that matter


@dataclass(frozen=True, slots=True)
class Board:
    """A round as it stands: who takes part now, which pairs have not ended, and which of these have a report."""

    members: frozenset[int]
    pairs: frozenset[Pair]
    finished: frozenset[Pair]
    k: int
    groups: Groups

    def owes(self) -> Counter[int]:
        """How many others each student audits."""
        return Counter(auditor for auditor, _auditee in self.pairs)

    def due(self) -> Counter[int]:
        """By how many others each student is audited."""
        return Counter(auditee for _auditor, auditee in self.pairs)

    @property
    def fewest(self) -> int:
        """So many auditors everybody keeps whoever leaves: one less than there should be, and one at least."""
        return max(1, self.k - 1)

    def may_pair(self, auditor: int, auditee: int) -> bool:
        """Whether the site itself may make this pair."""
        keeps_apart = (
            is_free_of_mutual(len(self.members), self.k) and (auditee, auditor) in self.pairs
        )
        is_new = auditor != auditee and (auditor, auditee) not in self.pairs
        return is_new and not keeps_apart and not same_group(self.groups, auditor, auditee)


@dataclass(frozen=True, slots=True)
class Change:
    """Which pairs end and which are made."""

    ended: frozenset[Pair] = frozenset()
    added: frozenset[Pair] = frozenset()


@dataclass(frozen=True, slots=True)
class Load:
    """What a student has to do and gets, before and after a change."""

    student: int
    owes: tuple[int, int]
    due: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Effects:
    """`loads` are of everybody whose pairs change. `mutual`: pairs that are made and answered by their reverse;
    `withdrawn`: finished pairs that end; `short`: who would be audited by too few (Board.fewest)."""

    loads: tuple[Load, ...]
    mutual: tuple[Pair, ...]
    withdrawn: tuple[Pair, ...]
    short: tuple[int, ...]


def after(board: Board, change: Change) -> Board:
    return _with_pairs(board, (board.pairs - change.ended) | change.added)


def with_late_joiner(board: Board, newcomer: int, seed: str) -> Change:
    """k others to audit and k auditors for the newcomer, as far as there are.

    Who audits, or is audited by, too few comes first: that changes no pair. Then pairs without a report are opened, and
    the newcomer put in between: everybody keeps their numbers. Then somebody gets one more.
    """
    joined = Board(board.members | {newcomer}, board.pairs, board.finished, board.k, board.groups)

    def attempt(chance: random.Random) -> Change:
        work = _Work(joined, chance)
        work.fill_gaps(newcomer)
        work.put_between(newcomer)
        work.fill_gaps(newcomer, also_beyond=True)
        return work.change

    def merit(change: Change) -> tuple[int, ...]:
        then = after(joined, change)
        return (then.owes()[newcomer] + then.due()[newcomer], -len(change.ended))

    return _best(attempt, merit, seed)


def without(board: Board, leaver: int, seed: str) -> Change:
    """The leaver's pairs without a report end; who audited them takes over whom they would have audited.

    Nobody is left with too few auditors (Board.fewest) while there are others to ask.
    """
    ended = frozenset(pair for pair in board.pairs - board.finished if leaver in pair)
    rest = Board(
        board.members - {leaver}, board.pairs - ended, board.finished, board.k, board.groups
    )
    bereft = [auditor for auditor, auditee in sorted(ended) if auditee == leaver]
    unaudited = [auditee for auditor, auditee in sorted(ended) if auditor == leaver]

    def attempt(chance: random.Random) -> Change:
        work = _Work(rest, chance)
        for auditor in chance.sample(bereft, len(bereft)):
            work.pair_with_one_of(auditor, chance.sample(unaudited, len(unaudited)))
        work.audit_everybody()
        return Change(ended, work.change.added)

    return _best(attempt, lambda change: (len(change.added),), seed)


def by_hand(board: Board, auditor: int, auditee: int) -> Change:
    """One pair more. Raises RoundRefused."""
    _refuse_pair(board, auditor, auditee)
    return Change(added=frozenset({(auditor, auditee)}))


def ending(board: Board, pair: Pair) -> Change:
    """One pair less. Raises RoundRefused."""
    _refuse_ended(board, pair)
    return Change(ended=frozenset({pair}))


def swapped(board: Board, one: Pair, other: Pair) -> Change:
    """Both audit whom the other one would have. Raises RoundRefused; a finished pair stays."""
    for pair in (one, other):
        _refuse_ended(board, pair)
        if pair in board.finished:
            raise RoundRefused(
                "other", "pair_finished", "There is a report on one of the two already: it stays."
            )
    rest = _with_pairs(board, board.pairs - {one, other})
    new = frozenset({(one[0], other[1]), (other[0], one[1])})
    if one == other or new & {one, other}:
        raise RoundRefused(
            "other", "nothing_to_swap", "That would change nothing: choose another pair."
        )
    for pair in new:
        _refuse_pair(rest, *pair, field="other")
    return Change(frozenset({one, other}), new)


def effects_of(board: Board, change: Change, *, leaver: int | None = None) -> Effects:
    """What the change does, student by student."""
    then = after(board, change)
    touched = sorted({student for pair in change.ended | change.added for student in pair})
    owes, due = ((side(board), side(then)) for side in (Board.owes, Board.due))
    return Effects(
        loads=tuple(
            Load(student, (owes[0][student], owes[1][student]), (due[0][student], due[1][student]))
            for student in touched
        ),
        mutual=tuple(sorted(pair for pair in change.added if pair[::-1] in then.pairs)),
        withdrawn=tuple(sorted(change.ended & board.finished)),
        short=tuple(
            student for student in touched if student != leaver and due[1][student] < board.fewest
        ),
    )


def _refuse_pair(board: Board, auditor: int, auditee: int, field: str = "auditee") -> None:
    if auditor == auditee:
        raise RoundRefused(field, "own_peer", "Nobody is their own peer.")
    if (auditor, auditee) in board.pairs:
        raise RoundRefused(field, "paired_already", "This pair is there already.")
    if not {auditor, auditee} <= board.members:
        raise RoundRefused(field, "not_in_the_round", "Both have to take part in the round.")
    if same_group(board.groups, auditor, auditee):
        raise RoundRefused(
            field, "same_group", "They work in the same group: group members are never paired."
        )


def _refuse_ended(board: Board, pair: Pair) -> None:
    if pair not in board.pairs:
        raise RoundRefused("", "pairing_ended", "This pairing has ended already.")


def _with_pairs(board: Board, pairs: frozenset[Pair]) -> Board:
    return Board(board.members, pairs, board.finished, board.k, board.groups)


def _best(
    attempt: Callable[[random.Random], Change],
    merit: Callable[[Change], tuple[int, ...]],
    seed: str,
) -> Change:
    chance = random.Random(seed)  # noqa: S311 -- what was shown before a yes is what is done after it
    return max((attempt(chance) for _ in range(TRIES)), key=merit)


class _Work:
    """A change in the making."""

    def __init__(self, board: Board, chance: random.Random) -> None:
        self._start = self._board = board
        self._chance = chance

    @property
    def change(self) -> Change:
        return Change(self._start.pairs - self._board.pairs, self._board.pairs - self._start.pairs)

    def fill_gaps(self, newcomer: int, *, also_beyond: bool = False) -> None:
        """Pair the newcomer with those who lack somebody; `also_beyond`: with those who lack nobody as well."""
        for auditee in self._least(self._board.due(), also_beyond=also_beyond):
            if self._board.owes()[newcomer] == self._board.k:
                break
            self._add(newcomer, auditee)
        for auditor in self._least(self._board.owes(), also_beyond=also_beyond):
            if self._board.due()[newcomer] == self._board.k:
                break
            self._add(auditor, newcomer)

    def put_between(self, newcomer: int) -> None:
        """a → b becomes a → newcomer → b, as long as the newcomer lacks both."""
        room = self._board.k - max(self._board.owes()[newcomer], self._board.due()[newcomer])
        for auditor, auditee in self._open_pairs():
            if room == 0:
                break
            if self._board.may_pair(auditor, newcomer) and self._board.may_pair(newcomer, auditee):
                between = {(auditor, newcomer), (newcomer, auditee)}
                self._board = _with_pairs(
                    self._board, (self._board.pairs - {(auditor, auditee)}) | between
                )
                room -= 1

    def pair_with_one_of(self, auditor: int, auditees: list[int]) -> None:
        """With the first that is due an auditor and may be paired."""
        for auditee in auditees:
            if self._board.due()[auditee] < self._board.k and self._add(auditor, auditee):
                break

    def audit_everybody(self) -> None:
        """Nobody with fewer auditors than `fewest`, while there is somebody who may be asked."""
        due, fewest = self._board.due(), self._board.fewest
        for auditee in sorted(member for member in self._board.members if due[member] < fewest):
            for auditor in self._least(self._board.owes(), also_beyond=True):
                if self._board.due()[auditee] == fewest:
                    break
                self._add(auditor, auditee)

    def _least(self, loads: Counter[int], *, also_beyond: bool) -> list[int]:
        """Members by their load, by chance where it is the same; those with k or more only where wanted."""
        members = self._chance.sample(sorted(self._board.members), len(self._board.members))
        wanted = [member for member in members if also_beyond or loads[member] < self._board.k]
        return sorted(wanted, key=loads.__getitem__)

    def _open_pairs(self) -> list[Pair]:
        """Those of two members without a report, in any order."""
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
