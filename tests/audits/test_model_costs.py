"""Costs of judges by a model: stored by answer, summed, and limited by a budget."""

from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.utils import timezone
from django_scopes import scope

from grading.audits import actions as audit_actions
from grading.audits.budgets import grant_budget
from grading.audits.queries import Usage, usage_of_audit, usage_of_cohort, usage_of_organization
from grading.core.enums import AuditState, Bench
from grading.engine.bench_settings import OPENAI_URL, provider_of, sealed_key, settings_of
from grading.jobs import run_audit
from grading.models import Audit, ModelUsage, OrganizationBench
from tests.factories.model_server import model_endpoint
from tests.factories.pdfs import Image, Page, make_pdf
from tests.factories.people import OrganizationFactory, everywhere
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import (
    AuditFactory,
    OrganizationBenchFactory,
    claimed,
    opinion_row,
    rubric_document,
    usage_row,
)

pytestmark = pytest.mark.django_db
PRICES = {"good": {"input": 1, "cached_input": 0.5, "output": 1000}}
# Of one good call of the endpoint: 36 fresh and 64 cached tokens, and 20 of answer.
BILL = Decimal("0.020068")


@pytest.fixture
def organization():
    return OrganizationFactory()


def running(organization, *costs):
    """A running audit by models that has bought answers at these costs."""
    audit = AuditFactory(
        submission__assignment__cohort__organization=organization,
        submission__assignment__bench=Bench.LLM,
    )
    lease = claimed(audit)
    with scope(organization=organization):
        for number, cost in enumerate(costs):
            opinion = opinion_row(f"key-{number}", usage=usage_row(cost_usd=cost))
            audit_actions.record_opinion(lease=lease, opinion=opinion)
    return audit, lease


def granted(organization, lease):
    with scope(organization=organization):
        return grant_budget(lease=lease)


def test_a_month_needs_a_bound_for_each_audit_in_the_database_too(organization):
    with pytest.raises(IntegrityError), transaction.atomic():
        OrganizationBenchFactory(organization=organization, monthly_budget_usd=10)


def test_without_budgets_there_is_no_limit(organization):
    _, lease = running(organization)
    assert granted(organization, lease) is None


def test_the_operators_budget_holds_where_the_organization_has_none(organization, settings):
    settings.AUDIT_BUDGET_USD = Decimal("0.5")
    _, lease = running(organization)
    assert granted(organization, lease) == Decimal("0.5")


def test_an_audit_taken_up_again_gets_what_is_left_of_its_budget(organization):
    OrganizationBenchFactory(organization=organization, audit_budget_usd=1)
    audit, lease = running(organization, 0.25, 0.5)
    assert granted(organization, lease) == Decimal("0.25")
    with everywhere():
        assert Audit.objects.get(pk=audit.pk).budget_usd == Decimal("0.25")


def test_all_running_audits_together_cannot_overdraw_a_month(organization):
    OrganizationBenchFactory(organization=organization, audit_budget_usd=4, monthly_budget_usd=10)
    leases = [running(organization)[1] for _ in range(4)]
    assert [granted(organization, lease) for lease in leases] == [4, 4, 2, 0]


def test_what_a_running_audit_has_bought_is_not_counted_twice(organization):
    OrganizationBenchFactory(organization=organization, audit_budget_usd=6, monthly_budget_usd=10)
    _, first = running(organization)
    assert granted(organization, first) == 6
    with scope(organization=organization):
        audit_actions.record_opinion(lease=first, opinion=opinion_row(usage=usage_row(cost_usd=5)))
    assert granted(organization, running(organization)[1]) == 4


def test_another_organizations_spending_is_its_own(organization):
    OrganizationBenchFactory(organization=organization, audit_budget_usd=1, monthly_budget_usd=1)
    running(OrganizationFactory(), 100)
    assert granted(organization, running(organization)[1]) == 1


def test_usage_is_summed_by_audit_cohort_and_organization_and_what_has_no_price_is_counted(
    organization,
):
    audit, _ = running(organization, 0.25, None)
    running(organization, 0.5)
    with scope(organization=organization):
        ModelUsage.objects.filter(cost_usd="0.5").update(
            created_at=timezone.now() - timedelta(days=1)
        )
        expected = Usage(2, 200, 128, 40, Decimal("0.25"), Decimal("0.25"), 1)
        assert (
            usage_of_audit(audit) == usage_of_cohort(audit.submission.assignment.cohort) == expected
        )
        assert usage_of_organization(organization) == Usage(
            3, 300, 192, 60, Decimal("0.75"), Decimal("0.25"), 1
        )
        assert usage_of_organization(
            organization, since=audit.created_at + timedelta(days=1)
        ) == Usage(0, 0, 0, 0, Decimal(0), Decimal(0), 0)


@pytest.fixture
def desk(settings):
    with model_endpoint() as desk:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = desk.base_url, "a-key"
        settings.PROSECUTOR_MODEL = settings.DEFENSE_MODEL = settings.TECH_LEAD_MODEL = "good"
        settings.JUDGES_SCREEN = False
        settings.MODEL_PRICES = PRICES
        yield desk


@pytest.fixture
def audit(tmp_path: Path, organization) -> Audit:
    make_repository(
        tmp_path / "work.git", [Commit(files={"README.md": "# Work", "main.py": "print()"})]
    )
    return AuditFactory(
        submission__repo_url=str(tmp_path / "work.git"),
        submission__assignment__cohort__organization=organization,
        submission__assignment__bench=Bench.LLM,
        submission__assignment__rubric_version__document=rubric_document(),
    )


OWN_MODELS = {
    "prosecutor_model": "theirs",
    "defense_model": "theirs",
    "tech_lead_model": "theirs",
    "sealed_key": sealed_key("their-key"),
}


def withdraw_approval(organization):
    organization.approved_at = None
    organization.save()


def judges_of(audit):
    return {judge["model"] for judge in after(audit).report["judges"].values()}


def after(audit):
    with everywhere():
        return Audit.objects.get(pk=audit.pk)


def test_every_answer_is_stored_with_what_it_took(audit, desk, organization):
    run_audit(str(audit.pk), 1)
    with scope(organization=organization):
        rows = ModelUsage.objects.values_list(
            "model", "calls", "prompt_tokens", "cached_tokens", "cost_usd"
        )
        assert list(rows) == [("good", 1, 100, 64, BILL)] * 6
        assert usage_of_audit(audit).cost_usd == 6 * BILL
    assert after(audit).report["usage"]["cost_usd"] == float(6 * BILL)


def with_a_picture(audit, folder):
    path = make_pdf(folder / "report.pdf", [Page(["Figure"], images=[Image(400, 300)])])
    with everywhere():
        audit.submission.pdf_sha256 = sha256(path.read_bytes()).hexdigest()
        audit.submission.pdf.save("report.pdf", ContentFile(path.read_bytes()))


def test_a_look_at_the_report_is_stored_beside_the_judges_answers_and_summed(
    audit, desk, organization, settings, tmp_path
):
    settings.VISION_MODEL, desk.transcripts = (
        "good",
        [{"is_diagram": False, "nodes": [], "arrows": []}],
    )
    with_a_picture(audit, tmp_path)
    run_audit(str(audit.pk), 1)
    with scope(organization=organization):
        looks = ModelUsage.objects.filter(judge=ModelUsage.VISION)
        assert list(looks.values_list("model", "round", "calls", "cost_usd")) == [
            ("good", 0, 1, BILL)
        ]
        assert usage_of_audit(audit).cost_usd == 7 * BILL
    report = after(audit).report
    assert (report["usage"]["cost_usd"], report["facts"]["pdf_diagram"]) == (
        float(7 * BILL),
        "none",
    )


def test_a_look_that_the_budget_does_not_cover_leaves_the_diagram_unknown(
    audit, desk, organization, settings, tmp_path
):
    settings.VISION_MODEL = "good"
    OrganizationBenchFactory(organization=organization, audit_budget_usd="0.001")
    with_a_picture(audit, tmp_path)
    run_audit(str(audit.pk), 1)
    facts = after(audit).report["facts"]
    assert (facts["pdf_diagram"], desk.requests) == (None, [])
    assert facts["unknown"]["pdf_diagram"].startswith(
        "The report's pictures were not looked at (budget): "
    )


def test_an_organizations_own_key_does_not_pay_for_the_operators_vision_model(
    audit, desk, organization, settings
):
    settings.VISION_MODEL, settings.SCREENING_MODEL = "eye", "sieve"
    with scope(organization=organization):
        assert settings_of(audit)["vision_model"] == "eye"
        assert settings_of(audit)["screening_model"] == "sieve"
        OrganizationBenchFactory(organization=organization, **OWN_MODELS)
        assert settings_of(audit)["vision_model"] is None
        assert settings_of(audit)["screening_model"] is None


def test_a_spent_budget_stops_before_the_next_call_and_marks_the_verdict(audit, desk, organization):
    OrganizationBenchFactory(organization=organization, audit_budget_usd="0.001")
    run_audit(str(audit.pk), 1)
    ended = after(audit)
    failures = {o["failure"] for c in ended.report["criteria"] for o in c["opinions"]}
    assert (ended.state, ended.overall_score, desk.requests) == (AuditState.DEGRADED, None, [])
    assert failures == {"budget"}


def test_an_organizations_own_models_judge_with_its_own_key(audit, desk, organization):
    OrganizationBenchFactory(organization=organization, **OWN_MODELS)
    run_audit(str(audit.pk), 1)
    assert judges_of(audit) == {"theirs"}
    assert set(desk.keys) == {"Bearer their-key"}


def test_the_operators_key_is_not_sent_to_an_organizations_own_address(audit, desk, organization):
    OrganizationBenchFactory(organization=organization, base_url=desk.base_url)
    run_audit(str(audit.pk), 1)
    assert (after(audit).failure_code, desk.requests) == ("bench_not_paid", [])


def test_the_operators_key_pays_for_the_operators_models_alone(audit, desk, organization):
    OrganizationBenchFactory(organization=organization, **OWN_MODELS | {"sealed_key": ""})
    run_audit(str(audit.pk), 1)
    assert (judges_of(audit), set(desk.keys)) == ({"good"}, {"Bearer a-key"})


def test_an_unapproved_organization_spends_none_of_the_operators_money(audit, desk, organization):
    withdraw_approval(organization)
    run_audit(str(audit.pk), 1)
    failed = after(audit)
    assert (failed.state, failed.failure_code) == (AuditState.FAILED, "bench_not_paid")
    assert (failed.overall_score, failed.report, desk.requests) == (None, None, [])


def test_an_unapproved_organizations_own_key_judges_at_its_own_address(audit, desk, organization):
    withdraw_approval(organization)
    OrganizationBenchFactory(organization=organization, base_url=desk.base_url, **OWN_MODELS)
    run_audit(str(audit.pk), 1)
    assert (judges_of(audit), set(desk.keys)) == ({"theirs"}, {"Bearer their-key"})


def test_an_unapproved_organizations_key_is_no_way_to_the_operators_address(organization, settings):
    settings.OPENAI_BASE_URL = "http://gateway.internal/v1"
    bench = OrganizationBenchFactory(organization=organization, **OWN_MODELS)
    assert provider_of(bench) == ("their-key", "http://gateway.internal/v1")
    withdraw_approval(organization)
    assert provider_of(bench) == ("their-key", OPENAI_URL)


@pytest.mark.parametrize("model", ["bedrock_converse:claude", "anthropic:claude"])
def test_a_model_that_the_servers_credentials_would_pay_is_not_asked(
    audit, desk, organization, model
):
    OrganizationBenchFactory(organization=organization, **OWN_MODELS | {"defense_model": model})
    run_audit(str(audit.pk), 1)
    assert (after(audit).failure_code, desk.requests) == ("bench_not_paid", [])


@pytest.mark.parametrize(
    ("own_key", "own", "operators", "granted_usd"),
    [
        ("", 9999, "0.01", "0.01"),
        ("", "0.005", "0.01", "0.005"),
        ("", None, "0.01", "0.01"),
        ("their-key", 9999, "0.01", 9999),
        ("their-key", None, "0.01", None),
    ],
)
def test_the_smaller_budget_counts_where_the_operator_pays(
    organization, settings, own_key, own, operators, granted_usd
):
    settings.AUDIT_BUDGET_USD = Decimal(operators)
    key = sealed_key(own_key) if own_key else ""
    OrganizationBenchFactory(organization=organization, audit_budget_usd=own, sealed_key=key)
    expected = None if granted_usd is None else Decimal(granted_usd)
    assert granted(organization, running(organization)[1]) == expected


def test_the_operators_month_holds_for_each_organization(organization, settings):
    settings.AUDIT_BUDGET_USD, settings.MONTHLY_BUDGET_USD = Decimal(4), Decimal(6)
    assert [granted(organization, running(organization)[1]) for _ in range(3)] == [4, 2, 0]
    other = OrganizationFactory()
    OrganizationBenchFactory(organization=other, audit_budget_usd=99, monthly_budget_usd=99)
    assert [granted(other, running(other)[1]) for _ in range(2)] == [4, 2]


def test_one_call_of_each_judge_where_the_organization_wants_it_so(audit, desk, organization):
    OrganizationBenchFactory(organization=organization, batch="per_judge")
    run_audit(str(audit.pk), 1)
    assert (after(audit).state, len(desk.requests)) == (AuditState.DONE, 3)
    with everywhere():
        assert ModelUsage.objects.count() == 3
        assert OrganizationBench.objects.count() == 1
