"""An audit's state and score in words: a score only where there is a verdict, words everywhere else."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading.enums import AuditState
from grading.models import Audit

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
    if audit is None:
        return format_html('<span class="soft">{}</span>', "nothing handed in")
    words, tone = STATE_WORDS[audit.state]
    return format_html('<span class="chip {}">{}</span>', tone, words)


@register.simple_tag
def audit_score(audit: Audit | None) -> str:
    """The overall score out of 5; a dash where there is none."""
    if audit is None or audit.state != AuditState.DONE or audit.overall_score is None:
        return "—"
    return f"{audit.overall_score:.1f} of 5"
