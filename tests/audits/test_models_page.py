"""Models and budgets on the site: who may, what is refused beside its field, what is shown and tried."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_rq import get_queue

from grading.core.enums import Bench, Role
from grading.core.fair_turns import BULK
from grading.engine.bench_settings import provider_of, settings_within
from grading.jobs import try_models
from grading.models import Activity, Audit, ModelUsage, OpinionRecord, OrganizationBench
from tests.factories.graded_work import page_of, signed_in
from tests.factories.model_server import Desk, model_endpoint
from tests.factories.people import OrganizationFactory, everywhere, staff_user
from tests.factories.work import AssignmentFactory, AuditFactory, OrganizationBenchFactory
from tests.model_endpoint.provider_protocols import ProtocolHandler
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
KEY = "sk-very-secret-0123456789"
OWN_MODELS = dict.fromkeys(("prosecutor_model", "defense_model", "tech_lead_model"), "good")
OWN = {"new_key": KEY, **OWN_MODELS}
# An address that needs no resolver, and that no test connects to.
PUBLIC = "https://8.8.8.8/v1"
AZURE = {"provider": "azure_openai", "provider_url": "https://8.8.8.8/?api-version=2024-10-21"}


@pytest.fixture
def organization() -> Any:
    return OrganizationFactory.create()


@pytest.fixture
def teacher(organization: Any) -> Client:
    return signed_in(staff_user(organization))


@pytest.fixture
def desk(settings: Any) -> Iterator[Desk]:
    with model_endpoint() as desk:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = desk.base_url, "a-key"
        settings.PROSECUTOR_MODEL = settings.DEFENSE_MODEL = "good"
        settings.TECH_LEAD_MODEL = "good"
        yield desk


def page(organization: Any) -> str:
    return f"/o/{organization.slug}/models/"


def sent(**fields: Any) -> dict[str, Any]:
    return {"batch": "per_criterion", "provider": "openai", **fields}


def save(client: Client, organization: Any, **fields: Any) -> Any:
    return client.post(page(organization), sent(**fields))


def stored() -> OrganizationBench:
    with everywhere():
        return OrganizationBench.objects.select_related("organization").get()


def key_of(bench: OrganizationBench) -> str:
    with everywhere():
        return provider_of(bench)[0]


def spend(audit: Audit, cost: str | None, *, is_trial: bool = False) -> None:
    figures = {"calls": 1, "prompt_tokens": 1500, "cached_tokens": 500, "completion_tokens": 20}
    with everywhere():
        ModelUsage.objects.create(
            organization=audit.organization,
            judge="TechLead",
            criterion_id="c",
            round=1,
            model="m",
            cost_usd=Decimal(cost) if cost else None,
            audit=None if is_trial else audit,
            **figures,
        )


def test_page_is_missing_for_an_assistant(organization: Any) -> None:
    assistant = signed_in(staff_user(organization, Role.ASSISTANT))
    assert assistant.get(page(organization)).status_code == 404
    assert save(assistant, organization, **OWN_MODELS, new_key=KEY).status_code == 404
    with everywhere():
        assert not OrganizationBench.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"prosecutor_model": "m"}, "prosecutor_model", "The operator's API key serves"),
        ({"new_key": KEY}, "defense_model", "Your own API key pays for your own models"),
        (
            {"new_key": KEY, **OWN_MODELS, "tech_lead_model": "bedrock_converse:claude"},
            "tech_lead_model",
            "Choose the provider above",
        ),
        ({**OWN, "provider": "skynet"}, "provider", "Select a valid choice. skynet is not one"),
        ({**OWN, "provider": "bedrock_converse"}, "provider", "Select a valid choice"),
        (
            {**OWN, "provider": "anthropic"},
            "provider",
            "The packages for Anthropic are not installed on this site.",
        ),
        ({"provider": "azure_openai"}, "provider", "The operator's API key is sent to"),
        ({"provider_url": PUBLIC}, "provider_url", "The operator's API key is sent to"),
        (
            {**OWN, "provider": "azure_openai"},
            "provider_url",
            "Azure OpenAI has no address of its own",
        ),
        (
            {**OWN, "provider": "azure_openai", "provider_url": PUBLIC},
            "provider_url",
            "Add the version of Azure's API",
        ),
        ({**OWN, "provider_url": f"{PUBLIC}?x=1"}, "provider_url", "Remove the “?”"),
        *(
            ({**OWN, "provider_url": url}, "provider_url", words)
            for url, words in [
                ("http://8.8.8.8/v1", "begins with https://"),
                ("file:///etc/passwd", "begins with https://"),
                ("models", "begins with https://"),
                ("https://", "begins with https://"),
                ("https://10.0.0.7/v1", "on a private network"),
                ("https://169.254.169.254/latest", "on a private network"),
                ("https://[::1]/v1", "on a private network"),
                ("https://[::ffff:10.0.0.7]/v1", "on a private network"),
                ("https://localhost/v1", "on a private network"),
                ("https://0x7f.1/v1", "Give the whole address"),
                ("https://8.8.8.8:8443/v1", "Only the standard https port"),
                ("https://me:word@8.8.8.8/v1", "a user name or password"),
            ]
        ),
        ({"monthly_budget_usd": "5"}, "audit_budget_usd", "A monthly budget needs a budget"),
        ({"audit_budget_usd": "5", "new_key": KEY, **OWN_MODELS}, "audit_budget_usd", "no price"),
        ({"audit_budget_usd": "-1"}, "audit_budget_usd", "greater than or equal to 0"),
        ({"batch": "all"}, "batch", "Select a valid choice"),
    ],
)
def test_settings_that_do_not_fit_are_refused_beside_their_field(
    teacher: Client, organization: Any, fields: dict[str, str], field: str, words: str
) -> None:
    answer = save(teacher, organization, **fields)
    assert [words in error for error in answer.context["form"].errors[field]] == [True]
    with everywhere():
        assert not OrganizationBench.objects.exists()
        assert not Activity.objects.filter(verb="bench.changed").exists()


def test_key_is_stored_sealed_and_on_no_page_and_in_no_log(
    teacher: Client, organization: Any
) -> None:
    assert save(teacher, organization, new_key=KEY, **OWN_MODELS).status_code == 302
    bench = stored()
    html = teacher.get(page(organization)).content.decode()
    refused = save(teacher, organization, new_key="sk-another", monthly_budget_usd="5")
    with everywhere():
        logged = Activity.objects.get(verb="bench.changed")
    assert (key_of(bench), KEY in bench.sealed_key) == (KEY, False)
    assert [text for text in (KEY, bench.sealed_key) if text in html] == []
    assert "sk-another" not in refused.content.decode()
    assert logged.detail["what"].endswith("API key")
    assert KEY not in json.dumps(logged.detail)
    assert bench.sealed_key not in json.dumps(logged.detail)


def test_blank_key_keeps_the_stored_one_and_a_tick_deletes_it(
    teacher: Client, organization: Any
) -> None:
    save(teacher, organization, new_key=KEY, **OWN_MODELS)
    save(teacher, organization, **OWN_MODELS | {"prosecutor_model": "m"})
    assert (stored().prosecutor_model, key_of(stored())) == ("m", KEY)
    save(teacher, organization, forget_key="on")
    assert (stored().prosecutor_model, stored().sealed_key) == ("", "")


def test_own_provider_is_asked_with_the_key_and_address_of_the_institution(
    teacher: Client, organization: Any, settings: Any
) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = False
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "operators", "https://operators.example"
    save(teacher, organization, **OWN, **AZURE)
    html = teacher.get(page(organization)).content.decode()
    with everywhere():
        given = settings_within(organization.pk, None)
    names = ("provider", "api_key", "base_url", "uses_environment", "public_only")
    assert [given[name] for name in names] == [
        "azure_openai",
        KEY,
        AZURE["provider_url"],
        False,
        True,
    ]
    assert set(given["models"].values()) == {"azure_openai:good"}
    assert ("Azure OpenAI" in html, AZURE["provider_url"] in html) == (True, True)
    assert faults_of(html) == []


@pytest.mark.parametrize(
    "change",
    [
        {"provider_url": "https://9.9.9.9/v1"},
        {"provider_url": ""},
        {"provider": "azure_openai", "provider_url": AZURE["provider_url"]},
    ],
)
def test_stored_key_is_not_sent_to_another_place_than_it_was_entered_for(
    teacher: Client, organization: Any, change: dict[str, str]
) -> None:
    save(teacher, organization, **OWN, provider_url=PUBLIC)
    moved = {**OWN_MODELS, "provider_url": PUBLIC, **change}
    refused = save(teacher, organization, **moved)
    assert list(refused.context["form"].errors) == ["new_key"]
    assert (stored().provider, stored().provider_url) == ("openai", PUBLIC)
    assert save(teacher, organization, **moved, new_key="another-key").status_code == 302
    assert (key_of(stored()), stored().provider_url) == ("another-key", change["provider_url"])


def test_address_of_the_operator_counts_before_that_of_a_teacher(
    teacher: Client, organization: Any
) -> None:
    internal = "http://10.0.0.7:8000/v1"
    OrganizationBenchFactory.create(organization=organization, base_url=internal)
    save(teacher, organization, **OWN, provider_url=PUBLIC)
    with everywhere():
        given = settings_within(organization.pk, None)
    assert (given["base_url"], given["public_only"]) == (internal, False)


def test_base_url_of_the_operator_stays_when_a_teacher_saves(
    teacher: Client, organization: Any
) -> None:
    address = "https://models.example.org/v1"
    OrganizationBenchFactory.create(organization=organization, base_url=address)
    save(teacher, organization, debate="on", base_url="https://169.254.169.254/v1")
    assert (stored().base_url, stored().debate) == (address, True)


def test_settings_that_were_saved_unchanged_are_not_logged(
    teacher: Client, organization: Any
) -> None:
    OrganizationBenchFactory.create(organization=organization)
    assert save(teacher, organization).status_code == 302
    with everywhere():
        assert not Activity.objects.filter(verb="bench.changed").exists()


def test_form_of_an_outdated_page_is_refused_once(teacher: Client, organization: Any) -> None:
    opened = teacher.get(page(organization)).context["form"].fingerprint
    save(teacher, organization, debate="on")
    answer = save(teacher, organization, seen=opened)
    assert "This changed since you opened the page" in answer.content.decode()
    assert stored().debate is True


def test_spending_is_listed_by_assignment_without_that_of_others(
    teacher: Client, organization: Any
) -> None:
    audit = AuditFactory.create(submission__assignment__cohort__organization=organization)
    for cost in ("0.75", None):
        spend(audit, cost)
    spend(audit, "0.01", is_trial=True)
    spend(AuditFactory.create(), "9")
    answer = teacher.get(page(organization))
    rows = [
        (row.assignment and row.assignment.title, row.cost_usd, row.calls, row.prompt_tokens)
        for row in answer.context["spending"]
    ]
    assert rows == [
        (audit.submission.assignment.title, Decimal("0.75"), 2, 3000),
        (None, Decimal("0.01"), 1, 1500),
    ]
    assert answer.context["spent"].cost_usd == Decimal("0.76")
    assert faults_of(answer.content.decode()) == []


def test_failures_of_models_are_listed_and_abstaining_heuristics_are_not(
    teacher: Client, organization: Any
) -> None:
    audit = AuditFactory.create(submission__assignment__cohort__organization=organization)
    with everywhere():
        for number, model in enumerate(("gpt", "heuristic/1")):
            OpinionRecord.objects.create(
                organization=organization,
                audit=audit,
                key=str(number),
                judge="Defense",
                criterion_id="c",
                round=1,
                document={"model": model, "failure": "rate_limited", "message": "Busy."},
            )
    rows = teacher.get(page(organization)).context["failures"]
    assert [(row.model, row.kind, row.message) for row in rows] == [
        ("gpt", "rate limited", "Busy.")
    ]
    with everywhere():
        OpinionRecord.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert teacher.get(page(organization)).context["failures"] == []


def run_trials(organization: Any) -> None:
    try_models(organization.pk)
    get_queue(BULK).empty()


def test_connection_that_answers_is_shown_with_the_answer_and_its_cost_counts(
    teacher: Client, organization: Any, desk: Desk
) -> None:
    assert teacher.post(page(organization), {"try": "1"}).status_code == 302
    waiting = teacher.get(page(organization)).context["trial"]
    run_trials(organization)
    trial = teacher.get(page(organization)).context["trial"]
    with everywhere():
        usage = ModelUsage.objects.get()
        assert Activity.objects.filter(verb="bench.tried").count() == 1
    assert (waiting.is_final, len(desk.requests)) == (False, 1)
    (answer,) = trial.answers
    assert (answer.model, answer.answer, answer.failure) == ("good", '{"sum": 5}', "")
    assert (answer.form, answer.seconds > 0, answer.tokens) == ("json_schema", True, 100)
    assert answer.has_price is False
    assert (usage.judge, usage.audit, usage.prompt_tokens) == ("Trial", None, 100)


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("unauthorised", "auth"),
        ("unknown", "invalid"),
        ("broken", "server"),
        ("malformed", "invalid"),
        ("refusing", "refusal"),
    ],
)
def test_failure_of_one_model_is_shown_by_its_type_beside_the_others(
    teacher: Client, organization: Any, desk: Desk, settings: Any, model: str, kind: str
) -> None:
    settings.DEFENSE_MODEL = model
    teacher.post(page(organization), {"try": "1"})
    run_trials(organization)
    answer = teacher.get(page(organization))
    rows = {row.model: row for row in answer.context["trial"].answers}
    failed = rows.pop(model)
    assert (failed.failure, [row.failure for row in rows.values()]) == (kind, [""])
    assert (failed.form in ("", "json_schema"), "Traceback" in failed.message) == (True, False)
    assert faults_of(answer.content.decode()) == []


def test_institutions_are_asked_each_at_its_address_with_its_own_key(
    settings: Any,
) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "operators", "http://127.0.0.1:9/v1"
    received = {}
    for key in ("first-key", "second-key"):
        organization = OrganizationFactory.create()
        teacher = signed_in(staff_user(organization))
        with model_endpoint(ProtocolHandler) as desk:
            # On a developer's machine an address on loopback may be saved.
            url = f"http://127.0.0.1:{desk.server_port}/?api-version=2024-10-21"
            place = {"provider": "azure_openai", "provider_url": url}
            assert (
                save(teacher, organization, **OWN_MODELS, new_key=key, **place).status_code == 302
            )
            run_trials(organization)
            received[key] = [request["headers"]["api-key"] for request in desk.requests]
        (answer,) = teacher.get(page(organization)).context["trial"].answers
        assert (answer.model, answer.answer) == ("azure_openai:good", '{"sum": 5}')
    assert received == {"first-key": ["first-key"], "second-key": ["second-key"]}


def test_second_trial_within_seconds_is_refused(
    teacher: Client, organization: Any, desk: Desk
) -> None:
    teacher.post(page(organization), {"try": "1"})
    again = teacher.post(page(organization), {"try": "1"}, follow=True)
    assert "Wait 30 seconds" in again.content.decode()
    assert get_queue(BULK).count == 1


def test_trial_without_models_or_money_is_refused_and_calls_nobody(
    teacher: Client, organization: Any, desk: Desk, settings: Any
) -> None:
    settings.TECH_LEAD_MODEL = ""
    without = teacher.post(page(organization), {"try": "1"}, follow=True)
    settings.TECH_LEAD_MODEL, settings.MONTHLY_BUDGET_USD = "good", Decimal(1)
    spend(AuditFactory.create(submission__assignment__cohort__organization=organization), "1.5")
    spent = teacher.post(page(organization), {"try": "1"}, follow=True)
    assert "No language models are configured here." in without.content.decode()
    assert "The budget of this month is spent." in spent.content.decode()
    assert (desk.requests, get_queue(BULK).count) == ([], 0)


def test_assignment_says_that_its_models_cannot_judge_and_links_to_their_page(
    teacher: Client, organization: Any
) -> None:
    assignment = AssignmentFactory.create(cohort__organization=organization, bench=Bench.LLM)
    assistant = signed_in(staff_user(organization, Role.ASSISTANT))
    html = teacher.get(page_of(assignment, "assignment")).content.decode()
    theirs = assistant.get(page_of(assignment, "assignment")).content.decode()
    assert [text.count("No language models are configured here.") for text in (html, theirs)] == [
        1,
        1,
    ]
    assert (html.count(page(organization)) > 1, page(organization) in theirs) == (True, False)


def test_page_needs_the_same_queries_for_three_assignments_as_for_one(
    teacher: Client, organization: Any, django_assert_max_num_queries: Any
) -> None:
    def queries() -> int:
        with django_assert_max_num_queries(15) as captured:
            assert teacher.get(page(organization)).status_code == 200
        return len(captured)

    def spend_on_an_assignment() -> None:
        spend(AuditFactory.create(submission__assignment__cohort__organization=organization), "1")

    spend_on_an_assignment()
    with_one = queries()
    spend_on_an_assignment()
    spend_on_an_assignment()
    assert queries() == with_one
