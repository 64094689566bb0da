"""How well the court agrees with people, and its judges with each other: pure arithmetic on scores from 1 to 5.

Everything said about people and the court follows from one 5 x 5 table of counts. Intervals are bootstrap percentiles
(95 %, 1000 resamples), drawn by submission, because two people's scores of the same work are not independent, and from
a fixed seed, so that the same scores give the same interval. What cannot be computed is None, with the reason.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

SCORES = range(1, 6)
RELIABLE_FROM = 30  # submissions; below it an interval is too wide to decide anything by
RESAMPLES = 1000
TAIL = 0.025
SEED = "automaton-auditor/agreement@1"
# By (a person's score, the court's score), how often.
Table = Counter[tuple[int, int]]

NOTHING = "nobody has graded it blind yet"
NO_VARIATION = "everybody gave the same score: there is no chance agreement to compare with"
ONE_SIDED = "one side gave the same score to everything: kappa says nothing then"
ONE_UNIT = "an interval needs at least two submissions"
RARELY_DEFINED = "too many resamples have no value"
NO_PAIRS = "no work was scored by two of them"


@dataclass(frozen=True, slots=True)
class Pair:
    """A person's score and the court's, of one criterion of one submission (`unit`)."""

    unit: str
    person: int
    court: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure with its interval. `reason` says why the value, or else its interval, is None; "" where both are there."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of one criterion. `pairs` counts scores, `units` submissions. `bias` is the court's score minus the person's."""

    pairs: int
    units: int
    grid: tuple[tuple[int, ...], ...]
    kappa: Measured
    error: Measured
    bias: Measured
    exact: Measured
    within_one: Measured

    @property
    def is_reliable(self) -> bool:
        return self.units >= RELIABLE_FROM


@dataclass(frozen=True, slots=True)
class Offset:
    """How much higher than the others somebody scores, on average over `units`; None where nobody else did."""

    value: float | None
    units: int


def table_of(pairs: Iterable[Pair]) -> Table:
    return Counter((pair.person, pair.court) for pair in pairs)


def quadratic_kappa(table: Table) -> float | None:
    """Cohen's kappa with weights (i - j) squared; None while both sides give one and the same score only."""
    n = table.total()
    people, court = _margins(table)
    by_chance = sum(a * b * (i - j) ** 2 for i, a in people.items() for j, b in court.items())
    if not by_chance:
        return None
    return 1 - n * sum(count * (i - j) ** 2 for (i, j), count in table.items()) / by_chance


def mean_error(table: Table) -> float | None:
    """Mean absolute distance."""
    return _mean(table, lambda person, court: abs(court - person))


def bias(table: Table) -> float | None:
    """Mean signed distance: above zero, the court is the more generous one."""
    return _mean(table, lambda person, court: court - person)


def exact(table: Table) -> float | None:
    """The share of equal scores."""
    return _mean(table, lambda person, court: person == court)


def within_one(table: Table) -> float | None:
    """The share of scores at most one apart."""
    return _mean(table, lambda person, court: abs(court - person) <= 1)


def agreement_of(pairs: Sequence[Pair]) -> Agreement:
    """All figures of one criterion."""
    table = table_of(pairs)
    resampled = _resampled(pairs)
    return Agreement(
        pairs=len(pairs),
        units=len({pair.unit for pair in pairs}),
        grid=tuple(tuple(table[person, court] for court in SCORES) for person in SCORES),
        kappa=_measured(_telling_kappa, table, resampled, _silence(table)),
        error=_measured(mean_error, table, resampled),
        bias=_measured(bias, table, resampled),
        exact=_measured(exact, table, resampled),
        within_one=_measured(within_one, table, resampled),
    )


def ordinal_alpha(units: Iterable[Sequence[int]]) -> Measured:
    """Krippendorff's alpha for ranks. A unit is what several judges gave the same work; missing answers are left out.

    After Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). No interval is given.
    """
    judged = [Counter(unit) for unit in units if len(unit) > 1]
    totals: Counter[int] = Counter(chain.from_iterable(unit.elements() for unit in judged))
    if not judged:
        return Measured(None, reason=NO_PAIRS)
    if len(totals) == 1:
        return Measured(None, reason=NO_VARIATION)
    n = totals.total()
    observed = sum(_disagreement(unit, totals) / (unit.total() - 1) for unit in judged)
    return Measured(1 - (n - 1) * observed / _disagreement(totals, totals))


def offsets_of(units: Iterable[dict[str, int]]) -> dict[str, Offset]:
    """For each judge, the mean of their score minus the mean of the others' on the same work."""
    gaps: defaultdict[str, list[float]] = defaultdict(list)
    for unit in units:
        for judge, score in unit.items():
            others = [given for other, given in unit.items() if other != judge]
            gaps[judge] += [score - sum(others) / len(others)] if others else []
    return {judge: offset_of(found) for judge, found in gaps.items()}


def offset_of(gaps: Sequence[float]) -> Offset:
    return Offset(sum(gaps) / len(gaps) if gaps else None, len(gaps))


def _telling_kappa(table: Table) -> float | None:
    """None also where one side never varies: kappa is 0 then by its form, whatever the agreement."""
    return quadratic_kappa(table) if min(map(len, _margins(table))) > 1 else None


def _silence(table: Table) -> str:
    return NO_VARIATION if max(map(len, _margins(table))) < 2 else ONE_SIDED


def _margins(table: Table) -> tuple[Counter[int], Counter[int]]:
    people: Counter[int] = Counter()
    court: Counter[int] = Counter()
    for (i, j), count in table.items():
        people[i] += count
        court[j] += count
    return people, court


def _mean(table: Table, of: Callable[[int, int], float]) -> float | None:
    n = table.total()
    return sum(count * of(*scores) for scores, count in table.items()) / n if n else None


def _measured(
    figure: Callable[[Table], float | None],
    table: Table,
    resampled: Sequence[Table],
    undefined: str = "",
) -> Measured:
    if not table:
        return Measured(None, reason=NOTHING)
    value = figure(table)
    if value is None:
        return Measured(None, reason=undefined)
    if not resampled:
        return Measured(value, reason=ONE_UNIT)
    drawn = sorted(found for found in map(figure, resampled) if found is not None)
    if len(drawn) < RESAMPLES / 2:
        return Measured(value, reason=RARELY_DEFINED)
    return Measured(value, _quantile(drawn, TAIL), _quantile(drawn, 1 - TAIL))


def _resampled(pairs: Sequence[Pair]) -> list[Table]:
    """Tables of as many submissions as there are, drawn with replacement; none from fewer than two.

    What the same scores were given to is drawn as one kind: a table depends on nothing else.
    """
    by_unit: defaultdict[str, Table] = defaultdict(Counter)
    for pair in pairs:
        by_unit[pair.unit][pair.person, pair.court] += 1
    if len(by_unit) < 2:
        return []
    kinds = Counter(tuple(sorted(table.items())) for table in by_unit.values())
    ordered = sorted(kinds)
    source = random.Random(SEED)  # noqa: S311 -- not a secret: it has to be repeatable
    weights = [kinds[kind] for kind in ordered]
    draws = (source.choices(range(len(ordered)), weights, k=len(by_unit)) for _ in range(RESAMPLES))
    return [_together(ordered, Counter(draw)) for draw in draws]


def _together(
    kinds: Sequence[tuple[tuple[tuple[int, int], int], ...]], drawn: Counter[int]
) -> Table:
    table: Table = Counter()
    for kind, times in drawn.items():
        for scores, count in kinds[kind]:
            table[scores] += count * times
    return table


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between the two nearest."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


def _disagreement(values: Counter[int], totals: Counter[int]) -> float:
    """Over all ordered pairs of values, how far apart their ranks are: squared, with ties at the middle."""
    return sum(
        a * b * _rank_distance(i, j, totals) ** 2
        for i, a in values.items()
        for j, b in values.items()
        if i != j
    )


def _rank_distance(i: int, j: int, totals: Counter[int]) -> float:
    between = sum(totals[score] for score in range(min(i, j), max(i, j) + 1))
    return between - (totals[i] + totals[j]) / 2
