"""Whole institutions for the tests of the walls between them."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone
from django_scopes import scope

from grading import workflow
from grading.audits import actions as audit_actions
from grading.engine.events import Contents
from grading.engine.stored_sources import pack_sources
from grading.models import Assignment, Audit, Enrollment, Grade, Organization, OrphanedUpload
from tests.factories.comments import BankedCommentFactory, CommentFactory, CommentReplyFactory
from tests.factories.extensions import ExtensionFactory
from tests.factories.grades import (
    AppealFactory,
    BlindGradeFactory,
    BlindSampleFactory,
    BulkItemFactory,
    BulkRunFactory,
    DueReminderFactory,
    NoticeDailyFactory,
    NoticeFactory,
    NoticeOptOutFactory,
    OverrideFactory,
    StaffNoteFactory,
    SupersededReportFactory,
)
from tests.factories.grading_queue import (
    ReviewMarkFactory,
    ReviewPresenceFactory,
    ReviewShareFactory,
)
from tests.factories.lti import (
    LtiAccountFactory,
    LtiContextFactory,
    LtiCourseLinkFactory,
    LtiKeyFactory,
    LtiLaunchFactory,
    LtiLineItemFactory,
    LtiMemberFactory,
    LtiRegistrationFactory,
    LtiResourceLinkFactory,
    LtiScoreFactory,
)
from tests.factories.peers import (
    CommunicationEntryFactory,
    ComplaintFactory,
    FeedbackEditionFactory,
    FeedbackReportFactory,
    FindingFactory,
    FindingHelpFactory,
    FindingResponseFactory,
    FindingSightingFactory,
    OpeningFactory,
    PairingFactory,
    PairingRoundFactory,
    RoundIdentitiesFactory,
    RoundMemberFactory,
)
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    InvitationFactory,
    JoinLinkFactory,
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
)
from tests.factories.pushes import link_of, push_of
from tests.factories.repository_accesses import RepositoryGrantFactory
from tests.factories.repository_templates import made_repository, template_for
from tests.factories.teams import GradeAdjustmentFactory, team_with
from tests.factories.webhooks import WebhookDeliveryFactory
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    IdempotencyKeyFactory,
    OrganizationBenchFactory,
    OrphanedUploadFactory,
    RubricFactory,
    RubricVersionFactory,
    claimed,
    evidence_row,
    opinion_row,
    usage_row,
    verdict,
)


def institute(user: User | None = None, *, word: str = "Some") -> Organization:
    """One organization with a row in every table, `word` in whatever has a name; `user` is a
    student of it.
    """
    organization = OrganizationFactory.create(name=f"{word} institute")
    user = user or UserFactory.create(email=f"{word.lower()}@{organization.slug}.example")
    MembershipFactory.create(organization=organization, user=user)
    cohort = CohortFactory.create(organization=organization, slug="same", name=f"{word} cohort")
    enrollment = EnrollmentFactory.create(
        cohort=cohort, user=user, email=user.email, name=f"{word} student"
    )
    rubric = RubricFactory.create(organization=organization, name=f"{word} rubric")
    version = RubricVersionFactory.create(rubric=rubric)
    assignment = AssignmentFactory.create(
        cohort=cohort, slug="same", rubric_version=version, title=f"{word} assignment"
    )
    audit = AuditFactory.create(
        submission__assignment=assignment,
        submission__student=enrollment,
        submission__repo_url=f"https://git.example.org/{word}/work",
    )
    OrganizationBenchFactory.create(organization=organization, prosecutor_model=f"{word} model")
    lease = claimed(audit)

    with scope(organization=organization):
        audit_actions.record_contents(
            lease=lease,
            contents=Contents(
                files={f"{word}.py": 3},
                pages=None,
                sources=pack_sources({f"{word}.py": ("1", f"{word} = 1\n")}),
            ),
        )
        audit_actions.record_opinion(lease=lease, opinion=opinion_row(usage=usage_row()))
        workflow.finish_audit(
            lease=lease, verdict=verdict(evidence=(evidence_row(path=f"{word}.py"),))
        )
        OrphanedUpload.objects.create(
            organization=organization,
            name=f"{word}-{organization.pk}.pdf",
            delete_after=timezone.now() + timedelta(days=1),
        )

    JoinLinkFactory.create(cohort=cohort)
    _from_a_platform(enrollment, assignment, word)
    OrphanedUploadFactory.create(organization=organization)
    ExtensionFactory.create(assignment=assignment, student=enrollment, max_attempts=9)
    team_with(assignment, enrollment)
    InvitationFactory.create(
        organization=organization,
        email=user.email.lower(),
        user=user,
        state="accepted",
        answered_at=timezone.now(),
    )
    RepositoryGrantFactory.create(
        access__organization=organization, access__path=f"{word}-course", student=enrollment
    )
    made_repository(template_for(assignment), enrollment)
    push_of(link_of(assignment, enrollment))
    BankedCommentFactory.create(rubric=rubric, label=f"{word} entry")
    comment = CommentFactory.create(
        submission=audit.submission, text=f"{word} comment", released=True
    )
    CommentReplyFactory.create(comment=comment)
    _graded(audit, user, word)
    _among_peers(audit, word)
    return organization


def _graded(audit: Audit, user: User, word: str) -> None:
    """A row in every table of what follows a verdict."""
    submission = audit.submission
    with scope(organization=audit.organization):
        grade = Grade.objects.get(audit=audit)
    GradeAdjustmentFactory.create(grade=grade)
    run = BulkRunFactory.create(assignment=submission.assignment)
    BulkItemFactory.create(run=run, submission=submission, audit=audit)
    SupersededReportFactory.create(audit=audit)
    IdempotencyKeyFactory.create(submission=submission, user=user, key=f"{word} key")
    OverrideFactory.create(submission=submission, reason=f"{word} reason")
    AppealFactory.create(
        submission=submission, text=f"{word} objection", criterion_name=f"{word} criterion"
    )
    StaffNoteFactory.create(submission=submission, author=user, text=f"{word} staff note")
    ReviewMarkFactory.create(submission=submission, flagged_by=user, flag_word=f"{word} flag")
    ReviewShareFactory.create(assignment=submission.assignment, reader=user)
    ReviewPresenceFactory.create(
        assignment=submission.assignment, reader=user, student=submission.student
    )
    BlindSampleFactory.create(assignment=submission.assignment)
    BlindGradeFactory.create(submission=submission, graded_by=user)
    NoticeFactory.create(organization=audit.organization, user=user, subject=f"{word} letter")
    NoticeOptOutFactory.create(organization=audit.organization, user=user)
    NoticeDailyFactory.create(organization=audit.organization, user=user)
    DueReminderFactory.create(assignment=submission.assignment, student=submission.student)
    WebhookDeliveryFactory.create(
        webhook__organization=audit.organization, webhook__url=f"https://{word}.example/hook"
    )


def _from_a_platform(student: Enrollment, assignment: Assignment, word: str) -> None:
    """A row in every table about learning platforms."""
    registration = LtiRegistrationFactory.create(
        organization=student.organization, name=f"{word} platform"
    )
    LtiKeyFactory.create(registration=registration)
    LtiAccountFactory.create(registration=registration, user=student.user)
    LtiLaunchFactory.create(registration=registration, user=student.user)
    context = LtiContextFactory.create(deployment__registration=registration, title=f"{word} there")
    linked = LtiCourseLinkFactory.create(cohort=student.cohort, context=context)
    LtiMemberFactory.create(course_link=linked, enrollment=student, name=f"{word} student")
    LtiResourceLinkFactory.create(assignment=assignment, context=context, title=f"{word} link")
    line_item = LtiLineItemFactory.create(assignment=assignment, context=context)
    LtiScoreFactory.create(line_item=line_item, student=student)


def _among_peers(audit: Audit, word: str) -> None:
    """A row in every table of rounds and findings; the peer is another student of the cohort."""
    submission = audit.submission
    owner = submission.student
    peer = EnrollmentFactory.create(cohort=owner.cohort, name=f"{word} peer")
    paired = PairingRoundFactory.create(assignment=submission.assignment)
    for student in (owner, peer):
        RoundMemberFactory.create(round=paired, student=student)

    RoundIdentitiesFactory.create(round=paired)
    pairing = PairingFactory.create(round=paired, auditor=peer, auditee=owner)
    report = FeedbackReportFactory.create(pairing=pairing, original=f"# {word} report")
    FeedbackEditionFactory.create(report=report)
    ComplaintFactory.create(report=report, text=f"{word} complaint")
    OpeningFactory.create(student=owner, about=str(submission.pk))
    CommunicationEntryFactory.create(
        assignment=submission.assignment, student=owner, text=f"{word} progress"
    )
    finding = FindingFactory.create(first_submission=submission, title=f"{word} finding")
    FindingSightingFactory.create(finding=finding, audit=audit)
    FindingResponseFactory.create(finding=finding, reason=f"{word} excuse")
    FindingHelpFactory.create(finding=finding)
