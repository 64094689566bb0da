"""Agreement of the court with people, and of its judges with each other, on scores from 1 to 5.

All figures about people and the court follow from one 5 x 5 table of counts. Intervals are
bootstrap percentiles (95 %, 1000 resamples). They are drawn by submission, because two people's
scores of the same work are not independent, and from a fixed seed, so that the same scores give
the same interval. A figure that cannot be computed is None, with the reason.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

SCORES = range(1, 6)
# Submissions: with fewer, an interval is too wide to decide anything by.
RELIABLE_FROM = 30
RESAMPLES = 1000
# Both tails together are 5 %: the interval holds 95 % of the resamples.
TAIL = 0.025
SEED = "automaton-auditor/agreement@1"
# Number of times by (a person's score, the court's score).
Table = Counter[tuple[int, int]]

NOT_GRADED = "not graded blind yet"
NO_VARIATION = "all scores are equal: there is no chance agreement to compare with"
ONE_SIDED = "one side gave only one score: kappa is meaningless then"
ONE_UNIT = "an interval needs at least two submissions"
RARELY_DEFINED = "too many resamples have no value"
NO_PAIRS = "no submission has two scores"


@dataclass(frozen=True, slots=True)
class Pair:
    """A person's score and the court's, of one criterion of one submission (`unit`)."""

    unit: str
    person: int
    court: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure with its interval. `reason` says why the value or the interval is None, else ""."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on one criterion: `pairs` counts scores, `units` submissions.

    `bias` is the court's score minus the person's.
    """

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
    """Mean difference to the others' scores over `units`; None where nobody else scored."""

    value: float | None
    units: int


def table_of(pairs: Iterable[Pair]) -> Table:
    return Counter((pair.person, pair.court) for pair in pairs)


def quadratic_kappa(table: Table) -> float | None:
    """Cohen's kappa with weights (i - j) squared; None while both sides give only one score."""
    n = table.total()
    people, court = _margins(table)
    by_chance = sum(a * b * (i - j) ** 2 for i, a in people.items() for j, b in court.items())
    # Both sides gave one and the same score: the formula would divide by zero.
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
    """Share of equal scores."""
    return _mean(table, lambda person, court: person == court)


def within_one(table: Table) -> float | None:
    """Share of scores at most one apart."""
    return _mean(table, lambda person, court: abs(court - person) <= 1)


def agreement_of(pairs: Sequence[Pair]) -> Agreement:
    """Return all figures of one criterion."""
    table = table_of(pairs)
    resampled = _resampled(pairs)
    return Agreement(
        pairs=len(pairs),
        units=len({pair.unit for pair in pairs}),
        grid=tuple(tuple(table[person, court] for court in SCORES) for person in SCORES),
        kappa=_measured(_meaningful_kappa, table, resampled, _undefined_reason(table)),
        error=_measured(mean_error, table, resampled),
        bias=_measured(bias, table, resampled),
        exact=_measured(exact, table, resampled),
        within_one=_measured(within_one, table, resampled),
    )


def ordinal_alpha(units: Iterable[Sequence[int]]) -> Measured:
    """Krippendorff's alpha for ranks, without an interval.

    A unit holds the scores that several judges gave the same work; missing answers are left out.
    After Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).
    """
    judged = [Counter(unit) for unit in units if len(unit) > 1]
    totals: Counter[int] = Counter(chain.from_iterable(unit.elements() for unit in judged))
    if not judged:
        return Measured(None, reason=NO_PAIRS)
    # With one score in use, alpha would be 0 / 0.
    if len(totals) == 1:
        return Measured(None, reason=NO_VARIATION)

    n = totals.total()
    observed = sum(_disagreement(unit, totals) / (unit.total() - 1) for unit in judged)
    return Measured(1 - (n - 1) * observed / _disagreement(totals, totals))


def offsets_of(units: Iterable[dict[str, int]]) -> dict[str, Offset]:
    """Return each judge's mean difference to the others' mean on the same work."""
    gaps: defaultdict[str, list[float]] = defaultdict(list)
    for unit in units:
        for judge, score in unit.items():
            # The judge's own score would pull the offset towards zero.
            other_scores = [given for other, given in unit.items() if other != judge]
            gaps[judge] += [score - sum(other_scores) / len(other_scores)] if other_scores else []
    return {judge: offset_of(judge_gaps) for judge, judge_gaps in gaps.items()}


def offset_of(gaps: Sequence[float]) -> Offset:
    return Offset(sum(gaps) / len(gaps) if gaps else None, len(gaps))


def _meaningful_kappa(table: Table) -> float | None:
    """Return None also if one side never varies: kappa is then 0, whatever the agreement."""
    return quadratic_kappa(table) if min(map(len, _margins(table))) > 1 else None


def _undefined_reason(table: Table) -> str:
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
        return Measured(None, reason=NOT_GRADED)
    value = figure(table)
    if value is None:
        return Measured(None, reason=undefined)
    if not resampled:
        return Measured(value, reason=ONE_UNIT)

    drawn = sorted(
        resampled_value for resampled_value in map(figure, resampled) if resampled_value is not None
    )
    # Percentiles of the few defined resamples would be too narrow.
    if len(drawn) < RESAMPLES / 2:
        return Measured(value, reason=RARELY_DEFINED)

    return Measured(value, _quantile(drawn, TAIL), _quantile(drawn, 1 - TAIL))


def _resampled(pairs: Sequence[Pair]) -> list[Table]:
    """Draw tables of as many submissions, with replacement; none from fewer than two.

    Submissions with the same scores are drawn as one kind: a table depends on nothing else.
    """
    by_unit: defaultdict[str, Table] = defaultdict(Counter)
    for pair in pairs:
        by_unit[pair.unit][pair.person, pair.court] += 1
    if len(by_unit) < 2:
        return []

    # Grouping by equal tables makes a draw faster and does not change its distribution.
    kinds = Counter(tuple(sorted(table.items())) for table in by_unit.values())
    ordered = sorted(kinds)
    source = random.Random(SEED)  # noqa: S311 -- not a secret: it has to be repeatable
    weights = [kinds[kind] for kind in ordered]
    draws = (source.choices(range(len(ordered)), weights, k=len(by_unit)) for _ in range(RESAMPLES))

    return [_combined(ordered, Counter(draw)) for draw in draws]


def _combined(
    kinds: Sequence[tuple[tuple[tuple[int, int], int], ...]], drawn: Counter[int]
) -> Table:
    table: Table = Counter()
    for kind, times in drawn.items():
        for scores, count in kinds[kind]:
            table[scores] += count * times
    return table


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Interpolate linearly between the two nearest values."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


def _disagreement(values: Counter[int], totals: Counter[int]) -> float:
    """Sum the squared rank distances over all ordered pairs; ties count at their middle."""
    return sum(
        a * b * _rank_distance(i, j, totals) ** 2
        for i, a in values.items()
        for j, b in values.items()
        if i != j
    )


def _rank_distance(i: int, j: int, totals: Counter[int]) -> float:
    between = sum(totals[score] for score in range(min(i, j), max(i, j) + 1))
    return between - (totals[i] + totals[j]) / 2
