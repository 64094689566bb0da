"""Models of the site. Every row belongs to one organization, but for it and what people own."""

from grading.models.activity import Activity
from grading.models.agreement import BlindGrade, BlindSample
from grading.models.api_token import ApiToken
from grading.models.appeal import Appeal
from grading.models.audit import Audit
from grading.models.bulk import BulkItem, BulkRun
from grading.models.cohort import Cohort, Enrollment
from grading.models.complaint import Complaint
from grading.models.finding import Finding, FindingHelp, FindingResponse, FindingSighting
from grading.models.grade import Grade, Override, SupersededReport
from grading.models.idempotency import IdempotencyKey
from grading.models.invitation import Invitation
from grading.models.model_bench import ModelUsage, OrganizationBench
from grading.models.notice import Notice, NoticeOptOut
from grading.models.opening import Opening
from grading.models.peers import (
    CommunicationEntry,
    FeedbackEdition,
    FeedbackReport,
    Pairing,
    PairingRound,
    RoundIdentities,
    RoundMember,
)
from grading.models.personal_calendar import PersonalCalendar
from grading.models.record import AuditContents, CriterionVerdict, EvidenceRecord, OpinionRecord
from grading.models.rubric import Rubric, RubricVersion
from grading.models.submission import Assignment, Submission
from grading.models.tenant import Membership, Organization
from grading.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "Activity",
    "ApiToken",
    "Appeal",
    "Assignment",
    "Audit",
    "AuditContents",
    "BlindGrade",
    "BlindSample",
    "BulkItem",
    "BulkRun",
    "Cohort",
    "CommunicationEntry",
    "Complaint",
    "CriterionVerdict",
    "Enrollment",
    "EvidenceRecord",
    "FeedbackEdition",
    "FeedbackReport",
    "Finding",
    "FindingHelp",
    "FindingResponse",
    "FindingSighting",
    "Grade",
    "IdempotencyKey",
    "Invitation",
    "Membership",
    "ModelUsage",
    "Notice",
    "NoticeOptOut",
    "Opening",
    "OpinionRecord",
    "Organization",
    "OrganizationBench",
    "Override",
    "Pairing",
    "PairingRound",
    "PersonalCalendar",
    "RoundIdentities",
    "RoundMember",
    "Rubric",
    "RubricVersion",
    "Submission",
    "SupersededReport",
    "Webhook",
    "WebhookDelivery",
]
