"""Who audits whom in a round: the same students, number and seed give the same pairs.

Students are told apart by their keys alone. Everybody audits k others and is audited by k others, never themselves and
never somebody of their own group. Where there are 2k + 1 students or more, nobody audits whoever audits them; of fewer
(k < n <= 2k) some have to, and may.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grading.core.errors import RoundRefused

Pair = tuple[int, int]  # who audits, who is audited
Groups = Mapping[int, str]  # "" or missing: works alone
MOST_PEERS = 5
FEWEST_SHUFFLES, SHUFFLED = (
    8,
    200,
)  # of few students there are few ways: they are shuffled more often
STEPS_PER_PAIR, MOST_STEPS = 5, 400  # of mending one shuffle; where a way exists, tens are enough


@dataclass(frozen=True, slots=True)
class Circle:
    """`order` is the circle the pairs were drawn from; `pairs` keep to it but where groups had to be kept apart."""

    order: tuple[int, ...]
    pairs: tuple[Pair, ...]


def is_free_of_mutual(students: int, k: int) -> bool:
    """Whether so many can be paired so that nobody audits whoever audits them."""
    return students >= 2 * k + 1


def same_group(groups: Groups, one: int, other: int) -> bool:
    return bool(groups.get(one)) and groups.get(one) == groups.get(other)


def circle(students: Iterable[int], k: int, seed: str, groups: Groups) -> Circle:
    """Shuffle the students into a circle and let each audit those at k distances from them.

    Distances from 1 to (n - 1) / 2 leave nobody mutual (Submitty's circulant, without its reciprocal half). Group
    mates are parted by exchanging whom two students audit, which leaves everybody's numbers as they are. Raises
    RoundRefused where there is no way, or none was found.
    """
    keys = sorted(set(students))
    _refuse_impossible(keys, k, groups)
    chance = random.Random(seed)  # noqa: S311 -- to be repeated from its seed; secrecy rests on the seed
    for _ in range(max(FEWEST_SHUFFLES, SHUFFLED // len(keys))):
        order = chance.sample(keys, len(keys))
        table = _Table(
            _around(order, k, chance), groups, may_be_mutual=not is_free_of_mutual(len(keys), k)
        )
        if table.mend(chance):
            return Circle(tuple(order), tuple(table.pairs))
    raise RoundRefused(
        "peers",
        "no_way_found",
        f"No way was found for everybody to audit {k} other{'' if k == 1 else 's'} outside their group: ask for fewer "
        "peers, or part a group.",
    )


def _refuse_impossible(students: list[int], k: int, groups: Groups) -> None:
    count = len(students)
    if k >= count:
        raise RoundRefused(
            "peers",
            "too_few_students",
            f"{count} student{'' if count == 1 else 's'} cannot audit {k} other{'' if k == 1 else 's'} each: it takes {k + 1}.",
        )
    needed = 2 * k if is_free_of_mutual(count, k) else k
    sizes = Counter(groups[student] for student in students if groups.get(student))
    for group, size in sizes.most_common(1):
        if count - size < max(needed, size):
            raise RoundRefused(
                "peers",
                "group_too_large",
                f"{size} of the {count} students are in group “{group}”, and nobody audits their own group: it takes "
                f"{max(needed, size)} others, there are {count - size}.",
            )


def _around(order: list[int], k: int, chance: random.Random) -> list[Pair]:
    count = len(order)
    one_way = list(range(1, (count - 1) // 2 + 1))
    chosen = chance.sample(one_way, min(k, len(one_way)))
    chosen += chance.sample(range(len(one_way) + 1, count), k - len(chosen))
    return [
        (student, order[(place + step) % count])
        for step in chosen
        for place, student in enumerate(order)
    ]


class _Table:
    """Pairs being mended: whom two students audit is exchanged until no pair has a fault, or it takes too long."""

    def __init__(self, pairs: list[Pair], groups: Groups, *, may_be_mutual: bool) -> None:
        self.pairs, self._groups, self._may_be_mutual = pairs, groups, may_be_mutual
        self._taken = set(pairs)

    def mend(self, chance: random.Random) -> bool:
        """Whether no fault is left."""
        for _ in range(min(MOST_STEPS, STEPS_PER_PAIR * len(self.pairs))):
            faulty = [place for place, pair in enumerate(self.pairs) if self._faults(pair)]
            if not faulty:
                return True
            self._better(chance.choice(faulty), chance)
        return False

    def _faults(self, pair: Pair) -> int:
        is_mutual = not self._may_be_mutual and (pair[1], pair[0]) in self._taken
        return same_group(self._groups, *pair) + is_mutual

    def _better(self, place: int, chance: random.Random) -> None:
        """Exchange with the first pair that leaves fewer faults, else with one that leaves as many: so the search
        walks on from where no single exchange helps."""
        as_good = None
        for other in chance.sample(range(len(self.pairs)), len(self.pairs)):
            gain = self._gain(place, other)
            if gain is not None and gain > 0:
                return self._exchange(place, other)
            if gain == 0 and as_good is None:
                as_good = other
        return None if as_good is None else self._exchange(place, as_good)

    def _gain(self, place: int, other: int) -> int | None:
        """By how many the faults would fall; null where somebody would audit themselves, or one person twice."""
        old = (self.pairs[place], self.pairs[other])
        new = ((old[0][0], old[1][1]), (old[1][0], old[0][1]))
        if any(auditor == auditee for auditor, auditee in new) or self._taken.intersection(new):
            return None
        before = sum(map(self._faults, old))
        self._replace(old, new)
        after = sum(map(self._faults, new))
        self._replace(new, old)
        return before - after

    def _exchange(self, place: int, other: int) -> None:
        old = (self.pairs[place], self.pairs[other])
        new = ((old[0][0], old[1][1]), (old[1][0], old[0][1]))
        self._replace(old, new)
        self.pairs[place], self.pairs[other] = new

    def _replace(self, old: tuple[Pair, Pair], new: tuple[Pair, Pair]) -> None:
        self._taken.difference_update(old)
        self._taken.update(new)
