"""/metrics: to the bearer of the token alone, over all institutions, and nobody's name in it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from grading.core.audit_queue import enqueue
from grading.core.enums import AuditKind
from grading.models import ModelUsage
from tests.factories.people import everywhere
from tests.factories.work import AuditFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
TOKEN = "only-the-operator's"
Samples = dict[tuple[str, ...], float]


@pytest.fixture(autouse=True)
def _token(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN


def scraped(client: Client) -> str:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (200, "text/plain")
    return answer.content.decode()


def samples(text: str) -> Samples:
    """Every value by its name and the values of its labels, which are sorted by their names."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.mark.parametrize(
    "given", ["", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"]
)
def test_without_the_token_there_is_no_such_page(client: Client, given: str) -> None:
    assert client.get("/metrics", headers={"Authorization": given}).status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer "])
def test_without_the_setting_there_is_no_such_page(
    client: Client, settings: Any, given: str
) -> None:
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": given}).status_code == 404


def test_what_waits_ended_and_failed_is_counted_over_all_institutions(client: Client) -> None:
    now = timezone.now()
    enqueue(AuditFactory.create(queued_at=now - timedelta(minutes=10)))
    AuditFactory.create(queued_at=now - timedelta(minutes=2))
    AuditFactory.create(running=True)
    AuditFactory.create(done=True, kind=AuditKind.INSTRUCTOR)
    AuditFactory.create(failed=True, failure_code="repository_too_slow")
    metrics = samples(scraped(client))
    # The clock may step back a little, and the page may take its time.
    assert 595 < metrics.pop(("auditor_oldest_waiting_seconds", "submissions")) < 700
    assert {key: value for key, value in metrics.items() if value} == {
        ("auditor_audits_waiting", "submissions"): 2,
        ("auditor_audits", "queued"): 2,
        ("auditor_audits", "running"): 1,
        ("auditor_audits", "done"): 1,
        ("auditor_audits", "failed"): 1,
        ("auditor_audit_failures_total", "repository_too_slow"): 1,
        ("auditor_queue_jobs", "submissions"): 1,
        ("auditor_queue_answers",): 1,
    }


def test_what_ended_before_this_month_is_not_counted(client: Client) -> None:
    before = timezone.now() - timedelta(days=32)
    AuditFactory.create(done=True, finished_at=before)
    AuditFactory.create(failed=True, finished_at=before)
    # It waits since then: what is not over counts whatever its age.
    AuditFactory.create(queued_at=before)
    counted = {key: value for key, value in samples(scraped(client)).items() if value}
    assert counted[("auditor_audits", "queued")] == 1
    assert {key[1] for key in counted if key[0] == "auditor_audits"} == {"queued"}
    assert [key for key in counted if key[0] == "auditor_audit_failures_total"] == []


def test_stage_times_are_of_the_last_hour(client: Client) -> None:
    now = timezone.now()
    for seconds, ended in ((1.0, now), (3.0, now), (9.0, now - timedelta(hours=2))):
        report = {"schema": "automaton-auditor/report@1", "timings": {"ChiefJustice": seconds}}
        AuditFactory.create(done=True, report=report, finished_at=ended)
    metrics = samples(scraped(client))
    assert [
        metrics[key]
        for key in (
            ("auditor_stage_seconds", "median", "ChiefJustice"),
            ("auditor_stage_seconds", "longest", "ChiefJustice"),
            ("auditor_stage_audits", "ChiefJustice"),
        )
    ] == [2.0, 3.0, 2.0]


def test_what_models_were_asked_is_summed_by_model(client: Client) -> None:
    for audit in (AuditFactory.create(), AuditFactory.create()):
        with everywhere():
            ModelUsage.objects.create(
                organization=audit.organization,
                audit=audit,
                judge="Defense",
                criterion_id="a",
                round=1,
                model="m-1",
                calls=2,
                prompt_tokens=100,
                cached_tokens=60,
                completion_tokens=10,
                cost_usd="0.25",
            )
    metrics = samples(scraped(client))
    names = ("prompt", "cached", "completion")
    assert [metrics["auditor_model_tokens_total", name, "m-1"] for name in names] == [200, 120, 20]
    assert (
        metrics["auditor_model_calls_total", "m-1"],
        metrics["auditor_model_cost_usd_total", "m-1"],
    ) == (4, 0.5)


def test_nobody_is_named(client: Client) -> None:
    audit = AuditFactory.create(failed=True)
    student = audit.submission.student
    text = scraped(client)
    private = (
        audit.organization.name,
        audit.organization.slug,
        student.email,
        student.name,
        str(audit.pk),
    )
    assert [word for word in private if word in text] == []


@pytest.mark.parametrize("audits", [1, 3])
def test_a_scrape_costs_the_same_whatever_there_is(
    client: Client, audits: int, django_assert_num_queries: Any
) -> None:
    for _ in range(audits):
        AuditFactory.create(done=True)
    with django_assert_num_queries(7):
        scraped(client)


def test_of_a_queue_that_does_not_answer_no_depth_is_told(client: Client, settings: Any) -> None:
    settings.RQ_QUEUES = {name: {"URL": "redis://127.0.0.1:1/0"} for name in settings.QUEUES}
    metrics = samples(scraped(client))
    assert [key for key in metrics if key[0] in {"auditor_queue_jobs", "auditor_workers"}] == []
    assert metrics[("auditor_queue_answers",)] == 0
