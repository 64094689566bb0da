"""Model usage in the admin: by cohort, this month and in total."""

from decimal import Decimal

import pytest
from django.urls import reverse

from grading.core.enums import Role
from grading.models import ModelUsage
from tests.factories.people import MembershipFactory, UserFactory, everywhere
from tests.factories.work import AuditFactory, OrganizationBenchFactory

pytestmark = pytest.mark.django_db
BOUGHT = "2 calls, 300 tokens in (100 cached), 40 out, 0.7500 USD; answers without a known price: 1"


@pytest.fixture
def audit():
    audit = AuditFactory()
    for cost in (Decimal("0.75"), None):
        spend(audit, cost)
    return audit


def spend(audit, cost):
    with everywhere():
        ModelUsage.objects.create(
            organization=audit.organization,
            audit=audit,
            judge="TechLead",
            criterion_id="c",
            round=1,
            model="m",
            calls=1,
            prompt_tokens=150,
            cached_tokens=50,
            completion_tokens=20,
            cost_usd=cost,
        )


def page_of(client, audit, name, pk):
    user = UserFactory(is_staff=True)
    MembershipFactory(organization=audit.organization, user=user, role=Role.INSTRUCTOR)
    client.force_login(user)
    return client.get(reverse(f"admin:grading_{name}_change", args=[pk])).content.decode()


def test_another_institutions_spending_is_not_shown(client, audit):
    other = AuditFactory()
    assert "0.7500 USD" not in page_of(
        client, other, "cohort", other.submission.assignment.cohort.pk
    )


def test_a_cohorts_page_says_what_its_judges_took(client, audit):
    assert (
        page_of(client, audit, "cohort", audit.submission.assignment.cohort.pk).count(BOUGHT) == 1
    )


def test_the_bench_says_what_was_bought_this_month_and_in_all(client, audit):
    bench = OrganizationBenchFactory(organization=audit.organization)
    assert page_of(client, audit, "organizationbench", bench.pk).count(BOUGHT) == 2


def test_a_new_cohort_has_bought_nothing(client, audit):
    page_of(client, audit, "cohort", audit.submission.assignment.cohort.pk)
    assert "none yet" in client.get(reverse("admin:grading_cohort_add")).content.decode()
