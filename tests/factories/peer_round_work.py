"""A round of three students who audit each other, with reports on the work, as the pages about
peers show it.
"""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from grading.core.enums import Anonymity, AuditKind
from grading.engine.imports import read_report_text
from grading.models import Audit, FeedbackReport, Pairing
from tests.factories.example_report import COMMIT, REPO_URL, report_json
from tests.factories.peers import (
    FeedbackReportFactory,
    FindingFactory,
    FindingSightingFactory,
    PairingFactory,
    PairingRoundFactory,
    RoundMemberFactory,
)
from tests.factories.people import CohortFactory, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory, rubric_document

MARKDOWN = f"""# Audit by Bob

Repository: {REPO_URL}

## Git forensics
Score: 2/5

### Remediation

- `src/graph.py:12`: Add a docstring.
"""
SCRIPT = "<script>alert(1)</script>"


class Circle:
    """Ada audits Bob, Bob audits Cy, Cy audits Ada; everybody has handed in once."""

    def __init__(self, anonymity: Anonymity = Anonymity.DOUBLE_BLIND, **assignment: Any) -> None:
        self.cohort = CohortFactory.create(slug="autumn")
        self.organization = self.cohort.organization
        given = {"cohort": self.cohort, "rubric_version__document": rubric_document()}
        self.assignment = AssignmentFactory.create(**given | assignment)
        self.round = PairingRoundFactory.create(
            assignment=self.assignment, peers=1, anonymity=anonymity, number=1
        )
        self.students = [
            student(self.cohort, name=name) for name in ("Ada Alpha", "Bob Beta", "Cy Gamma")
        ]
        self.ada, self.bob, self.cy = self.students

        for number, member in enumerate(self.students):
            RoundMemberFactory.create(
                round=self.round, student=member, alias=f"Peer {481 + number}"
            )

        self.work = {member.pk: self.handed_in(member) for member in self.students}
        self.pairings = {
            member.pk: PairingFactory.create(
                round=self.round, auditor=member, auditee=self.students[(n + 1) % 3]
            )
            for n, member in enumerate(self.students)
        }

    def handed_in(self, whose: Any, attempt: int = 1) -> Any:
        return SubmissionFactory.create(
            assignment=self.assignment,
            student=whose,
            attempt=attempt,
            repo_url=REPO_URL,
            resolved_commit=COMMIT,
        )

    def of(self, auditor: Any) -> Pairing:
        pairing: Pairing = self.pairings[auditor.pk]
        return pairing

    def audited(self, auditor: Any, **fields: Any) -> FeedbackReport:
        """The platform's report of this auditor on their peer's work, with one finding."""
        pairing = self.of(auditor)
        given: dict[str, Any] = {"done": True, "report": report_json(criteria=2)}
        audit: Audit = AuditFactory.create(
            submission=self.work[pairing.auditee_id], kind=AuditKind.PEER, **given | fields
        )
        report: FeedbackReport = FeedbackReportFactory.create(
            pairing=pairing, platform=True, audit=audit, submission=audit.submission
        )
        if audit.has_report:
            self.add_finding(audit.submission, audit=audit)

        return report

    def brought(self, auditor: Any, text: str = MARKDOWN, **fields: Any) -> FeedbackReport:
        """A report of their own auditor, uploaded under the pairing, with one finding."""
        pairing = self.of(auditor)
        given: dict[str, Any] = {"pairing": pairing, "submission": self.work[pairing.auditee_id]}
        given |= {"original": text, "reading": read_report_text(text)}
        report: FeedbackReport = FeedbackReportFactory.create(**given | fields)
        self.add_finding(report.submission, report=report, audit=None)
        return report

    def add_finding(self, submission: Any, **by: Any) -> Any:
        finding = FindingFactory.create(first_submission=submission, title="A README")
        FindingSightingFactory.create(finding=finding, submission=submission, **by)
        return finding

    def page(self, name: str, *more: Any) -> str:
        slugs = [self.organization.slug, self.cohort.slug, self.assignment.slug]
        if name == "peers":
            slugs.pop()
        if more:
            slugs = slugs[:1]
        return reverse(name, args=[*slugs, *more])


def client_of(person: Any) -> Client:
    client = Client()
    client.force_login(person.user if hasattr(person, "cohort_id") else person)
    return client


def read(person: Any, address: str) -> str:
    response = client_of(person).get(address)
    assert response.status_code == 200, response.status_code
    return response.content.decode()
