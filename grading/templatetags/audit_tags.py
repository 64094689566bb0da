"""An audit's state and score in words: a score only where there is a verdict, words everywhere else."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading.core.enums import AuditState
from grading.core.form_fingerprint import fingerprint_of_criterion
from grading.models import Audit
from grading.submissions.queries import WITHDRAWN, Attempt

register = template.Library()

STATE_WORDS: dict[str, tuple[str, str]] = {
    AuditState.RECEIVED: ("received", ""),
    AuditState.QUEUED: ("in the queue", ""),
    AuditState.RUNNING: ("being audited", ""),
    AuditState.DONE: ("done", "good"),
    AuditState.NEEDS_REVIEW: ("needs review", "warn"),
    AuditState.DEGRADED: ("not judged", "warn"),
    AuditState.FAILED: ("failed", "bad"),
}


@register.simple_tag
def audit_state(audit: Audit | None) -> SafeString:
    """The state as a chip; no audit means nothing was handed in."""
    if audit is not None and audit.failure_code == WITHDRAWN:
        return format_html('<span class="chip">{}</span>', "taken back")
    return state_chip(audit.state if audit else None)


@register.simple_tag
def state_chip(state: str | None) -> SafeString:
    """The same, of a state by itself."""
    if state is None:
        return format_html('<span class="soft">{}</span>', "nothing handed in")
    words, tone = STATE_WORDS[state]
    return format_html('<span class="chip {}">{}</span>', tone, words)


@register.simple_tag
def attempt_state(attempt: Attempt) -> SafeString:
    """As audit_state, for the student: of a verdict that is withheld they learn only that there is one."""
    if attempt.visibility == "withheld":
        return format_html('<span class="chip">{}</span>', "judged")
    if attempt.visibility == "released":
        return format_html('<span class="chip good">{}</span>', "released")
    return audit_state(attempt.audit)


@register.simple_tag
def attempt_counts(attempt: Attempt) -> SafeString | str:
    """Which of the attempts is the grade, or would be by what is provisional; "" for the others."""
    if not attempt.counts:
        return ""
    words = "your grade" if attempt.visibility == "released" else "counts"
    return format_html(' <span class="chip good">{}</span>', words)


@register.simple_tag
def attempt_score(attempt: Attempt) -> SafeString | str:
    """The overall score out of 5, a dash where there is none, and whether it may still change."""
    if attempt.visibility == "withheld":
        return format_html('<span class="fine soft">{}</span>', "not released yet")
    score = score_of_five(attempt.score)
    if attempt.visibility != "provisional":
        return score
    return format_html('{} <span class="fine soft">{}</span>', score, "provisional")


@register.filter
def score_of_five(score: float | None) -> str:
    """An overall score in words; a dash where there is none."""
    return "—" if score is None else f"{score:.1f} of 5"


@register.simple_tag
def by_hand_seen(audit: Audit, criterion: Any) -> str:
    """What the form for a score by hand sends along; `criterion` is a CriterionView."""
    counts = criterion.counts
    return fingerprint_of_criterion(
        audit.report_digest, counts.id, counts.score, counts.override_reason
    )
