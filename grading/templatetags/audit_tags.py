"""Chips and words for the state and score of audits and attempts."""

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
    """Return the state as a chip; None means that nothing was submitted."""
    # It is stored as failed, but a withdrawal is no failure.
    if audit is not None and audit.failure_code == WITHDRAWN:
        return format_html('<span class="chip">{}</span>', "withdrawn")
    return state_chip(audit.state if audit else None)


@register.simple_tag
def state_chip(state: str | None) -> SafeString:
    """Return the chip of a state; None means that nothing was submitted."""
    if state is None:
        return format_html('<span class="soft">{}</span>', "not submitted")
    words, tone = STATE_WORDS[state]
    return format_html('<span class="chip {}">{}</span>', tone, words)


@register.simple_tag
def attempt_state(attempt: Attempt) -> SafeString:
    """Return the state for the student; a withheld verdict shows only that there is one."""
    if attempt.visibility == "withheld":
        return format_html('<span class="chip">{}</span>', "judged")
    if attempt.visibility == "released":
        return format_html('<span class="chip good">{}</span>', "released")
    return audit_state(attempt.audit)


@register.simple_tag
def counts_chip() -> SafeString:
    """Return the chip of the attempt that is the grade or would be, the same on all pages."""
    return format_html(' <span class="chip good">{}</span>', "counts")


@register.simple_tag
def attempt_counts(attempt: Attempt) -> SafeString | str:
    """Return the chip of the attempt that counts; "" for any other."""
    return counts_chip() if attempt.counts else ""


@register.simple_tag
def graded_attempt(attempt: int, released: str | int | None) -> SafeString:
    """Return which attempt counts, for staff: the released one until `attempt` is released."""
    if released in (None, "", attempt, str(attempt)):
        return format_html("Attempt {}{}", attempt, counts_chip())
    return format_html(
        'Attempt {}{} <span class="fine soft">attempt {} from the next release</span>',
        released,
        counts_chip(),
        attempt,
    )


@register.simple_tag
def attempt_score(attempt: Attempt) -> SafeString | str:
    """Return the score of 5 or a dash, marked while it is provisional."""
    if attempt.visibility == "withheld":
        return format_html('<span class="fine soft">{}</span>', "not released yet")

    score = score_of_five(attempt.score)
    if attempt.visibility != "provisional":
        return score
    return format_html('{} <span class="fine soft">{}</span>', score, "provisional")


@register.filter
def score_of_five(score: float | None) -> str:
    """Return an overall score in words; a dash where there is none."""
    return "—" if score is None else f"{score:.1f} of 5"


@register.simple_tag
def criterion_fingerprint(audit: Audit, criterion: Any) -> str:
    """Return the fingerprint that the override form compares; `criterion` is a CriterionView."""
    # The form must compare these same values, or it refuses every override.
    counts = criterion.counts
    return fingerprint_of_criterion(
        audit.report_digest, counts.id, counts.score, counts.override_reason
    )
