"""Small helps of the page about what was exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django import template

from grading.queries.peers.searches import Search

register = template.Library()


@register.filter
def of_assignment(searches: Mapping[int, Search], assignment_id: int) -> Search | None:
    """The last look into the repository that was handed in there."""
    return searches.get(assignment_id)


@register.filter
def first_and_last(scores: Sequence[float]) -> tuple[float, float] | None:
    """What the first attempt came to and the newest; None where there are not two."""
    return (scores[0], scores[-1]) if len(scores) > 1 else None
