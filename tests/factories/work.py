"""Rubrics, assignments, submissions and audits in any state."""

import hashlib
from datetime import timedelta
from typing import Any
from uuid import uuid4

import factory
from django.utils import timezone
from django_scopes import scope

from grading.audits.actions import Lease, claim_audit
from grading.core.enums import AuditState, RubricState
from grading.engine.events import CriterionRow, EvidenceRow, OpinionRow, UsageRow, Verdict
from grading.models import (
    Assignment,
    Audit,
    CriterionVerdict,
    IdempotencyKey,
    OpinionRecord,
    OrganizationBench,
    OrphanedUpload,
    Rubric,
    RubricVersion,
    Submission,
)
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    OrganizationFactory,
    TenantFactory,
)

CRITERIA = ("tidy", "tested")


def rubric_document(*criteria: str) -> dict[str, Any]:
    """A small rubric in the courtroom's own format: its files must exist."""
    return {
        "id": "small",
        "name": "A small rubric",
        "version": "1",
        "criteria": [
            {
                "id": criterion,
                "name": criterion.title(),
                "checks": [
                    {
                        "id": f"{criterion}.readme",
                        "kind": "file_exists",
                        "goal": "A README",
                        "any_of": ["README*"],
                    },
                    {
                        "id": f"{criterion}.source",
                        "kind": "file_exists",
                        "goal": "Python",
                        "any_of": ["**/*.py"],
                    },
                    {
                        "id": f"{criterion}.history",
                        "kind": "commit_history",
                        "goal": "Steps",
                        "aspect": "more_than",
                    },
                ],
            }
            for criterion in criteria or CRITERIA
        ],
    }


class RubricFactory(TenantFactory):
    class Meta:
        model = Rubric

    organization = factory.SubFactory(OrganizationFactory)
    name = "A small rubric"
    slug = factory.Sequence(lambda n: f"small-{n}")


class RubricVersionFactory(TenantFactory):
    """A published version; `draft=True` for one that is not."""

    class Meta:
        model = RubricVersion

    class Params:
        draft = factory.Trait(state=RubricState.DRAFT, digest="", published_at=None)

    rubric = factory.SubFactory(RubricFactory)
    organization = factory.SelfAttribute("rubric.organization")
    number = 1
    state = RubricState.PUBLISHED
    document = factory.LazyFunction(rubric_document)
    digest = "d" * 64
    published_at = factory.LazyFunction(timezone.now)


class AssignmentFactory(TenantFactory):
    class Meta:
        model = Assignment

    cohort = factory.SubFactory(CohortFactory)
    organization = factory.SelfAttribute("cohort.organization")
    title = factory.Sequence(lambda n: f"Assignment {n}")
    slug = factory.Sequence(lambda n: f"assignment-{n}")
    rubric_version = factory.SubFactory(
        RubricVersionFactory, rubric__organization=factory.SelfAttribute("...organization")
    )


def digest_of(file: Any) -> str:
    if not file:
        return ""
    digest = hashlib.sha256(file.read()).hexdigest()
    file.seek(0)
    return digest


class SubmissionFactory(TenantFactory):
    class Meta:
        model = Submission

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    student = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..assignment.cohort")
    )
    attempt = 1
    repo_url = "https://git.example.org/student/work"
    # Of the file given as `pdf`, if any.
    pdf_sha256 = factory.LazyAttribute(lambda row: digest_of(getattr(row, "pdf", None)))
    pdf_bytes = factory.LazyAttribute(lambda row: getattr(getattr(row, "pdf", None), "size", 0))
    handed_in_at = factory.LazyFunction(timezone.now)


class OrphanedUploadFactory(TenantFactory):
    """Upload that waits an hour to be accepted."""

    class Meta:
        model = OrphanedUpload

    organization = factory.SubFactory(OrganizationFactory)
    name = factory.Sequence(lambda n: f"submissions/0/{n}.pdf")
    delete_after = factory.LazyFunction(lambda: timezone.now() + timedelta(hours=1))


class AuditFactory(TenantFactory):
    """Waiting in the queue; traits: running, done, failed."""

    class Meta:
        model = Audit

    class Params:
        running = factory.Trait(
            state=AuditState.RUNNING,
            run_attempt=1,
            lease_token=factory.LazyFunction(uuid4),
            lease_until=factory.LazyFunction(lambda: timezone.now() + timedelta(seconds=60)),
            started_at=factory.LazyFunction(timezone.now),
        )
        done = factory.Trait(
            state=AuditState.DONE,
            run_attempt=1,
            report={"schema": "automaton-auditor/report@1"},
            report_digest="e" * 64,
            overall_score=4.0,
            finished_at=factory.LazyFunction(timezone.now),
        )
        failed = factory.Trait(
            state=AuditState.FAILED,
            run_attempt=1,
            failure_code="repository_empty",
            failure_message="The repository has no commits.",
            finished_at=factory.LazyFunction(timezone.now),
        )

    submission = factory.SubFactory(SubmissionFactory)
    organization = factory.SelfAttribute("submission.organization")
    rubric_version = factory.SelfAttribute("submission.assignment.rubric_version")
    state = AuditState.QUEUED
    queued_at = factory.LazyFunction(timezone.now)


class OpinionRecordFactory(TenantFactory):
    class Meta:
        model = OpinionRecord

    audit = factory.SubFactory(AuditFactory)
    organization = factory.SelfAttribute("audit.organization")
    key = factory.Sequence(lambda n: f"key-{n}")
    judge = "Prosecutor"
    criterion_id = "tidy"
    round = 1
    score = 3
    document = factory.LazyFunction(dict)


class CriterionVerdictFactory(TenantFactory):
    """The first criterion of tests/factories/example_report.py, unless it is told otherwise."""

    class Meta:
        model = CriterionVerdict

    audit = factory.SubFactory(AuditFactory, done=True)
    organization = factory.SelfAttribute("audit.organization")
    position = 0
    criterion_id = "git_forensics"
    name = "Git forensics"
    score = 5


class IdempotencyKeyFactory(TenantFactory):
    class Meta:
        model = IdempotencyKey

    submission = factory.SubFactory(SubmissionFactory)
    organization = factory.SelfAttribute("submission.organization")
    assignment = factory.SelfAttribute("submission.assignment")
    user = factory.SelfAttribute("submission.student.user")
    key = factory.Sequence(lambda n: f"key-{n}")
    fingerprint = "f" * 64


class OrganizationBenchFactory(TenantFactory):
    class Meta:
        model = OrganizationBench

    organization = factory.SubFactory(OrganizationFactory)


def usage_row(**fields: Any) -> UsageRow:
    given: dict[str, Any] = {
        "model": "m",
        "calls": 1,
        "prompt_tokens": 100,
        "cached_tokens": 64,
        "completion_tokens": 20,
        "cost_usd": 0.25,
    }

    return UsageRow(**given | fields)


def claimed(audit: Audit, *, attempt: int = 1) -> Lease:
    """The lease of a worker that has just taken the audit up."""
    with scope(organization=audit.organization):
        lease = claim_audit(audit_id=audit.pk, run_attempt=attempt)
    assert lease is not None
    return lease


def evidence_row(key: str = "E-00000001", **fields: Any) -> EvidenceRow:
    given: dict[str, Any] = {
        "key": key,
        "detective": "RepoInvestigator",
        "check": "tidy.readme",
        "found": True,
        "path": "README.md",
        "line_start": 1,
        "document": {"id": key},
    }

    return EvidenceRow(**given | fields)


def opinion_row(key: str = "key-1", **fields: Any) -> OpinionRow:
    given: dict[str, Any] = {
        "key": key,
        "judge": "Prosecutor",
        "criterion_id": "tidy",
        "round": 1,
        "score": 3,
        "document": {"key": key},
    }

    return OpinionRow(**given | fields)


def criterion_row(criterion_id: str = "tidy", **fields: Any) -> CriterionRow:
    given: dict[str, Any] = {
        "criterion_id": criterion_id,
        "name": criterion_id.title(),
        "score": 4,
        "level": "",
        "points": None,
        "max_points": None,
        "needs_review": False,
        "excluded": False,
    }

    return CriterionRow(**given | fields)


def verdict(**fields: Any) -> Verdict:
    given: dict[str, Any] = {
        "state": AuditState.DONE,
        "report": {"schema": "automaton-auditor/report@1"},
        "digest": "e" * 64,
        "overall_score": 4.0,
        "commit": "c" * 40,
        "criteria": (criterion_row(),),
        "evidence": (evidence_row(),),
    }

    return Verdict(**given | fields)
