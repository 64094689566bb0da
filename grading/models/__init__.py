"""The site's records. Every row but the organization itself belongs to one organization (django-scopes)."""

from grading.models.activity import Activity
from grading.models.audit import Audit
from grading.models.cohort import Cohort, Enrollment
from grading.models.model_bench import ModelUsage, OrganizationBench
from grading.models.record import CriterionVerdict, EvidenceRecord, OpinionRecord
from grading.models.rubric import Rubric, RubricVersion
from grading.models.submission import Assignment, Submission
from grading.models.tenant import Membership, Organization

__all__ = [
    "Activity",
    "Assignment",
    "Audit",
    "Cohort",
    "CriterionVerdict",
    "Enrollment",
    "EvidenceRecord",
    "Membership",
    "ModelUsage",
    "OpinionRecord",
    "Organization",
    "OrganizationBench",
    "Rubric",
    "RubricVersion",
    "Submission",
]
