"""Results before and after, in words."""

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
    """An overall score, with the points where there are any."""
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
    """One criterion's result: Safe tools: 3 (Some, 20 points) → 4 (Full, 40 points)."""
    name = next(row.name for row in reversed(pair) if row)
    return f"{name}: {_said(pair[0])} → {_said(pair[1])}"


@register.filter
def place_in_json(place: Sequence[str | int]) -> str:
    return (
        " / ".join(str(step + 1) if isinstance(step, int) else step for step in place)
        or "the whole"
    )


def _said(row: Any) -> str:
    if row is None:
        return "not asked"
    if row.excluded:
        return "left out"
    if row.score is None:
        return "waits for a person"
    beside = [row.level] if row.level else []
    if row.points is not None:
        beside.append(f"{row.points:g} points")
    return f"{row.score} ({', '.join(beside)})" if beside else str(row.score)
