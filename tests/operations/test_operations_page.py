"""The Operations page: finished and failed audits, waits and cost, by hour or day."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import Role
from grading.models import Assignment, ModelUsage
from grading.operations.presenters import BASE, TOP, Bar, bar_chart_of
from grading.operations.queries import Operations, Period, PeriodUnit, longest_queues, operations_of
from tests.factories.graded_work import signed_in
from tests.factories.people import staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
THIS_HOUR = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(title="The auditor")
    return made


@pytest.fixture
def assistant(assignment: Assignment) -> Client:
    return signed_in(staff_user(assignment.organization, Role.ASSISTANT))


def ended(assignment: Assignment, at: datetime, waited: float = 10, **fields: Any) -> None:
    AuditFactory.create(
        submission__assignment=assignment,
        finished_at=at,
        started_at=at,
        queued_at=at - timedelta(seconds=waited),
        **({"done": True} | fields),
    )


def bought(assignment: Assignment, at: datetime, cost: str | None) -> None:
    with scope(organization=assignment.organization):
        made = ModelUsage.objects.create(
            organization=assignment.organization,
            judge="Defense",
            criterion_id="tidy",
            round=1,
            model="m",
            calls=1,
            prompt_tokens=1,
            cached_tokens=0,
            completion_tokens=1,
            cost_usd=cost,
        )
        ModelUsage.objects.filter(pk=made.pk).update(created_at=at)


def measured(assignment: Assignment, unit: PeriodUnit = "hour") -> Operations:
    with scope(organization=assignment.organization):
        return operations_of(unit, THIS_HOUR + timedelta(minutes=40))


def page(client: Client, assignment: Assignment, query: str = "") -> str:
    answer = client.get(f"/o/{assignment.organization.slug}/operations/{query}")
    assert answer.status_code == 200
    html = answer.content.decode()
    assert faults_of(html) == []
    return html


def test_students_cannot_open_the_page(assignment: Assignment) -> None:
    client = signed_in(student(assignment.cohort).user)
    assert client.get(f"/o/{assignment.organization.slug}/operations/").status_code == 404


def test_each_hour_counts_its_finished_audits_and_their_waits(
    assignment: Assignment,
) -> None:
    for waited in (10, 20, 30, 40, 50):
        ended(assignment, THIS_HOUR - HOUR, waited)
    ended(assignment, THIS_HOUR - 2 * HOUR, failed=True, done=False)
    ended(assignment, THIS_HOUR - 24 * HOUR)  # a day ago: no longer shown
    periods = measured(assignment).periods
    assert [period.begins for period in periods] == [
        THIS_HOUR - HOUR * back for back in range(23, -1, -1)
    ]
    assert [period for period in periods if period.ended] == [
        Period(THIS_HOUR - 2 * HOUR, ended=1, failed=1, waited_p50=10, waited_p95=10, longest=5),
        Period(THIS_HOUR - HOUR, ended=5, failed=0, waited_p50=30, waited_p95=48),
    ]


def test_audit_that_never_started_has_no_wait(assignment: Assignment) -> None:
    AuditFactory.create(submission__assignment=assignment, failed=True, finished_at=THIS_HOUR)
    (only,) = [period for period in measured(assignment).periods if not period.is_quiet]
    assert (only.ended, only.failed, only.waited_p50, only.waited_p95) == (1, 1, None, None)


def test_days_are_utc_and_answers_without_a_price_are_counted(
    assignment: Assignment,
) -> None:
    today = THIS_HOUR.replace(hour=0)
    bought(assignment, today - timedelta(seconds=1), "0.25")
    bought(assignment, today - timedelta(hours=23), "0.50")
    bought(assignment, today, None)
    assert [period for period in measured(assignment, "day").periods if not period.is_quiet] == [
        Period(today - timedelta(days=1), cost_usd=Decimal("0.75")),
        Period(today, unpriced=1),
    ]


def test_other_organizations_are_not_counted(assignment: Assignment) -> None:
    other = AssignmentFactory.create()
    ended(other, THIS_HOUR)
    bought(other, THIS_HOUR, "1")
    assert all(period.is_quiet for period in measured(assignment).periods)


def test_failures_are_listed_by_code_and_link_to_their_audits(
    assistant: Client, assignment: Assignment
) -> None:
    for _ in range(2):
        AuditFactory.create(submission__assignment=assignment, failed=True)
    AuditFactory.create(submission__assignment=assignment, failed=True, failure_code="pdf_missing")
    figures = measured(assignment)
    assert [(failure.code, failure.count) for failure in figures.failures] == [
        ("repository_empty", 2),
        ("pdf_missing", 1),
    ]
    html = page(assistant, assignment)
    assert [html.count(f"/audits/{audit.pk}/") for audit in figures.failed] == [1, 1, 1]


def test_waiting_audits_are_counted_with_the_oldest(assignment: Assignment) -> None:
    since = datetime(2026, 11, 1, tzinfo=UTC)
    AuditFactory.create(submission__assignment=assignment, state="queued", queued_at=since + HOUR)
    AuditFactory.create(submission__assignment=assignment, state="queued", queued_at=since)
    AuditFactory.create(submission__assignment=assignment, running=True)
    now = measured(assignment).now
    assert (now.waiting, now.running, now.oldest) == (2, 1, since)


def test_queue_holds_what_entered_and_has_not_left(assignment: Assignment) -> None:
    ended(assignment, THIS_HOUR - HOUR, waited=7200)  # left as the hour began
    ended(assignment, THIS_HOUR - timedelta(minutes=30), waited=3600)
    AuditFactory.create(
        submission__assignment=assignment, state="queued", queued_at=THIS_HOUR - 3 * HOUR
    )
    withdrawn = {"queued_at": THIS_HOUR - timedelta(minutes=45), "finished_at": THIS_HOUR}
    AuditFactory.create(submission__assignment=assignment, failed=True, **withdrawn)
    assert [period.longest for period in measured(assignment).periods][-5:] == [0, 2, 3, 3, 1]


def test_queue_length_of_a_period_includes_earlier_arrivals() -> None:
    begins = [THIS_HOUR, THIS_HOUR + HOUR]
    minutes = [(-5, 5), (5, 10), (20, 30), (25, 26), (59, None)]
    waits = [
        (
            THIS_HOUR + timedelta(minutes=came),
            None if left is None else THIS_HOUR + timedelta(minutes=left),
        )
        for came, left in minutes
    ]
    assert (longest_queues(waits, begins), longest_queues([], begins)) == ([2, 1], [0, 0])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?show=waiting", ["first", "second"]),
        ("?show=running", ["running"]),
        ("?show=ended", ["failed", "done"]),
        ("?show=ended&at={this_hour}", ["failed"]),
        ("?show=failed&code=repository_empty", ["failed"]),
        ("?show=failed&code=another", []),
        ("?show=queued&at={this_hour}", ["first", "second", "running"]),
        ("?show=paid", []),
        ("?show=nonsense", []),
    ],
)
def test_each_number_links_to_its_audits(
    assistant: Client, assignment: Assignment, query: str, expected: list[str]
) -> None:
    at = timezone.now().replace(minute=0, second=0, microsecond=0)
    made = {
        "first": AuditFactory.create(
            submission__assignment=assignment, state="queued", queued_at=at - HOUR
        ),
        "second": AuditFactory.create(
            submission__assignment=assignment, state="queued", queued_at=at
        ),
        "running": AuditFactory.create(submission__assignment=assignment, running=True),
    }
    for name, fields in (("failed", {"failed": True}), ("done", {"done": True})):
        when = {"failed": at, "done": at - HOUR}[name]
        made[name] = AuditFactory.create(
            submission__assignment=assignment,
            finished_at=when,
            started_at=when,
            queued_at=when,
            **fields,
        )
    address = f"/o/{assignment.organization.slug}/operations/" + query.format(
        this_hour=f"{at:%Y-%m-%dT%H:%MZ}"
    )
    answer: Any = assistant.get(address)
    names = {audit.pk: name for name, audit in made.items()}
    assert (
        [names[audit.pk] for audit in answer.context["page"]],
        faults_of(answer.content.decode()),
    ) == (
        expected,
        [],
    )


def test_charts_and_table_show_the_same_figures(assistant: Client, assignment: Assignment) -> None:
    empty = page(assistant, assignment)
    assert (empty.count('class="over-time'), "No activity in this period" in empty) == (0, True)
    at = timezone.now()
    ended(assignment, at, 12)
    bought(assignment, at, "1.5")
    html, label = page(assistant, assignment), f"{at:%H}:00"
    for words in (
        f"Finished audits, by hour. {label}: 1.",
        f"Seconds in the queue, by hour. {label}: median 12, 95th percentile 12.",
        f"Cost of models in US dollars, by hour. {label}: 1.50.",
    ):
        assert f'aria-label="{words}"' in html
    assert f'aria-label="Most audits waiting at once, by hour. {label}: 1.' in html
    assert '<td data-label="Median wait">12 s</td>' in re.sub(r">\s+", ">", html)
    assert '#listed-heading">1.50 USD</a>' in html


def test_unknown_period_is_reported(assistant: Client, assignment: Assignment) -> None:
    html = page(assistant, assignment, "?by=year")
    assert ("“by=year” is not valid here" in html, "Last 24 hours" in html) == (True, True)
    assert "Last 30 days" in page(assistant, assignment, "?by=day")


def test_number_of_queries_is_constant(assistant: Client, assignment: Assignment) -> None:
    def query_count() -> int:
        with CaptureQueriesContext(connection) as queries:
            page(assistant, assignment)
        return len(queries)

    query_count()
    counts = []
    for number in (1, 3):
        for _ in range(number):
            AuditFactory.create(submission__assignment=assignment, failed=True)
            bought(assignment, timezone.now(), "1")
        counts.append(query_count())
    assert counts[0] == counts[1] <= 15


def test_parts_are_stacked_under_a_round_scale() -> None:
    chart = bar_chart_of(
        "Ended", [Bar("10:00", "10:00: 8", (6, 2)), Bar("11:00", "11:00: 0", (0, 0))], "ab"
    )
    assert chart is not None
    assert [(block.kind, block.y, block.height) for block in chart.blocks] == [
        ("a", BASE - 72.0, 72.0),
        ("b", BASE - 96.0, 24.0),
    ]
    assert [text for text, _ in chart.scale] == ["0", "5", "10"]
    assert (chart.words, chart.scale[-1][1]) == ("Ended. 10:00: 8.", TOP)


@pytest.mark.parametrize(
    ("most", "whole", "top"),
    [
        (1, True, "1"),
        (3, True, "5"),
        (23, True, "25"),
        (0.004, False, "0.005"),
        (1000, False, "1000"),
        (60, False, "100"),
    ],
)
def test_the_scale_ends_at_the_next_round_number(most: float, whole: bool, top: str) -> None:
    chart = bar_chart_of("x", [Bar("", "", (most,))], "a", whole=whole)
    assert chart is not None
    assert chart.scale[-1][0] == top


def test_empty_bars_make_no_chart() -> None:
    assert bar_chart_of("x", [Bar("", "", (0,)), Bar("", "", (None,))], "a") is None
