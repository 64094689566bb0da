"""What is said of rounds, pairings and reports of peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading.core.pairing_access import Side
from grading.models import RoundMember
from grading.peer_review.exchange.queries import Slip
from grading.peer_review.feedback.queries import PEER, Search, shown_name

register = template.Library()

STATES: dict[str, tuple[str, str]] = {
    "owed": ("owed", "warn"),
    "awaited": ("not there yet", ""),
    "running": ("being audited", ""),
    "failed": ("failed: try again", "bad"),
    "done": ("not read yet", "warn"),
    "read": ("read", ""),
    "answered": ("answered", "good"),
    "hidden": ("hidden by your teachers", ""),
}
OF_ONES_OWN: dict[str, tuple[str, str]] = {
    **STATES,
    "done": ("there", "good"),
    "read": ("read by your peer", "good"),
}


@register.simple_tag
def slip_state(slip: Slip, side: Side) -> SafeString:
    """The state as a chip: to who generated it, what has become of it; to who received it, what is to be done."""
    words, tone = (OF_ONES_OWN if side == "auditor" else STATES)[slip.state]
    return format_html('<span class="chip {}">{}</span>', tone, words)


@register.simple_tag
def other_name(member: RoundMember | None, side: Side) -> str:
    """Who stands on the other side, as a reader on this side may know them."""
    return PEER if member is None else shown_name(member, side=side)


@register.filter
def of_assignment(searches: Mapping[int, Search], assignment_id: int) -> Search | None:
    """The last look into the repository that was handed in there."""
    return searches.get(assignment_id)


@register.filter
def first_and_last(scores: Sequence[float]) -> tuple[float, float] | None:
    """What the first attempt came to and the newest; None where there are not two."""
    return (scores[0], scores[-1]) if len(scores) > 1 else None


@register.filter
def lasting(time: timedelta | None) -> str:
    """In hours up to two days, then in days; a dash where nothing was measured."""
    if time is None:
        return "—"
    hours = time.total_seconds() / 3600
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.1f} days"
