"""Choices of the site's fields, and the legal moves of audits, appeals and complaints."""

from django.db import models


class Role(models.TextChoices):
    OWNER = "owner"
    INSTRUCTOR = "instructor"
    ASSISTANT = "assistant"
    STUDENT = "student"


STAFF_ROLES = (Role.OWNER, Role.INSTRUCTOR, Role.ASSISTANT)
TEACHING_ROLES = (Role.OWNER, Role.INSTRUCTOR)


class InvitationState(models.TextChoices):
    """State of an invitation: a membership begins with an acceptance, never before."""

    INVITED = "invited"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    LEFT = "left"
    REVOKED = "revoked", "Withdrawn"


INVITATION_MOVES: dict[InvitationState, frozenset[InvitationState]] = {
    # LEFT: a member who was offered another role.
    InvitationState.INVITED: frozenset(set(InvitationState) - {InvitationState.INVITED}),
    # INVITED again: a member is offered another role.
    InvitationState.ACCEPTED: frozenset({InvitationState.INVITED, InvitationState.LEFT}),
    # Only the person can come back; staff cannot ask again.
    InvitationState.DECLINED: frozenset({InvitationState.ACCEPTED}),
    InvitationState.LEFT: frozenset({InvitationState.ACCEPTED}),
    # Staff took it back before an answer, and may invite again. One letter per address holds.
    InvitationState.REVOKED: frozenset({InvitationState.INVITED}),
}


class RubricState(models.TextChoices):
    DRAFT = "draft"
    PUBLISHED = "published"
    SUPERSEDED = "superseded"


class LatePolicy(models.TextChoices):
    REFUSE = "refuse", "Refuse after the due date"
    ACCEPT = "accept", "Accept and mark as late"


class ExtensionEnding(models.TextChoices):
    """End of an extension; a current one has none."""

    WITHDRAWN = "withdrawn"
    REPLACED = "replaced"


class ReleasePolicy(models.TextChoices):
    """Visibility of a verdict to students before its release."""

    PROVISIONAL = "provisional", "The whole report, marked as provisional"
    AFTER_RELEASE = "after_release", "Only that it was judged"


class TeamFormation(models.TextChoices):
    """Maker of the teams that hand in for an assignment."""

    NONE = "none", "No teams: each student submits alone"
    GROUPS = "groups", "Teams from the groups on the roster"
    STUDENTS = "students", "Students form teams themselves"
    STAFF = "staff", "Staff form the teams"


class CountingPolicy(models.TextChoices):
    """Choice of the attempt whose verdict is the grade; a pinned attempt goes before it."""

    LATEST = "latest", "The latest attempt with a verdict"
    BEST = "best", "The attempt with the best score; of equal ones the latest"
    CHOSEN = "chosen", "The attempt that the student chooses; until then the latest with a verdict"


class Batch(models.TextChoices):
    """Grouping of calls to a judge's model."""

    PER_CRITERION = "per_criterion", "One call per judge and criterion"
    PER_JUDGE = "per_judge", "One call per judge for all criteria"


class Bench(models.TextChoices):
    HEURISTIC = "heuristic", "Heuristic (no model)"
    LLM = "llm", "Language models"


class AuditKind(models.TextChoices):
    SELF = "self"
    PEER = "peer"
    INSTRUCTOR = "instructor"


class Renewal(models.TextChoices):
    """Parts that an audit computes again instead of reusing earlier results."""

    MISSING = "missing", "Only the missing parts"
    OPINIONS = "opinions", "The opinions"
    EVERYTHING = "everything", "Everything"


class BulkVerb(models.TextChoices):
    """Kinds of bulk run: apply the rules again, judge again, or audit everything again."""

    RESYNTHESISE = "resynthesise", "Re-synthesise"
    REJUDGE = "rejudge", "Re-judge"
    REAUDIT = "reaudit", "Re-audit"


class AccessKind(models.TextChoices):
    """Kinds of access to a private repository."""

    TOKEN = "token", "Token (https)"
    DEPLOY_KEY = "deploy_key", "Deploy key (ssh)"
    GITHUB_APP = "github_app", "GitHub App"


class RepositoryState(models.TextChoices):
    """States of a repository that is made of a template."""

    WAITING = "waiting", "being made"
    MADE = "made", "made"
    FAILED = "failed", "failed"
    GONE = "gone", "deleted at GitHub"


class CollaboratorState(models.TextChoices):
    """States of a student at a repository that was made of a template."""

    WAITING = "waiting", "being invited"
    INVITED = "invited", "invited"
    ACCEPTED = "accepted", "accepted"
    FAILED = "failed", "failed"


class RepositoryPermission(models.TextChoices):
    """Rights of a student to their repository, in GitHub's words."""

    PUSH = "push", "Write"
    MAINTAIN = "maintain", "Maintain"
    ADMIN = "admin", "Admin"


class PushState(models.TextChoices):
    """States of a push to a linked branch; all but the first are final."""

    WAITING = "waiting", "waits"
    SUBMITTED = "submitted", "submitted"
    SUPERSEDED = "superseded", "superseded by a later push"
    REFUSED = "refused", "refused"
    LATE = "late", "too late"


class Forge(models.TextChoices):
    """Programs of code hosts, as their webhooks show them."""

    GITHUB = "github", "GitHub"
    GITLAB = "gitlab", "GitLab"
    GITEA = "gitea", "Gitea or Forgejo"


class PushAnswer(models.TextChoices):
    """Extent of the answer on a commit, which everybody reads who can read the repository."""

    FULL = "full", "Result and findings, as far as you may see them"
    DONE = "done", "Only that it was audited"
    NOTHING = "nothing", "Nothing"


class BulkState(models.TextChoices):
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"


class BulkItemState(models.TextChoices):
    """State of an item; a `failed` one keeps its earlier verdict."""

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
    # After re-judging a person reads the new opinions and answers the appeal.
    AppealState.REJUDGING: frozenset(
        {AppealState.OPEN, AppealState.ESCALATED, AppealState.KEPT, AppealState.CHANGED}
    ),
    AppealState.KEPT: frozenset(),
    AppealState.CHANGED: frozenset(),
    AppealState.WITHDRAWN: frozenset(),
}
PENDING_APPEALS = tuple(state for state, moves in APPEAL_MOVES.items() if moves)


class NoticeKind(models.TextChoices):
    """Kinds of email; people may turn each of them off."""

    RELEASED = "released", "One of my grades was released or changed"
    APPEAL_ANSWERED = "appeal_answered", "One of my appeals was answered"
    AUDIT_FAILED = "audit_failed", "One of my audits failed"
    REPORT_RECEIVED = "report_received", "I received a peer report on my work"
    PEER_REMINDER = "peer_reminder", "I have a peer report or an answer due"
    HANDED_IN = "handed_in", "One of my submissions was received"
    COMPLAINT = "complaint", "A report was reported as abusive, or my complaint was decided"
    APPROVAL = "approval", "An organization asks for approval, or mine was answered"
    INVITATION = "invitation", "An organization invited me"
    MENTIONED = "mentioned", "A colleague mentioned me in a staff note"
    APPEAL_ASSIGNED = "appeal_assigned", "An appeal was handed to me"
    DUE_SOON = "due_soon", "An assignment is due soon and I have not handed in"
    EXTENSION = "extension", "I was given an extension, or one ended"
    STAFF_DAILY = "staff_daily", "Every day, how much work waits for staff"
    DIGEST = "digest", "My emails of the day in one"


# Answers to a request of one's own are always sent, and operators belong to no organization.
# Invitations go to addresses, at most one each: there is nothing to turn off. A digest ends with
# the daily emails that it holds.
OPTIONAL_NOTICES = tuple(
    kind
    for kind in NoticeKind
    if kind not in {NoticeKind.APPROVAL, NoticeKind.INVITATION, NoticeKind.DIGEST}
)
# What needs an act before the next morning is sent at once: a failed audit, a date.
DAILY_NOTICES = tuple(
    kind
    for kind in OPTIONAL_NOTICES
    if kind
    not in {
        NoticeKind.AUDIT_FAILED,
        NoticeKind.DUE_SOON,
        NoticeKind.EXTENSION,
        NoticeKind.STAFF_DAILY,
    }
)


class EmailTiming(models.TextChoices):
    """Choice of a person for a kind of email."""

    NOW = "now", "At once"
    DAILY = "daily", "Once a day"
    OFF = "off", "Off"


class Anonymity(models.TextChoices):
    """Anonymity of a round: under single-blind only the auditor knows the other."""

    OPEN = "open", "Open: both students know each other"
    SINGLE_BLIND = "single_blind", "Single-blind: auditees don't know their auditors"
    DOUBLE_BLIND = "double_blind", "Double-blind: neither student knows the other"


class FeedbackKind(models.TextChoices):
    SELF = "self", "On the student's own work"
    PEER = "peer", "On a peer's work"


class FeedbackSource(models.TextChoices):
    PLATFORM = "platform", "This site's courtroom"
    IMPORTED = "imported", "Imported, unsigned"


class EditionState(models.TextChoices):
    """State of the redacted copy of a long report."""

    WAITING = "waiting", "Waits for a worker"
    MADE = "made", "Made"
    FAILED = "failed", "Could not be made"


class FindingState(models.TextChoices):
    """State of a finding; an open one first seen in the latest attempt is displayed as new."""

    OPEN = "open"
    FIXED = "fixed"
    REGRESSED = "regressed"


class ResponseKind(models.TextChoices):
    FIXED = "fixed", "Fixed"
    WILL_FIX = "will_fix", "Will be fixed"
    DEFERRED = "deferred", "Deferred"
    CONTESTED = "contested", "Contested"
    # Only findings that no audit of this site has seen.
    DISMISSED = "dismissed", "Dismissed"


class ComplaintState(models.TextChoices):
    """Decision on a complaint; the report stays visible until then."""

    OPEN = "open"
    HIDDEN = "hidden", "The report was hidden"
    DISMISSED = "dismissed", "The report stays"


# A hidden report may be shown again; one that stays needs a new complaint.
COMPLAINT_MOVES: dict[ComplaintState, frozenset[ComplaintState]] = {
    ComplaintState.OPEN: frozenset({ComplaintState.HIDDEN, ComplaintState.DISMISSED}),
    ComplaintState.HIDDEN: frozenset({ComplaintState.DISMISSED}),
    ComplaintState.DISMISSED: frozenset(),
}


class Opened(models.TextChoices):
    """Kinds of pages that are marked as new until the student opens them."""

    REPORT = "report", "The report on an attempt"
    APPEAL = "appeal", "The answer to an appeal"
    ANSWERS = "answers", "The answers to a report on a peer"
    COMMENTS = "comments", "The comments on an attempt"


class CommentPlace(models.TextChoices):
    """Places of a submission that a comment of staff is on."""

    WORK = "work", "The whole work"
    CRITERION = "criterion", "A criterion"
    CODE = "code", "Lines of code"
    PAGE = "page", "A page of the PDF"


class EntryKind(models.TextChoices):
    """Kinds of entries in the communication log."""

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
    # QUEUED again: its job failed before it could claim the audit.
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
    """Scopes of an API token, within the permissions of its user."""

    READ = "read", "Read what I can see"
    SUBMIT = "submit", "Submit work"
    ANSWER = "answer", "Answer findings and audit peers"
    RUBRICS = "rubrics", "Import and preview rubrics"
    EXPORTS = "exports", "Export grades"
    EXTENSIONS = "extensions", "Give extensions"
    COMMENTS = "comments", "Write and answer comments"
    PEOPLE = "people", "Add students and import rosters"
    WEBHOOKS = "webhooks", "Manage webhooks"


class WebhookEvent(models.TextChoices):
    """Events of webhooks; `webhook.test` is sent only on request."""

    AUDIT_FINISHED = "audit.finished", "An audit has a verdict"
    AUDIT_FAILED = "audit.failed", "An audit failed"
    GRADE_RELEASED = "grade.released", "A grade was released or changed"
    APPEAL_FILED = "appeal.filed", "An appeal was filed"
    APPEAL_ANSWERED = "appeal.answered", "An appeal was answered"
    FEEDBACK_RECEIVED = "feedback.received", "A peer's report arrived"
    TEST = "webhook.test", "A test"


WEBHOOK_EVENTS = tuple(event for event in WebhookEvent if event is not WebhookEvent.TEST)


class DeliveryState(models.TextChoices):
    """State of a delivery; a `failed` one is not tried again."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class LaunchKind(models.TextChoices):
    """Message of a learning platform that opens the site."""

    RESOURCE = "resource", "Open a link"
    DEEP_LINKING = "deep_linking", "Choose an assignment"


class LineItemOrigin(models.TextChoices):
    """Maker of a column in a platform's gradebook."""

    PLATFORM = "platform", "The platform, for a link"
    SITE = "site", "This site"


class ScoreState(models.TextChoices):
    """Outcome of sending a grade to a platform's gradebook."""

    WAITING = "waiting"
    SENT = "sent"
    REFUSED = "refused", "Refused by the platform"
    OVERRIDDEN = "overridden", "A teacher's score stands there"
    OLDER = "older", "The platform has a newer one"
    UNKNOWN = "unknown", "The platform doesn't know the student"
    NO_SCORE = "no_score", "There is no score to send"
    WITHDRAWN = "withdrawn", "Withdrawn there"
    FAILED = "failed", "The platform did not answer"
