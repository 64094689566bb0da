"""Template tags for rounds, pairings and peer reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading.core.pairing_access import Side
from grading.models import RoundMember
from grading.peer_review.exchange.queries import ReportSlot
from grading.peer_review.feedback.queries import PEER, Search, shown_name

register = template.Library()

SUBJECT_STATES: dict[str, tuple[str, str]] = {
    "owed": ("due", "warn"),
    "awaited": ("not submitted", ""),
    "running": ("audit running", ""),
    "failed": ("failed: retry", "bad"),
    "done": ("unread", "warn"),
    "read": ("read", ""),
    "answered": ("answered", "good"),
    "hidden": ("hidden by your teachers", ""),
}
# An auditor has done their part where the subject still has to read.
AUDITOR_STATES: dict[str, tuple[str, str]] = {
    **SUBJECT_STATES,
    "done": ("submitted", "good"),
    "read": ("read by your peer", "good"),
}


@register.simple_tag
def slot_state(slot: ReportSlot, side: Side) -> SafeString:
    """Return the state as a chip, worded for the auditor or the subject of the report."""
    words, tone = (AUDITOR_STATES if side == "auditor" else SUBJECT_STATES)[slot.state]
    return format_html('<span class="chip {}">{}</span>', tone, words)


@register.simple_tag
def other_name(member: RoundMember | None, side: Side) -> str:
    """Return the name of the other student as a reader on this side may know it."""
    return PEER if member is None else shown_name(member, side=side)


@register.filter
def of_assignment(searches: Mapping[int, Search], assignment_id: int) -> Search | None:
    """Return the latest search of the repository submitted to that assignment."""
    return searches.get(assignment_id)


@register.filter
def first_and_last(scores: Sequence[float]) -> tuple[float, float] | None:
    """Return the scores of the first and newest attempt; None with fewer than two."""
    return (scores[0], scores[-1]) if len(scores) > 1 else None


@register.filter
def lasting(time: timedelta | None) -> str:
    """Format in hours up to two days, then in days; a dash for None."""
    if time is None:
        return "—"

    hours = time.total_seconds() / 3600
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.1f} days"
