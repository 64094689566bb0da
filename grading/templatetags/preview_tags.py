"""Template tags of the preview: results before and after, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template

register = template.Library()


@register.filter
def mean(value: float | None) -> str:
    return "—" if value is None else f"{value:.2f}"


@register.simple_tag
def result(marks: Any) -> str:
    """Return an overall score, with the points if there are any."""
    if marks.overall_score is None:
        return "no score yet"

    points = (
        f", {marks.points_earned:g} of {marks.points_possible:g} points"
        if marks.points_possible
        else ""
    )
    return f"{marks.overall_score:.1f}{points}"


@register.simple_tag
def moved_from_to(pair: Sequence[Any]) -> str:
    """Return one criterion's change: Safe tools: 3 (Some, 20 points) → 4 (Full, 40 points)."""
    # The new name, unless the criterion was removed.
    name = next(row.name for row in reversed(pair) if row)
    return f"{name}: {_result_text(pair[0])} → {_result_text(pair[1])}"


@register.filter
def place_in_json(place: Sequence[str | int]) -> str:
    return (
        " / ".join(str(step + 1) if isinstance(step, int) else step for step in place)
        or "whole rubric"
    )


def _result_text(row: Any) -> str:
    if row is None:
        return "not in the rubric"
    if row.excluded:
        return "excluded"
    if row.score is None:
        return "needs review"

    details = [row.level] if row.level else []
    if row.points is not None:
        details.append(f"{row.points:g} points")
    return f"{row.score} ({', '.join(details)})" if details else str(row.score)
