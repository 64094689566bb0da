"""Rounds, pairings, reports of peers, and findings."""

from datetime import timedelta
from typing import Any

import factory
from django.utils import timezone

from grading.core.enums import (
    Anonymity,
    AuditKind,
    EditionState,
    EntryKind,
    FeedbackKind,
    FeedbackSource,
    Opened,
    ResponseKind,
)
from grading.models import (
    CommunicationEntry,
    Complaint,
    FeedbackEdition,
    FeedbackReport,
    Finding,
    FindingHelp,
    FindingResponse,
    FindingSighting,
    Opening,
    Pairing,
    PairingRound,
    RoundIdentities,
    RoundMember,
)
from grading.peer_review.feedback.queries import identities_of
from tests.factories.people import EnrollmentFactory, TenantFactory, everywhere
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory


class PairingRoundFactory(TenantFactory):
    """Running since yesterday, for a week; double-blind."""

    class Meta:
        model = PairingRound

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    number = factory.Sequence(lambda n: n + 1)
    peers = 2
    anonymity = Anonymity.DOUBLE_BLIND
    starts_at = factory.LazyFunction(lambda: timezone.now() - timedelta(days=1))
    ends_at = factory.LazyFunction(lambda: timezone.now() + timedelta(days=6))
    seed = "seed"


class RoundIdentitiesFactory(TenantFactory):
    """Everyone on the roster now, as when a round begins."""

    class Meta:
        model = RoundIdentities

    round = factory.SubFactory(PairingRoundFactory)
    organization = factory.SelfAttribute("round.organization")

    @factory.lazy_attribute
    def people(self) -> list[dict[str, Any]]:
        with everywhere():
            return identities_of(self.round.assignment.cohort_id)


class RoundMemberFactory(TenantFactory):
    class Meta:
        model = RoundMember

    round = factory.SubFactory(PairingRoundFactory)
    organization = factory.SelfAttribute("round.organization")
    student = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..round.assignment.cohort")
    )
    alias = factory.Sequence(lambda n: f"Peer {n}")
    position = factory.Sequence(lambda n: n)


class PairingFactory(TenantFactory):
    class Meta:
        model = Pairing

    round = factory.SubFactory(PairingRoundFactory)
    organization = factory.SelfAttribute("round.organization")
    auditor = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..round.assignment.cohort")
    )
    auditee = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..round.assignment.cohort")
    )


class FeedbackReportFactory(TenantFactory):
    """A peer's report that was uploaded; `platform=True` for one that this site's courtroom made."""

    class Meta:
        model = FeedbackReport

    class Params:
        platform = factory.Trait(
            source=FeedbackSource.PLATFORM,
            brought_by=None,
            reading=None,
            original="",
            original_name="",
            original_sha256="",
            origin="",
            submission=factory.SubFactory(
                SubmissionFactory,
                assignment=factory.SelfAttribute("..assignment"),
                student=factory.SelfAttribute("..subject"),
            ),
            audit=factory.SubFactory(
                AuditFactory,
                done=True,
                kind=AuditKind.PEER,
                submission=factory.SelfAttribute("..submission"),
            ),
        )

    pairing = factory.SubFactory(PairingFactory)
    organization = factory.SelfAttribute("pairing.organization")
    assignment = factory.SelfAttribute("pairing.round.assignment")
    kind = FeedbackKind.PEER
    source = FeedbackSource.IMPORTED
    author = factory.SelfAttribute("pairing.auditor")
    subject = factory.SelfAttribute("pairing.auditee")
    brought_by = factory.SelfAttribute("author")
    origin = "upload"
    original = "# Audit\n\nOverall: 4/5\n"
    original_name = "report.md"
    original_sha256 = factory.Sequence(lambda n: f"{n:064x}")
    reading = factory.LazyFunction(dict)


class FeedbackEditionFactory(TenantFactory):
    """Made earlier, with identities that nobody has today."""

    class Meta:
        model = FeedbackEdition

    report = factory.SubFactory(FeedbackReportFactory)
    organization = factory.SelfAttribute("report.organization")
    state = EditionState.MADE
    marks = "0" * 64
    partners = "0" * 64
    content = factory.LazyFunction(dict)
    requested_at = factory.LazyFunction(timezone.now)
    made_at = factory.LazyFunction(timezone.now)


class CommunicationEntryFactory(TenantFactory):
    class Meta:
        model = CommunicationEntry

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    student = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..assignment.cohort")
    )
    kind = EntryKind.PROGRESS
    text = "The graph runs end to end."


class FindingFactory(TenantFactory):
    """Open since the submission it was first seen in."""

    class Meta:
        model = Finding

    first_submission = factory.SubFactory(SubmissionFactory)
    last_submission = factory.SelfAttribute("first_submission")
    organization = factory.SelfAttribute("first_submission.organization")
    assignment = factory.SelfAttribute("first_submission.assignment")
    student = factory.SelfAttribute("first_submission.student")
    key = factory.Sequence(lambda n: f"{n:064x}")
    criterion_id = "tidy"
    criterion_name = "Tidy"
    check_id = "tidy.readme"
    place = "src/graph.py"
    title = "A README"


class FindingSightingFactory(TenantFactory):
    class Meta:
        model = FindingSighting

    finding = factory.SubFactory(FindingFactory)
    organization = factory.SelfAttribute("finding.organization")
    submission = factory.SelfAttribute("finding.first_submission")
    audit = factory.SubFactory(
        AuditFactory, done=True, submission=factory.SelfAttribute("..submission")
    )
    present = True
    lines = factory.LazyFunction(lambda: [3])
    action = "Write one."
    priority = "high"


class FindingResponseFactory(TenantFactory):
    class Meta:
        model = FindingResponse

    finding = factory.SubFactory(FindingFactory)
    organization = factory.SelfAttribute("finding.organization")
    kind = ResponseKind.DEFERRED
    reason = "It needs the new parser first."


class FindingHelpFactory(TenantFactory):
    class Meta:
        model = FindingHelp

    finding = factory.SubFactory(FindingFactory)
    organization = factory.SelfAttribute("finding.organization")
    helpful = True
    said_at = factory.LazyFunction(timezone.now)


class ComplaintFactory(TenantFactory):
    """Open, by whom the report is about."""

    class Meta:
        model = Complaint

    report = factory.SubFactory(FeedbackReportFactory)
    organization = factory.SelfAttribute("report.organization")
    student = factory.SelfAttribute("report.subject")
    text = "It calls me names."


class OpeningFactory(TenantFactory):
    class Meta:
        model = Opening

    student = factory.SubFactory(EnrollmentFactory)
    organization = factory.SelfAttribute("student.organization")
    kind = Opened.REPORT
    about = factory.Sequence(lambda n: f"{n:036x}")
    opened_at = factory.LazyFunction(timezone.now)
