"""Limits of open audits; a submission beyond them is refused with a sentence on the form."""

import pytest
from django.urls import reverse

from grading.core.errors import SubmissionRefused
from grading.models import Submission
from grading.submissions.actions import create_submission
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    OrganizationFactory,
    everywhere,
    student,
)
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def limits(settings):
    settings.OPEN_AUDITS_PER_STUDENT = 1
    settings.OPEN_AUDITS_PER_COHORT = 2
    settings.OPEN_AUDITS_PER_ORGANIZATION = 3


@pytest.fixture
def work(tmp_path):
    make_repository(tmp_path / "work.git", [Commit(files={"main.py": "print()\n"})])
    return tmp_path / "work.git"


def open_audit(assignment, **fields):
    return AuditFactory(submission__assignment=assignment, **fields)


def refused(assignment, somebody, work) -> tuple[str, str]:
    with pytest.raises(SubmissionRefused) as refusal:
        create_submission(
            assignment=assignment, student=somebody, repo_url=str(work), by=somebody.user
        )
    with everywhere():
        assert not Submission.objects.filter(repo_url=str(work)).exists()
    return refusal.value.code, refusal.value.sentence


@pytest.mark.usefixtures("limits")
def test_second_open_audit_of_a_student_is_refused(work):
    assignment = AssignmentFactory()
    somebody = student(assignment.cohort)
    open_audit(assignment, submission__student=somebody)
    sentence = "An audit of yours is waiting or running. Submit again when it has finished."
    assert refused(assignment, somebody, work) == ("too_many_open_student", sentence)


@pytest.mark.usefixtures("limits")
def test_cohort_limit_refuses_a_submission(work):
    assignment = AssignmentFactory()
    open_audit(assignment)
    open_audit(assignment, running=True)
    assert refused(assignment, student(assignment.cohort), work)[0] == "too_many_open_cohort"


@pytest.mark.usefixtures("limits")
def test_organization_limit_counts_all_cohorts(work):
    assignment = AssignmentFactory()
    for _ in range(3):
        other = CohortFactory(organization=assignment.organization)
        open_audit(AssignmentFactory(cohort=other))
    assert refused(assignment, student(assignment.cohort), work)[0] == "too_many_open_organization"


@pytest.mark.usefixtures("limits")
def test_finished_audits_and_other_organizations_do_not_count(work):
    assignment = AssignmentFactory()
    somebody = student(assignment.cohort)
    open_audit(assignment, done=True, submission__student=somebody)
    for _ in range(4):
        AuditFactory()
    create_submission(assignment=assignment, student=somebody, repo_url=str(work), by=somebody.user)
    with everywhere():
        assert Submission.objects.filter(repo_url=str(work)).count() == 1


@pytest.mark.usefixtures("limits")
def test_form_shows_the_limit(client, work):
    assignment = AssignmentFactory()
    somebody = student(assignment.cohort)
    open_audit(assignment, submission__student=somebody)
    client.force_login(somebody.user)
    place = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    page = client.post(reverse("submit", args=place), {"repo_url": str(work)})
    assert page.context["form"].non_field_errors() == [
        "An audit of yours is waiting or running. Submit again when it has finished."
    ]


@pytest.mark.usefixtures("limits")
def test_reaudits_by_staff_do_not_count(work):
    assignment = AssignmentFactory()
    somebody = student(assignment.cohort)
    for place in range(3):
        open_audit(
            assignment,
            kind="instructor",
            submission__student=somebody,
            submission__attempt=place + 1,
        )
    submission = create_submission(
        assignment=assignment, student=somebody, repo_url=str(work), by=somebody.user
    )
    assert submission.attempt == 4


def test_a_persons_open_audits_count_across_organizations(settings, work):
    settings.OPEN_AUDITS_PER_STUDENT = 2
    ours, there = AssignmentFactory(), AssignmentFactory()
    somebody = student(ours.cohort)
    for assignment in (there, AssignmentFactory()):
        elsewhere = EnrollmentFactory(cohort=assignment.cohort, user=somebody.user)
        open_audit(assignment, submission__student=elsewhere, account=somebody.user)
    assert refused(ours, somebody, work)[0] == "too_many_open_student"


def test_organizations_without_approval_share_one_limit(settings, work):
    settings.OPEN_AUDITS_UNAPPROVED = 2
    free = [
        AssignmentFactory(cohort__organization=OrganizationFactory(approved_at=None))
        for _ in range(3)
    ]
    for assignment in free[:2]:
        open_audit(assignment)
    assert refused(free[2], student(free[2].cohort), work)[0] == "too_many_open_unapproved"

    approved = AssignmentFactory()
    somebody = student(approved.cohort)
    handed_in = create_submission(
        assignment=approved, student=somebody, repo_url=str(work), by=somebody.user
    )
    with everywhere():
        assert handed_in.audits.get().account == somebody.user
