"""The demo cohort, made by the site's own actions.

Each step makes only what is missing. So a second run changes nothing, and completes an interrupted
one.
"""

from datetime import date, datetime, time, timedelta
from functools import cache, partial
from pathlib import Path

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import LatePolicy, NoticeKind, Role
from grading.courses.actions import create_assignment, create_cohort
from grading.courses.organizations.actions import add_member
from grading.courses.organizations.approval import create_organization
from grading.courses.organizations.invitations import accept_invitation
from grading.courses.roster import import_roster
from grading.demo.demo_round import seed_peers
from grading.demo.desk import seed_desk
from grading.demo.first_week import seed_first_week
from grading.demo.people import (
    INSTITUTE,
    INSTITUTE_SLUG,
    INSTRUCTOR,
    PASSWORD,
    STUDENTS,
    Person,
    Student,
)
from grading.demo.reports import write_report
from grading.demo.stories import publish_repository
from grading.models import (
    Assignment,
    Cohort,
    Enrollment,
    Invitation,
    Membership,
    NoticeOptOut,
    Organization,
    Submission,
)
from grading.notifications.choices import choose_emails
from grading.rubrics.actions import adopt_shipped_rubric
from grading.submissions.actions import create_submission

COHORT, COHORT_SLUG = "Agents that judge, autumn 2026", "autumn-2026"
ASSIGNMENT, ASSIGNMENT_SLUG = "Week 2: build an auditor", "auditor"
STARTS, ENDS = date(2026, 9, 7), date(2026, 12, 18)
# From the day the demo is made: a cohort that ended hides the work of peers.
MIN_LENGTH = timedelta(weeks=8)
DUE_IN = timedelta(weeks=4)
MAX_ATTEMPTS = 20
INSTRUCTIONS = """Build a LangGraph system that audits a repository and its report:

- detectives that collect evidence side by side,
- three judges who argue over it side by side,
- a Chief Justice in plain Python who decides and writes a Markdown report.

Submit the address of your repository and your report as a PDF. You may submit as often as you have
attempts left; the next audit shows what you fixed.
"""


def seed(folder: Path) -> int:
    """Make the missing parts of the demo; return the number of new submissions.

    Repositories and reports are written to `folder`.
    """
    instructor = _user(INSTRUCTOR, is_staff=True)
    for student in STUDENTS:
        _user(student)

    organization = _organization(instructor)

    with scope(organization=organization):
        cohort = _cohort(organization, instructor)
        _turn_off_receipts(organization)

    week_1 = seed_first_week(cohort, partial(_repository, folder=folder), instructor)

    with scope(organization=organization):
        assignment = _assignment(cohort, instructor)
        submitted = sum(_submit_all(student, assignment, folder) for student in STUDENTS)
        seed_desk(week_1, assignment, instructor)

    seed_peers(assignment, instructor)
    return submitted


def _user(person: Person, *, is_staff: bool = False) -> User:
    """Return an account with a verified email. A changed password is kept."""
    user, _ = User.objects.get_or_create(
        username=person.email,
        defaults={
            "email": person.email,
            "first_name": person.first_name,
            "last_name": person.last_name,
            "is_staff": is_staff,
        },
    )
    if not user.password:
        user.password = _hashed_password()
        user.save(update_fields=["password"])

    EmailAddress.objects.get_or_create(
        user=user, email=person.email, defaults={"verified": True, "primary": True}
    )
    return user


@cache
def _hashed_password() -> str:
    """Hash once for all users: hashing is slow by design, and this password is public."""
    return make_password(PASSWORD)


def _organization(instructor: User) -> Organization:
    organization = Organization.objects.filter(slug=INSTITUTE_SLUG).first()
    if organization is None:
        return create_organization(
            name=INSTITUTE, slug=INSTITUTE_SLUG, founder=instructor, is_approved=True
        )

    with scope(organization=organization):
        is_member = Membership.objects.filter(user=instructor).exists()

    if not is_member:
        add_member(organization=organization, user=instructor, role=Role.OWNER, by=None)

    return organization


def _cohort(organization: Organization, instructor: User) -> Cohort:
    cohort = Cohort.objects.filter(slug=COHORT_SLUG).first() or create_cohort(
        organization=organization,
        name=COHORT,
        slug=COHORT_SLUG,
        by=instructor,
        starts_on=STARTS,
        ends_on=max(ENDS, (timezone.now() + MIN_LENGTH).date()),
    )

    if cohort.enrollments.filter(email__in=[student.email for student in STUDENTS]).count() < len(
        STUDENTS
    ):
        import_roster(cohort=cohort, text=_roster(), by=instructor)
        _accept_invitations(organization)

    return cohort


def _accept_invitations(organization: Organization) -> None:
    """Accept for the students: the demo begins with members, and sends no invitation."""
    emails = [student.email for student in STUDENTS]
    for invitation in Invitation.objects.filter(organization=organization, email__in=emails):
        accept_invitation(invitation=invitation, user=User.objects.get(email=invitation.email))


def _turn_off_receipts(organization: Organization) -> None:
    """Turn off emails of receipt: a machine without mail prints emails, and they would hide the
    logins.
    """
    decided = NoticeOptOut.objects.filter(kind=NoticeKind.HANDED_IN).values("user")
    for user in User.objects.filter(email__in=[student.email for student in STUDENTS]).exclude(
        pk__in=decided
    ):
        kinds = set(NoticeKind) - {NoticeKind.HANDED_IN}
        choose_emails(organization=organization, user=user, wanted=kinds)


def _roster() -> str:
    rows = [f"{student.email},{student.name},{student.number}" for student in STUDENTS]
    return "\n".join(["email,name,student number", *rows])


def _assignment(cohort: Cohort, instructor: User) -> Assignment:
    return Assignment.objects.filter(
        cohort=cohort, slug=ASSIGNMENT_SLUG
    ).first() or create_assignment(
        cohort=cohort,
        title=ASSIGNMENT,
        slug=ASSIGNMENT_SLUG,
        rubric_version=adopt_shipped_rubric(
            organization=cohort.organization, name="self_audit", by=instructor
        ),
        by=instructor,
        instructions=INSTRUCTIONS,
        due_at=_end_of(timezone.now() + DUE_IN),
        late_policy=LatePolicy.ACCEPT,
        max_attempts=MAX_ATTEMPTS,
    )


def _end_of(moment: datetime) -> datetime:
    return datetime.combine(moment.date(), time(23, 59), tzinfo=moment.tzinfo)


def _repository(student: Student, folder: Path) -> str:
    """Return the address to clone from; publish the repository if needed."""
    repository = folder / "repositories" / f"{student.repository}.git"
    publish_repository(student.repository, repository)
    return repository.resolve().as_uri()


def _submit_all(student: Student, assignment: Assignment, folder: Path) -> int:
    """Submit the missing attempts and return their number; write the report again."""
    address = _repository(student, folder)
    report = write_report(student.repository, folder / "reports" / f"{student.repository}.pdf")
    enrollment = Enrollment.objects.get(cohort=assignment.cohort, email=student.email)
    submitted = Submission.objects.filter(assignment=assignment, student=enrollment)
    missing = set(student.refs) - set(submitted.values_list("ref", flat=True))

    # In the order of the story: the later attempt is the better one.
    for ref in filter(missing.__contains__, student.refs):
        create_submission(
            assignment=assignment,
            student=enrollment,
            repo_url=address,
            ref=ref,
            pdf=SimpleUploadedFile(report.name, report.read_bytes(), "application/pdf"),
            by=enrollment.user,
        )

    return len(missing)
