"""An organization's API key goes into the admin and never comes out again."""

import pytest
from django.urls import reverse

from grading.core.enums import Role
from grading.engine.bench_settings import provider_of
from grading.models import Activity, OrganizationBench
from tests.factories.people import MembershipFactory, OrganizationFactory, UserFactory, everywhere
from tests.factories.work import OrganizationBenchFactory

pytestmark = pytest.mark.django_db
ADD = reverse("admin:grading_organizationbench_add")
KEY = "sk-very-secret-0123456789"
OWN_MODELS = dict.fromkeys(("prosecutor_model", "defense_model", "tech_lead_model"), "own")
PRICED = dict.fromkeys(OWN_MODELS, "priced")


@pytest.fixture
def organization():
    return OrganizationFactory()


@pytest.fixture
def instructor(client, organization):
    user = UserFactory(is_staff=True)
    MembershipFactory(organization=organization, user=user, role=Role.INSTRUCTOR)
    client.force_login(user)
    return client


def form(organization, **fields):
    return {
        "organization": organization.pk,
        "batch": "per_criterion",
        "provider": "openai",
        **fields,
    }


def the_bench():
    with everywhere():
        return OrganizationBench.objects.get()


def the_key():
    with everywhere():
        return provider_of(OrganizationBench.objects.get())[0]


def change(bench):
    return reverse("admin:grading_organizationbench_change", args=[bench.pk])


def test_a_key_is_stored_sealed_and_rendered_on_no_page(instructor, organization):
    instructor.post(ADD, form(organization, new_key=KEY, **OWN_MODELS))
    bench = the_bench()
    pages = [
        instructor.get(change(bench)),
        instructor.get(reverse("admin:grading_organizationbench_changelist")),
    ]
    assert the_key() == KEY
    assert KEY not in bench.sealed_key
    for page in pages:
        assert KEY not in page.content.decode()
        assert bench.sealed_key not in page.content.decode()


def test_the_log_says_that_a_key_was_changed_not_which(instructor, organization):
    instructor.post(ADD, form(organization, new_key=KEY, **OWN_MODELS))
    with everywhere():
        noted = Activity.objects.get(verb="admin.added")
    assert "new_key" in str(vars(noted))
    assert KEY not in str(vars(noted))


def test_an_empty_field_keeps_the_key_and_a_tick_forgets_it(instructor, organization):
    instructor.post(ADD, form(organization, new_key=KEY, **OWN_MODELS))
    renamed = OWN_MODELS | {"prosecutor_model": "m"}
    instructor.post(change(the_bench()), form(organization, **renamed))
    assert (the_bench().prosecutor_model, the_key()) == ("m", KEY)
    instructor.post(change(the_bench()), form(organization, forget_key="on"))
    assert the_bench().sealed_key == ""


def test_only_the_operator_says_which_address_the_site_calls(instructor, organization, client):
    instructor.post(ADD, form(organization, base_url="https://169.254.169.254/v1"))
    assert the_bench().base_url == ""
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    client.post(change(the_bench()), form(organization, base_url="https://models.example.org/v1"))
    assert the_bench().base_url == "https://models.example.org/v1"


@pytest.mark.parametrize(
    ("budgets", "words"),
    [
        ({"monthly_budget_usd": "5"}, "A monthly budget needs a budget for one audit."),
        ({"audit_budget_usd": "5", "new_key": KEY, **OWN_MODELS}, "no price for"),
        ({"audit_budget_usd": "5"}, "no price for"),
        ({"audit_budget_usd": "-1", "new_key": KEY, **PRICED}, "greater than or equal to 0"),
    ],
)
def test_a_budget_that_could_not_be_kept_is_refused(
    instructor, organization, budgets, words, settings
):
    settings.MODEL_PRICES = {"priced": {}}
    settings.PROSECUTOR_MODEL, settings.DEFENSE_MODEL = "unpriced", "priced"
    settings.TECH_LEAD_MODEL = "priced"
    page = instructor.post(ADD, form(organization, **budgets))
    assert words in page.content.decode()


def test_a_second_bench_of_one_organization_is_refused_in_words(instructor, organization):
    OrganizationBenchFactory(organization=organization)
    page = instructor.post(ADD, form(organization))
    assert page.status_code == 200
    assert "already exists" in page.content.decode()


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"prosecutor_model": "gpt-expensive"}, "prosecutor_model", "The operator&#x27;s API key"),
        ({"new_key": KEY}, "defense_model", "Your own API key pays for your own models"),
        (
            {"new_key": KEY, **OWN_MODELS, "tech_lead_model": "bedrock_converse:claude"},
            "tech_lead_model",
            "Choose the provider above",
        ),
        (
            {"forget_key": "on", "prosecutor_model": "gpt-expensive"},
            "prosecutor_model",
            "The operator&#x27;s API key",
        ),
    ],
)
def test_models_that_the_organization_does_not_pay_are_refused_beside_the_field(
    instructor, organization, fields, field, words
):
    page = instructor.post(ADD, form(organization, **fields))
    assert page.status_code == 200
    assert field in page.context["adminform"].form.errors
    assert words in page.content.decode()
    with everywhere():
        assert not OrganizationBench.objects.exists()
