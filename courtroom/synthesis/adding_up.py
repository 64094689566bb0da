"""Adding up the criteria, step by step: what is left out, the overall score, the points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from courtroom.models.audit_report import CriterionResult, RuleStep
from courtroom.models.rubric import Rubric
from courtroom.synthesis.score_arithmetic import (
    decimal,
    exact,
    overall_score,
    weighted_mean_formula,
    weighted_scores,
)


def steps_of_sums(rubric: Rubric, results: Sequence[CriterionResult]) -> Iterator[RuleStep]:
    """Yield the criteria that are left out by the rule that leaves them out, then both sums."""
    yield from _left_out(results)
    yield _overall(rubric, results)
    if any(result.max_points is not None for result in results):
        yield _points(results)


def _left_out(results: Sequence[CriterionResult]) -> Iterator[RuleStep]:
    names: dict[tuple[str, bool], list[str]] = {}
    for result in results:
        if result.final_score is None:
            # The last rule is the one that took the score away.
            names.setdefault((result.resolution[-1], result.excluded), []).append(result.name)
    for (rule, is_excluded), group in names.items():
        output = "in neither sum" if is_excluded else "in no sum until a person gives a score"
        yield RuleStep(rule=rule, fired=True, input=", ".join(group), output=output)


def _overall(rubric: Rubric, results: Sequence[CriterionResult]) -> RuleStep:
    weighted = weighted_scores(rubric, results)
    overall = overall_score(rubric, results)
    if overall is None:
        return RuleStep(
            rule="overall", fired=True, input="no criterion has a score", output="no overall score"
        )
    scored = [result for result in results if result.final_score is not None]
    is_plain = {weight for weight, _ in weighted} == {Fraction(1)}
    scores = (
        f"{result.name} {score}" + ("" if is_plain else f" (weight {decimal(weight)})")
        for result, (weight, score) in zip(scored, weighted, strict=True)
    )
    output = f"{weighted_mean_formula(weighted)}, rounded half up to one decimal: {overall:.1f}"
    return RuleStep(rule="overall", fired=True, input="; ".join(scores), output=output)


def _points(results: Sequence[CriterionResult]) -> RuleStep:
    scored = [
        (result.name, exact(result.points), exact(result.max_points))
        for result in results
        if result.points is not None and result.max_points is not None
    ]
    if not scored:
        return RuleStep(
            rule="sums", fired=True, input="no criterion has points", output="no points"
        )
    names = "; ".join(
        f"{name} {decimal(points)} of {decimal(most)}" for name, points, most in scored
    )
    earned = _sum([points for _, points, _ in scored])
    possible = _sum([most for _, _, most in scored])
    return RuleStep(rule="sums", fired=True, input=names, output=f"{earned} of {possible} points")


def _sum(values: Sequence[Fraction]) -> str:
    total = decimal(sum(values, Fraction(0)))
    return f"{' + '.join(map(decimal, values))} = {total}" if len(values) > 1 else total
