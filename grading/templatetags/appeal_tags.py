"""Template tags of appeals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading.appeals.decisions import Effect
from grading.appeals.queries import CriterionAppeal
from grading.core.enums import AppealState
from grading.engine.report import Criterion
from grading.models import Appeal

register = template.Library()

TONES: dict[str, str] = {
    AppealState.OPEN: "warn",
    AppealState.ESCALATED: "bad",
    AppealState.CHANGED: "good",
}


@register.simple_tag
def appeal_state(appeal: Appeal) -> SafeString:
    """Render the state as a chip."""
    state = appeal.get_state_display().lower()
    return format_html('<span class="chip {}">{}</span>', TONES.get(appeal.state, ""), state)


@register.filter
def effect(decision: str, effects: Iterable[Effect]) -> Effect | None:
    """Return the effect of a decision; None for keeping the verdict."""
    # The form sends text, the effect holds a number.
    return next((candidate for candidate in effects if str(candidate.score) == decision), None)


@register.filter
def appeal_on(
    appeals: Mapping[str, CriterionAppeal] | str, criterion: Criterion
) -> CriterionAppeal | None:
    """Return the appeal on a report's criterion; None where the page has none."""
    # A variable that a page does not have arrives as an empty string.
    return appeals.get(criterion.id) if isinstance(appeals, Mapping) else None
