"""Appeals in words, and the one beside a criterion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading.appeals.decisions import Effect
from grading.appeals.queries import Beside
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
    """The state as a chip."""
    state = appeal.get_state_display().lower()
    return format_html('<span class="chip {}">{}</span>', TONES.get(appeal.state, ""), state)


@register.filter
def effect(decision: str, effects: Iterable[Effect]) -> Effect | None:
    """What a decision would come to; None for keeping what was told."""
    return next((each for each in effects if str(each.score) == decision), None)


@register.filter
def beside(appeals: Mapping[str, Beside] | str, criterion: Criterion) -> Beside | None:
    """Return the appeal beside a criterion of a report; None where the page knows of none."""
    return appeals.get(criterion.id) if isinstance(appeals, Mapping) else None
