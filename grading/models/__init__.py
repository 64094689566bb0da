"""Models of the site. Every row belongs to one organization, but for it and what people own."""

from grading.models.activity import Activity
from grading.models.agreement import BlindGrade, BlindSample
from grading.models.api_token import ApiToken
from grading.models.appeal import Appeal
from grading.models.audit import Audit
from grading.models.bulk import BulkItem, BulkRun
from grading.models.cohort import Cohort, Enrollment
from grading.models.comment import BankedComment, Comment, CommentReply
from grading.models.complaint import Complaint
from grading.models.extension import Extension
from grading.models.finding import Finding, FindingHelp, FindingResponse, FindingSighting
from grading.models.grade import Grade, GradeAdjustment, Override, SupersededReport
from grading.models.grading_queue import ReviewMark, ReviewPresence, ReviewShare
from grading.models.held_slot import HeldSlot
from grading.models.idempotency import IdempotencyKey
from grading.models.invitation import Invitation
from grading.models.join_link import JoinLink
from grading.models.lti import (
    LtiAccount,
    LtiContext,
    LtiCourseLink,
    LtiDeployment,
    LtiKey,
    LtiLaunch,
    LtiLineItem,
    LtiMember,
    LtiRegistration,
    LtiResourceLink,
    LtiScore,
)
from grading.models.model_bench import ModelUsage, OrganizationBench
from grading.models.notice import DueReminder, Notice, NoticeDaily, NoticeOptOut
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
from grading.models.push import Push, PushLink
from grading.models.record import AuditContents, CriterionVerdict, EvidenceRecord, OpinionRecord
from grading.models.repository_access import RepositoryAccess, RepositoryGrant
from grading.models.repository_template import (
    RepositoryMember,
    RepositoryTemplate,
    StudentRepository,
)
from grading.models.rubric import Rubric, RubricVersion
from grading.models.staff_thread import StaffNote
from grading.models.submission import Assignment, Submission
from grading.models.team import Team, TeamMember
from grading.models.tenant import Membership, Organization
from grading.models.upload import OrphanedUpload
from grading.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "Activity",
    "ApiToken",
    "Appeal",
    "Assignment",
    "Audit",
    "AuditContents",
    "BankedComment",
    "BlindGrade",
    "BlindSample",
    "BulkItem",
    "BulkRun",
    "Cohort",
    "Comment",
    "CommentReply",
    "CommunicationEntry",
    "Complaint",
    "CriterionVerdict",
    "DueReminder",
    "Enrollment",
    "EvidenceRecord",
    "Extension",
    "FeedbackEdition",
    "FeedbackReport",
    "Finding",
    "FindingHelp",
    "FindingResponse",
    "FindingSighting",
    "Grade",
    "GradeAdjustment",
    "HeldSlot",
    "IdempotencyKey",
    "Invitation",
    "JoinLink",
    "LtiAccount",
    "LtiContext",
    "LtiCourseLink",
    "LtiDeployment",
    "LtiKey",
    "LtiLaunch",
    "LtiLineItem",
    "LtiMember",
    "LtiRegistration",
    "LtiResourceLink",
    "LtiScore",
    "Membership",
    "ModelUsage",
    "Notice",
    "NoticeDaily",
    "NoticeOptOut",
    "Opening",
    "OpinionRecord",
    "Organization",
    "OrganizationBench",
    "OrphanedUpload",
    "Override",
    "Pairing",
    "PairingRound",
    "PersonalCalendar",
    "Push",
    "PushLink",
    "RepositoryAccess",
    "RepositoryGrant",
    "RepositoryMember",
    "RepositoryTemplate",
    "ReviewMark",
    "ReviewPresence",
    "ReviewShare",
    "RoundIdentities",
    "RoundMember",
    "Rubric",
    "RubricVersion",
    "StaffNote",
    "StudentRepository",
    "Submission",
    "SupersededReport",
    "Team",
    "TeamMember",
    "Webhook",
    "WebhookDelivery",
]
