"""Two institutions with one of everything in them, everybody who might ask for it, and the addresses to ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import Role
from grading.core.invitation_links import token_of
from grading.engine.imports import read_report_text
from grading.models import LtiLaunch
from grading.rubrics.check_trials.actions import Answer, keep_answer
from tests.factories.comments import BankedCommentFactory, CommentFactory
from tests.factories.example_report import report_json
from tests.factories.extensions import ExtensionFactory
from tests.factories.grades import (
    AppealFactory,
    BlindSampleFactory,
    BulkItemFactory,
    GradeFactory,
    StaffNoteFactory,
)
from tests.factories.lti import (
    LtiContextFactory,
    LtiCourseLinkFactory,
    LtiKeyFactory,
    LtiLaunchFactory,
)
from tests.factories.peers import (
    ComplaintFactory,
    FeedbackReportFactory,
    FindingFactory,
    FindingSightingFactory,
    PairingFactory,
)
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    InvitationFactory,
    JoinLinkFactory,
    UserFactory,
    staff_user,
    student,
)
from tests.factories.pushes import link_of, push_of
from tests.factories.repository_accesses import RepositoryAccessFactory, access_of
from tests.factories.repository_templates import made_repository, template_for
from tests.factories.webhooks import WebhookDeliveryFactory
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    CriterionVerdictFactory,
    SubmissionFactory,
)
from tests.tenancy.matrix_rows import TRIAL
from tests.tenancy.thread_traces import SECRET

CRITERION_TOLD = {
    "id": "tidy",
    "name": "Tidy",
    "score": 4,
    "verdict_score": 4,
    "level": "",
    "points": None,
    "max_points": None,
    "needs_review": False,
    "excluded": False,
    "override_reason": None,
}
TOLD: dict[str, Any] = {
    "attempt": 1,
    "rubric_version": "",
    "overall_score": 4.0,
    "points": None,
    "note": "",
    "before": None,
    "criteria": [CRITERION_TOLD],
}


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from routes(pattern, route)


def site_routes() -> list[str]:
    return [route for route in routes() if not route.startswith(("admin/", "accounts/"))]


class Institute:
    """One institution with a student's work in it."""

    def __init__(self) -> None:
        self.cohort = CohortFactory.create()
        self.organization = self.cohort.organization
        self.assignment = AssignmentFactory.create(cohort=self.cohort)
        self.owner = student(self.cohort)
        submission = SubmissionFactory.create(
            assignment=self.assignment,
            student=self.owner,
            pdf=ContentFile(b"%PDF-1.7", name="report.pdf"),
        )
        self.sample = BlindSampleFactory.create(
            assignment=self.assignment, submissions=[str(submission.pk)]
        )
        self.audit = AuditFactory.create(
            submission=submission, done=True, report=report_json(criteria=1)
        )
        CriterionVerdictFactory.create(audit=self.audit)
        keep_answer(audit_id=self.audit.pk, key=TRIAL, answer=Answer(refusal="It broke off."))
        report = {
            "audit": str(self.audit.pk),
            "submission": str(submission.pk),
            "digest": self.audit.report_digest,
        }
        self.grade = GradeFactory.create(
            audit=self.audit, released=TOLD | report, released_at=timezone.now()
        )
        self.appeal = AppealFactory.create(submission=submission, criterion_id="another")
        self.assistant = staff_user(self.organization, Role.ASSISTANT)
        self.note = StaffNoteFactory.create(
            submission=submission, author=self.assistant, text=SECRET
        )
        self.entry = BankedCommentFactory.create(rubric=self.assignment.rubric_version.rubric)
        self.comment = CommentFactory.create(submission=submission, released=True)
        self.bulk_run = BulkItemFactory.create(
            run__assignment=self.assignment, submission=submission, audit=self.audit
        ).run

        self.finding = FindingFactory.create(first_submission=submission)
        FindingSightingFactory.create(finding=self.finding, audit=self.audit)
        peer = EnrollmentFactory.create(cohort=self.cohort)
        self.pairing = PairingFactory.create(
            round__assignment=self.assignment, auditor=self.owner, auditee=peer
        )
        self.feedback = FeedbackReportFactory.create(
            pairing=self.pairing, reading=read_report_text("# Audit\n\nOverall: 4/5\n")
        )
        paired = PairingFactory.create(round=self.pairing.round, auditor=peer, auditee=self.owner)
        self.received = FeedbackReportFactory.create(pairing=paired, reading=self.feedback.reading)
        self.complaint = ComplaintFactory.create(report=self.received)
        self.extension = ExtensionFactory.create(
            assignment=self.assignment, student=self.owner, max_attempts=9
        )
        self.invitation = InvitationFactory.create(organization=self.organization)
        self.join_link = JoinLinkFactory.create(cohort=self.cohort)
        self.launch = LtiLaunchFactory.create(registration__organization=self.organization)
        context = LtiContextFactory.create(
            deployment__registration=self.launch.registration, context_id="course"
        )
        self.course_link = LtiCourseLinkFactory.create(cohort=self.cohort, context=context)
        LtiKeyFactory.create(registration=self.launch.registration)
        self.delivery = WebhookDeliveryFactory.create(webhook__organization=self.organization)
        self.webhook = self.delivery.webhook
        self.access = access_of(self.owner, path="ada/project")
        self.push_link = link_of(self.assignment, self.owner)
        push_of(self.push_link)
        made_repository(template_for(self.assignment), self.owner)
        self.shared_access = RepositoryAccessFactory.create(organization=self.organization)

    def names(self) -> dict[str, Any]:
        """Return the parameters of its addresses."""
        return {
            "org": self.organization.slug,
            "cohort": self.cohort.slug,
            "assignment": self.assignment.slug,
            "token": token_of(self.organization.pk, self.invitation.pk),
            "student_id": self.owner.pk,
            "code": str(self.join_link),
            "extension_id": self.extension.pk,
            "version_id": self.assignment.rubric_version_id,
            "key": TRIAL,
            "secret": "nobodys",
            "audit_id": self.audit.pk,
            "submission_id": self.audit.submission_id,
            "rubric": self.assignment.rubric_version.rubric.slug,
            "appeal_id": self.appeal.pk,
            "entry_id": self.entry.pk,
            "comment_id": self.comment.pk,
            "complaint_id": self.complaint.pk,
            "bulk_id": self.bulk_run.pk,
            "finding_id": self.finding.pk,
            "pairing_id": self.pairing.pk,
            "number": self.pairing.round.number,
            "received_id": self.received.pk,
            "report_id": self.feedback.pk,
            "sample_id": self.sample.pk,
            "webhook_id": self.webhook.pk,
            "platform": self.launch.registration.key,
            "platform_id": self.launch.registration_id,
            "launch_id": self.launch.pk,
            "link_id": self.course_link.pk,
            "delivery_id": self.delivery.pk,
            "note_id": self.note.pk,
            "grade_id": self.grade.pk,
            "place": 1,
            "position": 0,
            "enrollment_id": self.owner.pk,
            "access_id": self.access.pk,
            "shared_id": self.shared_access.pk,
            "link_key": self.push_link.key,
            "push_link_id": self.push_link.pk,
        }


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


class World:
    """Two institutions, and everybody who might ask for what is in the first."""

    def __init__(self) -> None:
        self.here, self.elsewhere = Institute(), Institute()
        own_organization = self.here.organization
        deactivated = staff_user(own_organization)
        users: dict[str, User] = {
            "student": self.here.owner.user,
            "classmate": student(self.here.cohort).user,
            "neighbour": student(CohortFactory.create(organization=own_organization)).user,
            "assistant": self.here.assistant,
            "instructor": staff_user(own_organization),
            "foreigner": staff_user(self.elsewhere.organization),
            "operator": UserFactory.create(is_staff=True, is_superuser=True),
            "deactivated": deactivated,
        }
        with scope(organization=own_organization):
            LtiLaunch.objects.update(user=users["instructor"], entered_at=timezone.now())
        self.sessions = {person: session_of(user) for person, user in users.items()}
        User.objects.filter(pk=deactivated.pk).update(is_active=False)

    def client(self, person: str, **options: Any) -> Client:
        client = Client(**options)
        if person in self.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[person]
        return client

    def address(self, route: str, **changed: Any) -> str:
        given = self.here.names() | changed
        return "/" + re.sub(r"<\w+:(\w+)>", lambda hole: str(given[hole[1]]), route)
