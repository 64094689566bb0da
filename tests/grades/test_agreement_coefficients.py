"""The figures of agreement against scikit-learn and krippendorff, and what is said where there is
nothing to say.

scikit-learn is imported where it is asked: it takes two seconds, which every worker would pay at
the top.
"""

from __future__ import annotations

import random
import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.grades.agreement import coefficients
from grading.grades.agreement.coefficients import (
    Measured,
    Offset,
    Pair,
    agreement_of,
    offsets_of,
    ordinal_alpha,
    table_of,
)

SCORE = st.integers(1, 5)
SCORED = st.lists(st.tuples(SCORE, SCORE), min_size=1, max_size=40)
JUDGED = st.lists(st.lists(SCORE, min_size=0, max_size=4), max_size=25)


def pairs_of(scored):
    return [Pair(str(n), person, court) for n, (person, court) in enumerate(scored)]


@settings(max_examples=60, deadline=None)
@given(SCORED)
def test_kappa_equals_scikit_learn(scored):
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]  # -- scikit-learn ships no types

    people, court = zip(*scored, strict=True)
    ours = coefficients.quadratic_kappa(table_of(pairs_of(scored)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it divides nothing by nothing where we say None
        theirs = cohen_kappa_score(people, court, weights="quadratic", labels=[1, 2, 3, 4, 5])

    assert ours == pytest.approx(theirs) if ours is not None else np.isnan(theirs)


@settings(max_examples=40, deadline=None)
@given(SCORED)
def test_errors_shares_and_grid_equal_scikit_learn_and_numpy(scored):
    from sklearn.metrics import confusion_matrix, mean_absolute_error

    people, court = map(np.array, zip(*scored, strict=True))
    table = table_of(pairs_of(scored))
    assert coefficients.mean_error(table) == pytest.approx(mean_absolute_error(people, court))
    assert coefficients.bias(table) == pytest.approx((court - people).mean())
    assert coefficients.exact(table) == pytest.approx((court == people).mean())
    assert coefficients.within_one(table) == pytest.approx((abs(court - people) <= 1).mean())
    grid = agreement_of(pairs_of(scored)).grid
    assert [list(row) for row in grid] == confusion_matrix(
        people, court, labels=[1, 2, 3, 4, 5]
    ).tolist()


@settings(max_examples=60, deadline=None)
@given(JUDGED)
def test_alpha_equals_krippendorff_package(units):
    ours = ordinal_alpha(units).value
    counts = [[unit.count(score) for score in range(1, 6)] for unit in units if len(unit) > 1]
    if ours is None:
        assert len({score for unit in units if len(unit) > 1 for score in unit}) < 2
    else:
        theirs = krippendorff.alpha(value_counts=counts, level_of_measurement="ordinal")
        assert ours == pytest.approx(theirs)


def test_alpha_equals_the_published_example():
    """Krippendorff's own example: four observers, twelve units, 0.815."""
    units = [
        [1, 1, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [5, 5, 5],
        [1, 1],
        [3],
    ]
    assert round(ordinal_alpha(units).value or 0, 3) == 0.815


def test_no_scores_give_a_reason_instead_of_figures():
    agreement = agreement_of([])
    assert (agreement.pairs, agreement.units, agreement.is_reliable) == (0, 0, False)
    assert {
        agreement.kappa,
        agreement.error,
        agreement.bias,
        agreement.exact,
        agreement.within_one,
    } == {Measured(None, reason=coefficients.NOT_GRADED)}


def test_one_submission_gives_values_without_intervals():
    agreement = agreement_of([Pair("a", 2, 4), Pair("a", 3, 4)])
    assert agreement.error == Measured(1.5, reason=coefficients.ONE_UNIT)
    assert (agreement.pairs, agreement.units) == (2, 1)


def test_constant_scores_give_shares_but_no_kappa():
    agreement = agreement_of(pairs_of([(3, 3)] * 30))
    assert agreement.kappa == Measured(None, reason=coefficients.NO_VARIATION)
    assert (agreement.exact, agreement.error) == (Measured(1.0, 1.0, 1.0), Measured(0.0, 0.0, 0.0))
    assert agreement.is_reliable


def test_constant_side_gives_no_kappa_although_formula_gives_zero():
    scored = pairs_of([(3, 2), (3, 4), (3, 5)])
    assert coefficients.quadratic_kappa(table_of(scored)) == 0.0
    assert agreement_of(scored).kappa == Measured(None, reason=coefficients.ONE_SIDED)


def test_kappa_undefined_in_most_resamples_has_no_interval():
    agreement = agreement_of(pairs_of([(3, 3), (2, 2)]))
    assert agreement.kappa == Measured(1.0, reason=coefficients.RARELY_DEFINED)


def test_judges_without_shared_or_varied_scores_have_no_alpha():
    assert ordinal_alpha([[3], [4]]) == Measured(None, reason=coefficients.NO_PAIRS)
    assert ordinal_alpha([[3, 3], [3, 3, 3], [5]]) == Measured(
        None, reason=coefficients.NO_VARIATION
    )


def test_intervals_do_not_depend_on_order():
    scored = pairs_of([(1, 2), (3, 3), (5, 4), (2, 2), (4, 4), (3, 5)])
    assert agreement_of(scored) == agreement_of(scored[::-1])


def test_interval_contains_value_and_narrows_with_more_submissions():
    few = [(1, 2), (3, 3), (5, 4), (2, 2), (4, 4)]
    narrow, wide = agreement_of(pairs_of(few * 20)).error, agreement_of(pairs_of(few)).error
    assert (wide.low or 0) <= (wide.value or 0) <= (wide.high or 0)
    assert (narrow.high or 0) - (narrow.low or 0) < (wide.high or 0) - (wide.low or 0)


def test_two_graders_of_one_submission_are_resampled_together():
    """Doubling every score says nothing new: the interval stays as wide."""
    scored = [("a", 1, 3), ("b", 3, 3), ("c", 5, 4), ("d", 2, 2)]
    once = [Pair(*item) for item in scored]
    assert agreement_of(once * 2).error == agreement_of(once).error


def test_interval_coverage_is_close_to_95_percent():
    """Twenty samples of forty scores that differ by 1 half of the time: one miss in twenty is
    meant, three are luck.
    """
    source = random.Random(7)
    samples = [[(3, 3 + source.randrange(2)) for _ in range(40)] for _ in range(20)]
    agreement = [agreement_of(pairs_of(sample)).exact for sample in samples]
    assert sum(not (item.low or 0) <= 0.5 <= (item.high or 0) for item in agreement) <= 3


def test_offsets_compare_with_other_judges_and_need_them():
    units = [{"P": 1, "D": 5, "T": 3}, {"P": 2, "D": 4}, {"T": 5}]
    assert offsets_of(units) == {"P": Offset(-2.5, 2), "D": Offset(2.5, 2), "T": Offset(0.0, 1)}
    assert offsets_of([{"P": 4}]) == {"P": Offset(None, 0)}
