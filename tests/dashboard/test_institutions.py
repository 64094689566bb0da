"""The home page of an operator: every institution in numbers, and nothing about any student."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from grading.core.enums import Role
from grading.dashboard.institutions import Institution
from tests.factories.graded_work import signed_in
from tests.factories.people import (
    CohortFactory,
    OrganizationFactory,
    UserFactory,
    everywhere,
    staff_user,
    student,
)
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Client:
    return signed_in(UserFactory.create(is_staff=True, is_superuser=True))


def first_page(client: Client) -> Any:
    answer = client.get("/")
    assert faults_of(answer.content.decode()) == []
    return answer


def test_operator_sees_figures_of_every_institution_and_no_student(operator: Client) -> None:
    assignment = AssignmentFactory.create()
    enrolled = student(assignment.cohort, name="Ada Lovelace")
    organization = enrolled.organization
    work = {"submission__assignment": assignment, "submission__student": enrolled}
    AuditFactory.create(**work)
    AuditFactory.create(**work, submission__attempt=2, running=True)
    AuditFactory.create(**work, submission__attempt=3, failed=True)
    long_ago = timezone.now() - timedelta(days=8)
    AuditFactory.create(**work, submission__attempt=4, failed=True, finished_at=long_ago)
    empty = OrganizationFactory.create(name="Zwickau")

    answer = first_page(operator)
    page = answer.content.decode()
    figures = [
        Institution(organization, members=1, waiting=1, running=1, failed=1, uploads=0),
        Institution(empty, members=0, waiting=0, running=0, failed=0, uploads=0),
    ]
    assert (
        sorted(answer.context["overview"].institutions, key=lambda row: row.members)
        == figures[::-1]
    )
    assert [
        word for word in ("Lovelace", enrolled.email, "enrolled anywhere") if word in page
    ] == []


def test_size_of_uploads_is_that_of_the_institutions_files(operator: Client) -> None:
    ours, theirs = (CohortFactory.create(organization__name=name) for name in "AB")
    for cohort, size in ((ours, 5), (ours, 7), (theirs, 3)):
        SubmissionFactory.create(assignment__cohort=cohort, pdf_bytes=size)
    overview = first_page(operator).context["overview"]
    assert [line.uploads for line in overview.institutions] == [12, 3]


def test_institution_that_waits_for_approval_is_marked(operator: Client, settings: Any) -> None:
    settings.INSTITUTIONS_BY_APPROVAL = True
    OrganizationFactory.create(name="Zwickau", approved_at=None)
    assert "waits for approval" in first_page(operator).content.decode()


def test_others_see_no_overview(client: Client) -> None:
    owner = staff_user(OrganizationFactory.create(name="Hellerau"), Role.OWNER)
    OrganizationFactory.create(name="Zwickau")
    answer = first_page(signed_in(owner))
    assert (answer.context["overview"], "Zwickau" in answer.content.decode()) == (None, False)


def test_more_institutions_cost_no_more_queries(
    operator: Client, django_assert_max_num_queries: Any, django_assert_num_queries: Any
) -> None:
    OrganizationFactory.create()
    with django_assert_max_num_queries(15) as few:
        operator.get("/")
    with everywhere():
        OrganizationFactory.create_batch(3)
    with django_assert_num_queries(len(few)):
        operator.get("/")
