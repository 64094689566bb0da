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
            AuditState.QUEUED, AuditState.DONE, AuditState.NEEDS_REVIEW,
            AuditState.DEGRADED, AuditState.FAILED,
        }
    ),
    AuditState.DONE: frozenset(),
    AuditState.NEEDS_REVIEW: frozenset(),
    AuditState.DEGRADED: frozenset(),
    AuditState.FAILED: frozenset(),
}  # fmt: skip
FINAL_STATES = tuple(state for state, moves in AUDIT_MOVES.items() if not moves)
OPEN_STATES = tuple(state for state, moves in AUDIT_MOVES.items() if moves)
REPORTED_STATES = (AuditState.DONE, AuditState.NEEDS_REVIEW, AuditState.DEGRADED)
