"""Grades that count, changes by staff, and objections of students."""

import factory
from django.utils import timezone

from grading.core.enums import BulkVerb, NoticeKind
from grading.models import (
    Appeal,
    BlindGrade,
    BlindSample,
    BulkItem,
    BulkRun,
    DueReminder,
    Grade,
    Notice,
    NoticeDaily,
    NoticeOptOut,
    Override,
    StaffNote,
    SupersededReport,
)
from tests.factories.people import (
    EnrollmentFactory,
    OrganizationFactory,
    TenantFactory,
    UserFactory,
)
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory


class GradeFactory(TenantFactory):
    class Meta:
        model = Grade

    audit = factory.SubFactory(AuditFactory, done=True)
    organization = factory.SelfAttribute("audit.organization")
    assignment = factory.SelfAttribute("audit.submission.assignment")
    student = factory.SelfAttribute("audit.submission.student")
    overall_score = 4.0


class OverrideFactory(TenantFactory):
    class Meta:
        model = Override

    submission = factory.SubFactory(SubmissionFactory)
    organization = factory.SelfAttribute("submission.organization")
    criterion_id = "tidy"
    score = 5
    verdict_score = 4
    reason = "The tests are in another folder."


class AppealFactory(TenantFactory):
    class Meta:
        model = Appeal

    submission = factory.SubFactory(SubmissionFactory)
    organization = factory.SelfAttribute("submission.organization")
    criterion_id = "tidy"
    criterion_name = "Tidy"
    text = "The README is there."
    verdict = factory.LazyFunction(lambda: {"id": "tidy", "score": 2})
    report_digest = "e" * 64


class StaffNoteFactory(TenantFactory):
    class Meta:
        model = StaffNote

    submission = factory.SubFactory(SubmissionFactory)
    organization = factory.SelfAttribute("submission.organization")
    author = factory.SubFactory(UserFactory)
    text = "Compare with the other section."


class SupersededReportFactory(TenantFactory):
    class Meta:
        model = SupersededReport

    audit = factory.SubFactory(AuditFactory, done=True)
    organization = factory.SelfAttribute("audit.organization")
    rubric_version = factory.SelfAttribute("audit.rubric_version")
    report = factory.LazyFunction(lambda: {"schema": "automaton-auditor/report@1"})
    digest = "f" * 64


class BulkRunFactory(TenantFactory):
    class Meta:
        model = BulkRun

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    rubric_version = factory.SelfAttribute("assignment.rubric_version")
    verb = BulkVerb.RESYNTHESISE
    total = 3


class BulkItemFactory(TenantFactory):
    """Waiting bulk item that re-applies the rules to an attempt's verdict."""

    class Meta:
        model = BulkItem

    run = factory.SubFactory(BulkRunFactory)
    organization = factory.SelfAttribute("run.organization")
    position = factory.Sequence(int)
    submission = factory.SubFactory(
        SubmissionFactory, assignment=factory.SelfAttribute("..run.assignment")
    )
    audit = factory.SubFactory(
        AuditFactory, done=True, submission=factory.SelfAttribute("..submission")
    )


class BlindSampleFactory(TenantFactory):
    class Meta:
        model = BlindSample

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    seed = 1
    submissions = factory.LazyFunction(list)


class BlindGradeFactory(TenantFactory):
    class Meta:
        model = BlindGrade

    submission = factory.SubFactory(SubmissionFactory)
    organization = factory.SelfAttribute("submission.organization")
    criterion_id = "tidy"
    score = 4
    graded_by = factory.SubFactory(UserFactory)


class NoticeFactory(TenantFactory):
    class Meta:
        model = Notice

    organization = factory.SubFactory(OrganizationFactory)
    user = factory.SubFactory(UserFactory)
    kind = NoticeKind.RELEASED
    subject = "A grade was released"
    body = "Your grade was released."
    path = "/"


class NoticeDailyFactory(TenantFactory):
    class Meta:
        model = NoticeDaily

    organization = factory.SubFactory(OrganizationFactory)
    user = factory.SubFactory(UserFactory)
    kind = NoticeKind.RELEASED


class DueReminderFactory(TenantFactory):
    class Meta:
        model = DueReminder

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    student = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..assignment.cohort")
    )
    hours = 72
    due_at = factory.LazyFunction(timezone.now)


class NoticeOptOutFactory(TenantFactory):
    class Meta:
        model = NoticeOptOut

    organization = factory.SubFactory(OrganizationFactory)
    user = factory.SubFactory(UserFactory)
    kind = NoticeKind.RELEASED
