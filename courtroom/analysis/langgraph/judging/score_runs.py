"""Runs of a function of the Chief Justice over all scores that three judges can give.

A test of what is no score is run both ways. Code that is not covered ends the search, so a claim on
all runs rests on all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from courtroom.analysis.langgraph.judging.score_evaluator import ScoreRun, SharedTables
from courtroom.analysis.langgraph.judging.score_values import JUDGES, NotCovered, Scores
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel

# Expressions that a search evaluates at most, in all and for three scores.
MOST_STEPS = 400_000
MOST_STEPS_OF_TRIPLE = 8_000
# Scores of three judges that are tried before some run comes to the rule.
MOST_UNREACHED = 25
USUAL_SCALE = range(1, 6)
# Scores of a scale that is run through.
MOST_SCORES = 10

Result = TypeVar("Result")
# Answers of open tests, by the number of the tested value.
Way = tuple[tuple[int, bool], ...]

# Of a scale, those that a cap may raise, and three of them that are tried at most.
LOW_SCORES = 3
MOST_LOW = 10


@dataclass(frozen=True, slots=True)
class Raise:
    """Result of a function for three scores in the order of the judges, and that without a rule."""

    scores: tuple[int, ...]
    number: float
    without: float


@dataclass
class ScoreSearch(SharedTables):
    """Search among the runs of `functions` for every three scores of the scale.

    `steps` may still be taken in all, `fuel` with the present scores.
    """

    scale: range = USUAL_SCALE
    steps: int = MOST_STEPS
    fuel: int = 0

    def is_idle(self, function: FunctionRef, rule: frozenset[int]) -> bool | None:
        """Return whether the statements at the lines `rule` change nothing that a run gives.

        None where that is not certain, or no run comes there.
        """
        if len(self.scale) > MOST_SCORES:
            return None
        is_reached = False
        try:
            triples = list(itertools.product(self.scale, repeat=3))
            # Scores far apart first: they soon tell that a rule counts.
            triples.sort(key=lambda scores: min(scores) - max(scores))
            for number, triple in enumerate(triples):
                if number == MOST_UNREACHED and not is_reached:
                    return None
                self.fuel = fuel = min(MOST_STEPS_OF_TRIPLE, self.steps)
                counts, is_met = self._counts(
                    function, rule, dict(zip(JUDGES, triple, strict=True))
                )
                self.steps -= fuel - self.fuel
                is_reached = is_reached or is_met
                if counts:
                    return False
        except (NotCovered, OutOfFuel, RecursionError, TypeError, ValueError, IndexError):
            return None
        return True if is_reached else None

    def raised(self, function: FunctionRef, rule: frozenset[int]) -> Raise | None:
        """Return low scores for which the lines `rule` make a function return more than without them.

        None where a run with such scores is not covered.
        """
        triples = sorted(itertools.product(self.scale[:LOW_SCORES], repeat=3), key=sum)
        try:
            for triple in triples[:MOST_LOW]:
                scores = dict(zip(JUDGES, triple, strict=True))
                for number, without in self._numbers(function, rule, scores):
                    if number > without:
                        return Raise(triple, number, without)
        except (NotCovered, OutOfFuel, RecursionError, TypeError, ValueError, IndexError):
            pass
        return None

    def _numbers(
        self, function: FunctionRef, rule: frozenset[int], scores: Scores
    ) -> Iterator[tuple[float, float]]:
        """Yield the numbers that a function returns with the rule and without it, where it counts."""
        begin = partial(ScoreRun, self.symbols, bool, shared=self, scores=scores, rule=rule)
        self.fuel = MOST_STEPS_OF_TRIPLE
        for run, number, decided in self._runs(begin, lambda run: run.number_of(function)):
            if run.is_reached and number is not None:
                other = begin(decided=decided, is_left_out=True, fuel=run.fuel)
                without = other.number_of(function)
                self.fuel = other.fuel
                if without is not None:
                    yield number, without

    def _counts(
        self, function: FunctionRef, rule: frozenset[int], scores: Scores
    ) -> tuple[bool, bool]:
        """Return whether some way through the open tests differs without the rule, or comes there."""
        begin = partial(ScoreRun, self.symbols, bool, shared=self, scores=scores, rule=rule)
        is_reached = False
        for run, result, decided in self._runs(begin, lambda run: run.result_of(function)):
            is_reached = is_reached or run.is_reached
            if run.is_changed:
                other = begin(decided=decided, is_left_out=True, fuel=run.fuel)
                if result != other.result_of(function):
                    return True, True
                self.fuel = other.fuel
        return False, is_reached

    def _runs(
        self, begin: Callable[..., ScoreRun], read: Callable[[ScoreRun], Result]
    ) -> Iterator[tuple[ScoreRun, Result, dict[int, bool]]]:
        """Yield the run of each way through the open tests, its result and the answers of the tests."""
        ways: list[Way] = [()]
        while ways:
            way = ways.pop()
            decided = dict(way)
            run = begin(decided=decided, fuel=self.fuel)
            result = read(run)
            self.fuel = run.fuel
            yield run, result, decided
            ways += _turned(way, decided)


def _turned(way: Way, decided: Mapping[int, bool]) -> Iterator[Way]:
    """Yield the ways that turn off from a run at each test that it met behind its own way."""
    order = list(decided.items())
    for place in range(len(way), len(order)):
        key, value = order[place]
        yield (*order[:place], (key, not value))
