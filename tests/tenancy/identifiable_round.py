"""A round in which two students who give themselves away (tests/tenancy/identifiable_students.py) are a pair."""

from __future__ import annotations

import json
from typing import Any

from courtroom import shipped_rubric
from grading.core.enums import Anonymity, AuditKind
from grading.findings.actions import record_findings
from grading.models import Audit, Enrollment, FeedbackReport, Finding, Pairing, Submission
from grading.peer_review.feedback.actions import import_feedback
from grading.peer_review.feedback.edition_jobs import make_edition
from tests.factories.example_report import report_json
from tests.factories.peers import (
    CommunicationEntryFactory,
    FeedbackReportFactory,
    FindingResponseFactory,
    PairingFactory,
    PairingRoundFactory,
    RoundMemberFactory,
)
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    UserFactory,
    everywhere,
)
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricVersionFactory,
    SubmissionFactory,
)
from tests.tenancy.identifiable_students import AUDITEE, AUDITOR, Mask, treacherous_report

# Of both places in the circle: numbered in an order that says something, so nobody is shown it.
PLACES = 880_300_000


class Masquerade:
    """A round with both in it. Xanthippe audits Zéphyrin: by the courtroom, and with a report of her own."""

    def __init__(self, anonymity: Anonymity) -> None:
        self.version = RubricVersionFactory.create(
            document=shipped_rubric("self_audit").model_dump(mode="json")
        )
        cohort = CohortFactory.create(organization=self.version.organization)
        self.assignment = AssignmentFactory.create(cohort=cohort, rubric_version=self.version)
        self.auditor, self.auditee = self._student(AUDITOR), self._student(AUDITEE)
        self.round = PairingRoundFactory.create(
            assignment=self.assignment, anonymity=anonymity, number=1
        )
        for mask, enrolled in ((AUDITOR, self.auditor), (AUDITEE, self.auditee)):
            RoundMemberFactory.create(
                round=self.round, student=enrolled, alias=mask.alias, position=PLACES + mask.key % 2
            )
        self.pairing: Pairing = PairingFactory.create(
            round=self.round, auditor=self.auditor, auditee=self.auditee
        )
        self.work, self.own = self._work(AUDITEE, self.auditee), self._work(AUDITOR, self.auditor)
        self.audit = self._audited(self.work, AuditKind.SELF, treacherous_report())
        self.own_audit = self._audited(
            self.own, AuditKind.SELF, signed_by(AUDITOR, report_json(criteria=1))
        )
        self.peer_audit = self._audited(self.work, AuditKind.PEER, treacherous_report())
        self.platform = FeedbackReportFactory.create(
            pairing=self.pairing, platform=True, submission=self.work, audit=self.peer_audit
        )
        self.failed = self._begun(failed=True, failure_message=f"{AUDITEE.url} was not found.")
        self.waiting = self._begun()
        with everywhere():
            self.uploaded = import_feedback(
                assignment=self.assignment,
                direction="generated",
                brought_by=self.auditor,
                text=written_report(),
                name="audit_by_Xanthippe_Quillfeather.md",
                origin="upload",
                by=self.auditor.user,
                pairing=self.pairing,
            )
            self.received = import_feedback(
                assignment=self.assignment,
                direction="received",
                brought_by=self.auditee,
                text=json.dumps(
                    {"repository": AUDITEE.url, "criteria": [{"name": "State", "score": "3/5"}]}
                ),
                name="a.json",
                origin="audit/report_bypeer_received/a.json",
                by=self.auditee.user,
            )
            for audit in (self.audit, self.peer_audit):
                record_findings(audit=audit)
        self._answers_and_messages()
        self.make_editions()

    def make_editions(self) -> None:
        """Make the editions of the long reports, as their jobs do."""
        with everywhere():
            for report in (self.platform, self.uploaded):
                make_edition(report_id=report.pk)

    @property
    def reports(self) -> list[FeedbackReport]:
        return [self.platform, self.uploaded, self.received, self.failed, self.waiting]

    def _student(self, mask: Mask) -> Enrollment:
        user = UserFactory.create(
            pk=mask.key,
            username=mask.login,
            email=mask.email,
            first_name=mask.first,
            last_name=mask.last,
        )
        MembershipFactory.create(organization=self.assignment.organization, user=user)
        enrolled: Enrollment = EnrollmentFactory.create(
            pk=mask.key,
            cohort=self.assignment.cohort,
            user=user,
            email=mask.email,
            name=mask.name,
            student_number=mask.number,
            group=mask.group,
        )
        return enrolled

    def _work(self, mask: Mask, whose: Enrollment) -> Submission:
        work: Submission = SubmissionFactory.create(
            assignment=self.assignment,
            student=whose,
            repo_url=mask.url,
            pdf_name=mask.pdf,
            resolved_commit=treacherous_report()["commit"] if mask is AUDITEE else "ad" * 20,
            handed_in_by=whose.user,
        )
        return work

    def _audited(self, work: Submission, kind: AuditKind, document: dict[str, Any]) -> Audit:
        document = document | {"repo_url": work.repo_url}
        audit: Audit = AuditFactory.create(
            submission=work,
            kind=kind,
            done=True,
            report=document,
            report_digest=document["digest"],
            overall_score=document["overall_score"],
        )
        return audit

    def _begun(self, **fields: Any) -> FeedbackReport:
        """A peer's audit that has brought nothing yet."""
        audit = AuditFactory.create(submission=self.work, kind=AuditKind.PEER, **fields)
        report: FeedbackReport = FeedbackReportFactory.create(
            pairing=self.pairing, platform=True, submission=self.work, audit=audit
        )
        return report

    def _answers_and_messages(self) -> None:
        with everywhere():
            self.findings = list(Finding.objects.order_by("pk")[:2])
        for finding in self.findings:
            FindingResponseFactory.create(
                finding=finding, reason=f"{AUDITEE.name} ({AUDITEE.email}) will."
            )
        for mask, whose in ((AUDITOR, self.auditor), (AUDITEE, self.auditee)):
            CommunicationEntryFactory.create(
                assignment=self.assignment,
                student=whose,
                pairing=self.pairing,
                text=f"I am {mask.name}, {mask.number}: see {mask.url}, or write to {mask.email}.",
            )


def signed_by(mask: Mask, report: dict[str, Any]) -> dict[str, Any]:
    """A report on work whose commits they signed."""
    history = {
        "first_at": "2026-01-05",
        "last_at": "2026-01-06",
        "days": 2,
        "busiest_hour": 1,
        "weak_messages": 0,
        "stages": [],
        "authors": [{"name": mask.nick, "email": "x@nest.example"}],
    }
    unknown = {name: why for name, why in report["facts"]["unknown"].items() if name != "history"}
    return report | {"facts": report["facts"] | {"history": history, "unknown": unknown}}


def written_report() -> str:
    """As her own auditor wrote it, of which she is proud."""
    return (
        f"# Audit of a peer by {AUDITOR.name}\n\n**Auditor:** {AUDITOR.name} <{AUDITOR.email}>\n"
        f"**Generated by:** {AUDITOR.url}\n**Group:** {AUDITOR.group}\n\n"
        "## Criterion Breakdown\n\n### State management: 3/5\n\n"
        f"Found by {AUDITOR.login} in `/home/xanthippe/peers/graph.py:12`; compare {AUDITOR.url}/blob/main/x.py.\n\n"
        "## Remediation Plan\n\n"
        f"- src/graph.py:12 Use a reducer, as {AUDITOR.nick} does in {AUDITOR.repository} of {AUDITOR.first.upper()} ({AUDITOR.number}).\n"
    )
