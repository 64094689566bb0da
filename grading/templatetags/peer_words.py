"""What is said of rounds, pairings and reports of peers."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading.models import RoundMember
from grading.queries.peers.editions import PEER, shown_name
from grading.queries.peers.exchange import Slip
from grading.queries.peers.grants import Side

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
