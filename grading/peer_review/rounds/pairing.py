"""Drawing of pairs for a round: the same students, k and seed give the same pairs.

Students are identified by their keys alone. Each student audits k students and is audited by k,
never themselves and never a member of their own group. With 2k + 1 students or more no two
students audit each other; with fewer (k < n <= 2k) some have to, and may.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grading.core.errors import RoundRefused

Pair = tuple[int, int]  # (auditor, auditee)
Groups = Mapping[int, str]  # by student; "" or missing: works alone
MAX_PEERS = 5
# Few students can be paired in few ways, so small rounds are shuffled more often.
MIN_SHUFFLES, SHUFFLE_BUDGET = 8, 200
# Steps to repair one shuffle. Where a solution exists, tens of steps are enough.
STEPS_PER_PAIR, MAX_STEPS = 5, 400


@dataclass(frozen=True, slots=True)
class Circle:
    """Pairs, and the `order` they were drawn from.

    `pairs` leave the circle only where members of a group had to be kept apart.
    """

    order: tuple[int, ...]
    pairs: tuple[Pair, ...]


def is_free_of_mutual(students: int, k: int) -> bool:
    """Return True if k audits each are possible without two students who audit each other."""
    return students >= 2 * k + 1


def same_group(groups: Groups, first: int, second: int) -> bool:
    return bool(groups.get(first)) and groups.get(first) == groups.get(second)


def circle(students: Iterable[int], k: int, seed: str, groups: Groups) -> Circle:
    """Shuffle the students into a circle; each audits the students at k distances from them.

    Distances from 1 to (n - 1) / 2 make no mutual pairs (Submitty's circulant, without its
    reciprocal half). Group members are kept apart by swapping the auditees of two students, which
    keeps the number of audits of each. Raises RoundRefused where no pairing exists or none is
    found.
    """
    # Sorted, so that the draw does not depend on the order of a query.
    keys = sorted(set(students))
    _refuse_impossible(keys, k, groups)

    rng = random.Random(seed)  # noqa: S311 -- repeatable by its seed, which is secret
    for _ in range(max(MIN_SHUFFLES, SHUFFLE_BUDGET // len(keys))):
        order = rng.sample(keys, len(keys))
        table = _PairRepair(
            _around(order, k, rng), groups, may_be_mutual=not is_free_of_mutual(len(keys), k)
        )
        if table.repair(rng):
            return Circle(tuple(order), tuple(table.pairs))
    raise RoundRefused(
        "peers",
        "no_way_found",
        f"We couldn't find {k} peer{'' if k == 1 else 's'} outside their group for every "
        "student. Choose fewer peers, or split a group.",
    )


def _refuse_impossible(students: list[int], k: int, groups: Groups) -> None:
    count = len(students)
    if k >= count:
        sentence = (
            f"Rounds with {k} peer{'' if k == 1 else 's'} need at least {k + 1} students. "
            f"This one has {count}."
        )
        raise RoundRefused("peers", "too_few_students", sentence)

    # Without mutual pairs a member needs k students to audit and k other auditors, all of them
    # outside the group.
    needed = 2 * k if is_free_of_mutual(count, k) else k
    sizes = Counter(groups[student] for student in students if groups.get(student))
    # Outsiders give and get k audits each, so there must be as many of them as members. If the
    # largest group can be served, the smaller ones can.
    for group, size in sizes.most_common(1):
        if count - size < max(needed, size):
            raise RoundRefused(
                "peers",
                "group_too_large",
                f"{size} of the {count} students are in group “{group}”, and nobody audits their "
                f"own group. That needs {max(needed, size)} students outside it; there are "
                f"{count - size}.",
            )


def _around(order: list[int], k: int, rng: random.Random) -> list[Pair]:
    count = len(order)
    # These distances make no mutual pairs; the rest are used only where they are too few.
    one_way = list(range(1, (count - 1) // 2 + 1))

    chosen = rng.sample(one_way, min(k, len(one_way)))
    chosen += rng.sample(range(len(one_way) + 1, count), k - len(chosen))
    return [
        (student, order[(place + step) % count])
        for step in chosen
        for place, student in enumerate(order)
    ]


class _PairRepair:
    """Repair of a shuffle: swap the auditees of two students until no pair has a fault."""

    def __init__(self, pairs: list[Pair], groups: Groups, *, may_be_mutual: bool) -> None:
        self.pairs, self._groups, self._may_be_mutual = pairs, groups, may_be_mutual
        self._taken = set(pairs)

    def repair(self, rng: random.Random) -> bool:
        """Return True once no fault is left, False when the steps are used up."""
        for _ in range(min(MAX_STEPS, STEPS_PER_PAIR * len(self.pairs))):
            faulty = [place for place, pair in enumerate(self.pairs) if self._faults(pair)]
            if not faulty:
                return True
            self._improve(rng.choice(faulty), rng)
        return False

    def _faults(self, pair: Pair) -> int:
        is_mutual = not self._may_be_mutual and (pair[1], pair[0]) in self._taken
        return same_group(self._groups, *pair) + is_mutual

    def _improve(self, place: int, rng: random.Random) -> None:
        """Swap with the first pair that leaves fewer faults, else with one that leaves as many.

        The second case lets the search move on where no single swap helps.
        """
        as_good = None

        for other in rng.sample(range(len(self.pairs)), len(self.pairs)):
            gain = self._gain(place, other)
            if gain is not None and gain > 0:
                return self._swap(place, other)
            if gain == 0 and as_good is None:
                as_good = other

        return None if as_good is None else self._swap(place, as_good)

    def _gain(self, place: int, other: int) -> int | None:
        """Return how many faults a swap removes.

        None where a student would audit themselves, or the same student twice.
        """
        old = (self.pairs[place], self.pairs[other])
        new = ((old[0][0], old[1][1]), (old[1][0], old[0][1]))
        if any(auditor == auditee for auditor, auditee in new) or self._taken.intersection(new):
            return None

        # Try the swap, count, and take it back.
        before = sum(map(self._faults, old))
        self._replace(old, new)
        after = sum(map(self._faults, new))
        self._replace(new, old)
        return before - after

    def _swap(self, place: int, other: int) -> None:
        old = (self.pairs[place], self.pairs[other])
        new = ((old[0][0], old[1][1]), (old[1][0], old[0][1]))
        self._replace(old, new)
        self.pairs[place], self.pairs[other] = new

    def _replace(self, old: tuple[Pair, Pair], new: tuple[Pair, Pair]) -> None:
        self._taken.difference_update(old)
        self._taken.update(new)
