"""Organizations by approval: what a stranger gets before the operator's answer, and after it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django_scopes import scope

from grading.core.enums import AuditState
from grading.core.errors import RoleRefused
from grading.courses.organizations.approval import (
    approve_organization,
    create_organization,
    refuse_organization,
)
from grading.jobs import run_audit, send_letters
from grading.models import Activity, Audit, Notice, Organization
from tests.factories.people import (
    CohortFactory,
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
    everywhere,
    staff_user,
)
from tests.factories.work import AuditFactory

pytestmark = pytest.mark.django_db
NEW = reverse("organization-new")
LIST = reverse("admin:grading_organization_changelist")


@pytest.fixture(autouse=True)
def _by_approval(settings: Any) -> None:
    settings.INSTITUTIONS_BY_APPROVAL = True


@pytest.fixture
def operator() -> User:
    return UserFactory.create(is_staff=True, is_superuser=True)


@pytest.fixture
def founder() -> User:
    return UserFactory.create()


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def founded(founder: User, name: str = "Evil") -> Any:
    return client_of(founder).post(NEW, {"name": name}, follow=True)


def answered(operator: User, action: str, organization: Organization) -> str:
    data = {"action": action, "_selected_action": [organization.pk]}
    page = client_of(operator).post(LIST, data, follow=True)
    assert page.status_code == 200
    return page.content.decode()


def letters_of(organization: Organization) -> list[tuple[list[str], str]]:
    mail.outbox.clear()
    send_letters(organization.pk)
    return [(letter.to, str(letter.subject)) for letter in mail.outbox]


def verbs(organization: Organization) -> list[str]:
    with scope(organization=organization):
        return list(Activity.objects.order_by("pk").values_list("verb", flat=True))


@pytest.mark.usefixtures("redis")
def test_a_founder_gets_a_waiting_page_and_the_operator_one_letter(
    founder: User, operator: User
) -> None:
    page = founded(founder)
    assert page.redirect_chain == [("/o/evil/", 302)]
    assert (page.status_code, page.templates[0].name) == (
        403,
        "courses/organizations/waiting.html",
    )
    assert "waits for the approval" in page.content.decode()

    evil = Organization.objects.get()
    subject = "Automaton Auditor: An organization asks for approval"
    assert letters_of(evil) == [([operator.email], subject)]
    assert letters_of(evil) == []


ADDRESSES = (
    "/o/evil/",
    "/o/evil/c/new/",
    "/o/evil/notices/",
    "/o/evil/webhooks/",
    "/o/evil/operations/",
    "/o/evil/nothing/here/",
)


def test_every_page_waits_for_the_founder_and_is_missing_for_others(
    founder: User, operator: User
) -> None:
    founded(founder)
    colleague = UserFactory.create()
    with everywhere():
        MembershipFactory(organization=Organization.objects.get(), user=colleague, role="owner")
    for address in ADDRESSES:
        statuses = [
            client_of(user).get(address).status_code
            for user in (founder, colleague, UserFactory.create(), operator)
        ]
        assert (address, statuses) == (address, [403, 404, 404, 404])


def test_nothing_can_be_written_before_approval(founder: User) -> None:
    founded(founder)
    written = client_of(founder).post("/o/evil/c/new/", {"name": "Cohort", "time_zone": "UTC"})
    assert (written.status_code, verbs(Organization.objects.get())) == (
        403,
        ["organization.founded"],
    )
    assert not User.objects.get(pk=founder.pk).is_staff
    assert client_of(founder).get("/admin/").status_code == 302


def test_the_api_answers_the_founder_with_one_error_and_others_as_missing(founder: User) -> None:
    founded(founder)
    for method, path in (("get", "cohorts/"), ("post", "rubrics/import/"), ("get", "webhooks/")):
        answer = getattr(client_of(founder), method)(f"/api/v1/o/evil/{path}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (
            403,
            "organization_not_approved",
        )
        other = getattr(client_of(UserFactory.create()), method)(f"/api/v1/o/evil/{path}")
        assert (other.status_code, other.json()["error"]["code"]) == (404, "not_found")
    listed = client_of(founder).get("/api/v1/organizations/").json()
    assert listed["results"] == []


def test_a_second_request_of_the_same_account_is_refused_and_keeps_what_was_typed(
    founder: User,
) -> None:
    founded(founder)
    page = founded(founder, "Evil again")
    assert "Evil still waits for approval." in page.content.decode()
    assert 'value="Evil again"' in page.content.decode()
    assert Organization.objects.count() == 1


def test_an_account_creates_no_more_organizations_than_its_limit(
    founder: User, operator: User, settings: Any
) -> None:
    settings.INSTITUTIONS_PER_ACCOUNT = 2
    for number in range(2):
        founded(founder, f"Evil {number}")
        answered(operator, "refuse", Organization.objects.get(slug=f"evil-{number}"))
    assert "which is the limit of an account" in founded(founder, "Third").content.decode()
    settings.INSTITUTIONS_BY_APPROVAL = False
    assert "which is the limit of an account" in founded(founder, "Third").content.decode()
    assert Organization.objects.count() == 2


@pytest.mark.usefixtures("redis")
def test_an_approved_organization_opens_and_its_founder_gets_one_letter(
    founder: User, operator: User
) -> None:
    founded(founder)
    evil = Organization.objects.get()
    letters_of(evil)
    assert "Evil: approved." in answered(operator, "approve", evil)
    assert "Nothing changed." in answered(operator, "approve", evil)

    subject = "Automaton Auditor: Evil was approved by the operator of this site"
    assert letters_of(evil) == [([founder.email], subject)]
    assert client_of(founder).get("/o/evil/").status_code == 200
    assert client_of(founder).get("/admin/").status_code == 200
    assert verbs(evil) == ["organization.founded", "organization.approved", "administration.opened"]


@pytest.mark.usefixtures("redis")
def test_a_refused_organization_stays_closed_and_its_founder_gets_one_letter(
    founder: User, operator: User
) -> None:
    founded(founder)
    evil = Organization.objects.get()
    letters_of(evil)
    answered(operator, "refuse", evil)
    assert "Nothing changed." in answered(operator, "refuse", evil)

    subject = "Automaton Auditor: Evil was not approved by the operator of this site"
    assert letters_of(evil) == [([founder.email], subject)]
    page = client_of(founder).get("/o/evil/")
    assert (page.status_code, "has not approved Evil" in page.content.decode()) == (403, True)


def test_withdrawn_approval_closes_pages_and_administration(operator: User) -> None:
    organization = OrganizationFactory.create()
    teacher = staff_user(organization)
    User.objects.filter(pk=teacher.pk).update(is_staff=True)
    answered(operator, "refuse", organization)
    assert verbs(organization) == ["organization.approval_withdrawn", "administration.closed"]
    assert client_of(teacher).get(f"/o/{organization.slug}/").status_code == 404
    assert not User.objects.get(pk=teacher.pk).is_staff


def test_an_audit_queued_before_the_approval_was_withdrawn_fails_with_its_reason(
    operator: User,
) -> None:
    audit = AuditFactory.create()
    answered(operator, "refuse", audit.organization)
    run_audit(str(audit.pk), 1)
    with everywhere():
        ended = Audit.objects.get(pk=audit.pk)
    assert (ended.state, ended.failure_code) == (AuditState.FAILED, "organization_not_approved")
    assert (ended.overall_score, ended.report) == (None, None)


def test_only_operators_can_approve(founder: User) -> None:
    founded(founder)
    evil, own = Organization.objects.get(), OrganizationFactory.create()
    teacher = staff_user(own)
    User.objects.filter(pk=teacher.pk).update(is_staff=True)
    page = client_of(teacher).get(LIST).content.decode()
    assert (own.name in page, "Evil" in page, 'value="approve"' in page) == (True, False, False)

    data = {"action": "approve", "_selected_action": [evil.pk, own.pk]}
    client_of(teacher).post(LIST, data)
    typed = {"name": "Evil", "approved_at_0": "2026-01-01", "approved_at_1": "00:00"}
    client_of(teacher).post(reverse("admin:grading_organization_change", args=[evil.pk]), typed)
    assert not Organization.objects.get(pk=evil.pk).is_approved
    with pytest.raises(RoleRefused):
        approve_organization(organization=evil, by=teacher)


def test_only_operators_rename_what_they_approved(operator: User, settings: Any) -> None:
    settings.INSTITUTIONS_BY_APPROVAL = True
    own = OrganizationFactory.create(name="Own")
    teacher = staff_user(own)
    User.objects.filter(pk=teacher.pk).update(is_staff=True)
    change = reverse("admin:grading_organization_change", args=[own.pk])
    for by, name in ((teacher, "Own"), (operator, "Northfield Institute")):
        client_of(by).post(change, {"name": "Northfield Institute"})
        assert Organization.objects.get(pk=own.pk).name == name


def test_an_operators_own_organization_is_approved(operator: User) -> None:
    page = founded(operator, "Ours")
    assert page.status_code == 200
    assert Organization.objects.get().is_approved


def test_home_names_the_organization_that_waits(founder: User) -> None:
    founded(founder)
    page = client_of(founder).get("/").content.decode()
    assert "Evil waits for approval" in page


@pytest.fixture
def without_approval(settings: Any) -> None:
    settings.INSTITUTIONS_BY_APPROVAL = False
    settings.PROSECUTOR_MODEL = settings.DEFENSE_MODEL = settings.TECH_LEAD_MODEL = "a-model"


@pytest.mark.usefixtures("without_approval")
def test_where_no_approval_is_needed_an_organization_works_without_the_operators_models(
    founder: User, operator: User
) -> None:
    assert founded(founder).status_code == 200
    evil = Organization.objects.get()
    assert not evil.is_approved
    client_of(founder).post("/o/evil/c/new/", {"name": "Cohort", "time_zone": "UTC"})
    address = "/o/evil/c/cohort/a/new/"
    page = client_of(founder).get(address).content.decode()
    assert 'value="heuristic"' in page
    assert 'value="llm"' not in page

    assignment = {
        "title": "Work",
        "rubric": "shipped:points",
        "late_policy": "refuse",
        "team_formation": "none",
        "team_size_max": "3",
        "max_attempts": 1,
        "counting_policy": "latest",
        "bench": "llm",
        "release_policy": "provisional",
        "appeal_days": 0,
        "max_appeals": 0,
    }
    refused = client_of(founder).post(address, assignment)
    assert "Language models need the approval" in refused.context["form"].errors["bench"][0]

    answered(operator, "approve", evil)
    assert 'value="llm"' in client_of(founder).get(address).content.decode()
    assert client_of(founder).post(address, assignment).status_code == 302


def test_a_taken_short_name_is_refused_beside_its_field(founder: User) -> None:
    OrganizationFactory.create(slug="evil")
    page = founded(founder)
    assert "slug" in page.context["form"].errors
    assert create_organization(name="Other", slug="other", founder=founder).founder == founder


def test_approval_leads_to_a_first_course_and_later_to_the_organization(
    founder: User, operator: User
) -> None:
    founded(founder)
    organization = Organization.objects.get()
    approve_organization(organization=organization, by=operator)
    form = client_of(founder).get(path_of_the_newest_letter(organization)).context["form"]
    assert form["organization"].value() == organization.slug
    assert form["organization"].field.choices[0][0] == organization.slug

    refuse_organization(organization=organization, by=operator)
    own = reverse("organization", args=[organization.slug])
    assert path_of_the_newest_letter(organization) == own
    CohortFactory.create(organization=organization)
    approve_organization(organization=organization, by=operator)
    assert path_of_the_newest_letter(organization) == own


def path_of_the_newest_letter(organization: Organization) -> str:
    with scope(organization=organization):
        return Notice.objects.order_by("pk").values_list("path", flat=True).last() or ""
