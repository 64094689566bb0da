"""A whole round of peers, paired by the site itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django_scopes import scope

from grading.core.enums import Anonymity, AuditKind
from grading.models import Assignment, Enrollment, FeedbackReport, Pairing, PairingRound
from grading.peer_review.rounds.actions import start_round
from tests.factories.peers import FeedbackReportFactory, FindingFactory, FindingSightingFactory
from tests.factories.people import EnrollmentFactory
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory


class Round:
    """A round of peer review among `students`, running since yesterday, with no report yet."""

    def __init__(
        self, students: int = 5, peers: int = 1, *, handed_in: bool = True, **fields: Any
    ) -> None:
        self.assignment: Assignment = fields.pop("assignment", None) or AssignmentFactory.create()
        self.students: list[Enrollment] = [
            fields["student"](self.assignment.cohort, name=f"Student {n:03d}")
            if "student" in fields
            else EnrollmentFactory.create(cohort=self.assignment.cohort, name=f"Student {n:03d}")
            for n in range(students)
        ]
        fields.pop("student", None)
        if handed_in:
            for member in self.students:
                self.hand_in(member)

        given: dict[str, Any] = {
            "peers": peers,
            "anonymity": Anonymity.DOUBLE_BLIND,
            "by": None,
            "seed": "ab",
            "starts_at": timezone.now() - timedelta(days=1),
            "ends_at": timezone.now() + timedelta(days=6),
        }

        with scope(organization=self.assignment.organization):
            self.round: PairingRound = start_round(
                assignment=self.assignment, students=self.students, **given | fields
            )
            drawn = Pairing.objects.filter(round=self.round).select_related(
                "round", "auditor", "auditee"
            )
            self.pairings = list(drawn.order_by("auditor__name", "pk"))

    def hand_in(self, student: Enrollment) -> Any:
        return SubmissionFactory.create(
            assignment=self.assignment, student=student, resolved_commit="c" * 40
        )

    def report(self, pairing: Pairing, *, findings: int = 0, **fields: Any) -> FeedbackReport:
        """An imported one, with so many findings."""
        with scope(organization=self.assignment.organization):
            made: FeedbackReport = FeedbackReportFactory.create(pairing=pairing, **fields)
            handed_in = pairing.auditee.submissions.get()
            for _ in range(findings):
                finding = FindingFactory.create(first_submission=handed_in)
                FindingSightingFactory.create(finding=finding, audit=None, report=made)
        return made

    def audit(
        self, pairing: Pairing, *, read_at: datetime | None = None, **trait: Any
    ) -> FeedbackReport:
        """One of this site's courtroom: `done`, `running` or `failed`."""
        with scope(organization=self.assignment.organization):
            handed_in = pairing.auditee.submissions.get()
            audit = AuditFactory.create(submission=handed_in, kind=AuditKind.PEER, **trait)
            made: FeedbackReport = FeedbackReportFactory.create(
                pairing=pairing, platform=True, submission=handed_in, audit=audit, read_at=read_at
            )
        return made
