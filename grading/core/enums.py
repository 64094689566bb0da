"""The closed vocabularies of the site, and which move of an audit is legal."""

from django.db import models


class Role(models.TextChoices):
    OWNER = "owner"
    INSTRUCTOR = "instructor"
    ASSISTANT = "assistant"
    STUDENT = "student"


STAFF_ROLES = (Role.OWNER, Role.INSTRUCTOR, Role.ASSISTANT)
TEACHING_ROLES = (Role.OWNER, Role.INSTRUCTOR)


class RubricState(models.TextChoices):
    DRAFT = "draft"
    PUBLISHED = "published"
    SUPERSEDED = "superseded"


class LatePolicy(models.TextChoices):
    REFUSE = "refuse", "Refuse after the due date"
    ACCEPT = "accept", "Accept and mark as late"


class ReleasePolicy(models.TextChoices):
    """What students see of a verdict before it is released."""

    PROVISIONAL = "provisional", "The whole report, marked as provisional"
    AFTER_RELEASE = "after_release", "Nothing but that it was judged"


class Batch(models.TextChoices):
    """How judges by a model are asked."""

    PER_CRITERION = "per_criterion", "One call for each judge and criterion"
    PER_JUDGE = "per_judge", "One call of each judge for all criteria"


class Bench(models.TextChoices):
    HEURISTIC = "heuristic", "Heuristic (no model)"
    LLM = "llm", "Language models"


class AuditKind(models.TextChoices):
    SELF = "self"
    PEER = "peer"
    INSTRUCTOR = "instructor"


class Renewal(models.TextChoices):
    """What an audit works out anew of what earlier audits of the same work have brought."""

    MISSING = "missing", "Only what is missing"
    OPINIONS = "opinions", "The opinions"
    EVERYTHING = "everything", "Everything"


class BulkVerb(models.TextChoices):
    """Three verbs, never mixed: the rules alone; the opinions anew; everything anew."""

    RESYNTHESISE = "resynthesise", "Re-synthesise"
    REJUDGE = "rejudge", "Re-judge"
    REAUDIT = "reaudit", "Re-audit"


class BulkState(models.TextChoices):
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"


class BulkItemState(models.TextChoices):
    """`failed` took nothing away: the verdict that stood before stands."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AppealState(models.TextChoices):
    OPEN = "open"
    ESCALATED = "escalated"
    REJUDGING = "rejudging", "Being judged again"
    KEPT = "kept", "Verdict kept"
    CHANGED = "changed", "Verdict changed"
    WITHDRAWN = "withdrawn"


APPEAL_MOVES: dict[AppealState, frozenset[AppealState]] = {
    AppealState.OPEN: frozenset(AppealState) - {AppealState.OPEN},
    AppealState.ESCALATED: frozenset(
        {AppealState.REJUDGING, AppealState.KEPT, AppealState.CHANGED, AppealState.WITHDRAWN}
    ),
    # A re-judging comes back to a person: the new opinions are read, then the appeal is answered.
    AppealState.REJUDGING: frozenset(
        {AppealState.OPEN, AppealState.ESCALATED, AppealState.KEPT, AppealState.CHANGED}
    ),
    AppealState.KEPT: frozenset(),
    AppealState.CHANGED: frozenset(),
    AppealState.WITHDRAWN: frozenset(),
}
PENDING_APPEALS = tuple(state for state, moves in APPEAL_MOVES.items() if moves)


class NoticeKind(models.TextChoices):
    """What people are written to about; each may be switched off."""

    RELEASED = "released", "A grade of mine was released or changed"
    APPEAL_ANSWERED = "appeal_answered", "An appeal of mine was answered"
    AUDIT_FAILED = "audit_failed", "An audit of mine failed"
    REPORT_RECEIVED = "report_received", "A peer's report on my work arrived"
    PEER_REMINDER = "peer_reminder", "I owe a report or an answer in a round of peers"
    HANDED_IN = "handed_in", "A hand-in of mine was received"
    COMPLAINT = "complaint", "Something was reported as abusive, or mine was answered"


class Anonymity(models.TextChoices):
    """Who knows whom in a round: under single-blind only the one who audits knows the other."""

    OPEN = "open", "Open: both know each other"
    SINGLE_BLIND = "single_blind", "Single-blind: the audited do not learn who audited them"
    DOUBLE_BLIND = "double_blind", "Double-blind: neither knows the other"


class FeedbackKind(models.TextChoices):
    SELF = "self", "On one's own work"
    PEER = "peer", "On a peer's work"


class FeedbackSource(models.TextChoices):
    PLATFORM = "platform", "This site's courtroom"
    IMPORTED = "imported", "Imported, unsigned"


class FindingState(models.TextChoices):
    """A finding first seen in the latest attempt is open, and called new (grading/findings/identity.py)."""

    OPEN = "open"
    FIXED = "fixed"
    REGRESSED = "regressed"


class ResponseKind(models.TextChoices):
    FIXED = "fixed", "Fixed"
    WILL_FIX = "will_fix", "Will be fixed"
    DEFERRED = "deferred", "Deferred"
    CONTESTED = "contested", "Contested"


class ComplaintState(models.TextChoices):
    """What a teacher made of it; nothing is hidden before."""

    OPEN = "open"
    HIDDEN = "hidden", "The report was hidden"
    DISMISSED = "dismissed", "The report stays"


# What was hidden may be shown again; what may stay is reported anew.
COMPLAINT_MOVES: dict[ComplaintState, frozenset[ComplaintState]] = {
    ComplaintState.OPEN: frozenset({ComplaintState.HIDDEN, ComplaintState.DISMISSED}),
    ComplaintState.HIDDEN: frozenset({ComplaintState.DISMISSED}),
    ComplaintState.DISMISSED: frozenset(),
}


class Opened(models.TextChoices):
    """What is marked as new to a student until they open it."""

    REPORT = "report", "The report on an attempt"
    APPEAL = "appeal", "The answer to an appeal"
    ANSWERS = "answers", "The answers to a report on a peer"


class EntryKind(models.TextChoices):
    """What an entry of the communication log tells of."""

    PROGRESS = "progress"
    BLOCKER = "blocker"
    DESIGN = "design", "Design note"


class AuditState(models.TextChoices):
    RECEIVED = "received"
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    NEEDS_REVIEW = "needs_review", "Needs review"
    DEGRADED = "degraded"
    FAILED = "failed"


AUDIT_MOVES: dict[AuditState, frozenset[AuditState]] = {
    AuditState.RECEIVED: frozenset({AuditState.QUEUED}),
    AuditState.QUEUED: frozenset({AuditState.QUEUED, AuditState.RUNNING, AuditState.FAILED}),
    AuditState.RUNNING: frozenset(
        {
            AuditState.QUEUED,
            AuditState.DONE,
            AuditState.NEEDS_REVIEW,
            AuditState.DEGRADED,
            AuditState.FAILED,
        }
    ),
    AuditState.DONE: frozenset(),
    AuditState.NEEDS_REVIEW: frozenset(),
    AuditState.DEGRADED: frozenset(),
    AuditState.FAILED: frozenset(),
}
FINAL_STATES = tuple(state for state, moves in AUDIT_MOVES.items() if not moves)
OPEN_STATES = tuple(state for state, moves in AUDIT_MOVES.items() if moves)
# A degraded report holds no verdict.
JUDGED_STATES = (AuditState.DONE, AuditState.NEEDS_REVIEW)
REPORTED_STATES = (*JUDGED_STATES, AuditState.DEGRADED)


class ApiScope(models.TextChoices):
    """What a token lets a program do of what its user may do."""

    READ = "read", "Read what I can see"
    SUBMIT = "submit", "Hand in work"
    ANSWER = "answer", "Answer findings and audit peers"
    RUBRICS = "rubrics", "Import and preview rubrics"
    EXPORTS = "exports", "Export grades"
    WEBHOOKS = "webhooks", "Manage webhooks"


class WebhookEvent(models.TextChoices):
    """What a webhook is told of; `webhook.test` is only sent on request."""

    AUDIT_FINISHED = "audit.finished", "An audit has a verdict"
    AUDIT_FAILED = "audit.failed", "An audit failed"
    GRADE_RELEASED = "grade.released", "A grade was released or changed"
    APPEAL_FILED = "appeal.filed", "An appeal was filed"
    APPEAL_ANSWERED = "appeal.answered", "An appeal was answered"
    FEEDBACK_RECEIVED = "feedback.received", "A peer's report arrived"
    TEST = "webhook.test", "A test"


WEBHOOK_EVENTS = tuple(event for event in WebhookEvent if event is not WebhookEvent.TEST)


class DeliveryState(models.TextChoices):
    """Whether an event has reached a webhook; `failed` is tried no more."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"
