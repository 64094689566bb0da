"""The log: every verb in words, everything named, and filters that hold."""

from __future__ import annotations

import ast
import re
from datetime import UTC, date, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_scopes import scope

from grading.activity_log.presenters import FAMILIES, SENTENCES, family_name, sentence_of
from grading.activity_log.queries import LogCursor, LogFilter, log_of
from grading.appeals.decisions import keep_verdict
from grading.core.activity_writer import record_activity
from grading.models import Activity, Cohort
from tests.factories.people import CohortFactory, UserFactory, staff_user, student
from tests.factories.released import Released, filed
from tests.factories.work import SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
VERB = re.compile(r"[a-z_]+\.[a-z_]+")


def verbs_of(source: str) -> set[str]:
    """Return the texts given as `verb=...` or assigned to `verb`."""
    tree = ast.parse(source)
    values: list[ast.expr] = [
        keyword.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "verb"
    ]
    values += [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and any(getattr(target, "id", "") == "verb" for target in node.targets)
    ]
    constants = [
        part.value for value in values for part in ast.walk(value) if isinstance(part, ast.Constant)
    ]
    return {text for text in constants if isinstance(text, str) and VERB.fullmatch(text)}


def test_every_verb_that_is_logged_has_a_sentence() -> None:
    files = Path(settings.BASE_DIR, "grading").rglob("*.py")
    used = {verb for file in files for verb in verbs_of(file.read_text(encoding="utf-8"))}
    assert {"audit.requeued", "appeal.filed", "submission.handed_in"} < used
    assert used - SENTENCES.keys() == set()


@pytest.mark.parametrize(
    ("verb", "detail", "words"),
    [
        (
            "grade.released",
            {"score": 4.2, "before": None, "note": ""},
            "released the grade, 4.2 of 5",
        ),
        (
            "grade.released",
            {"score": 0.0, "before": 3.1, "note": "Late."},
            "released the grade, 0 of 5 (before: 3.1): Late.",
        ),
        (
            "criterion.overridden",
            {"criterion": "Tidy", "score": 4, "reason": "Read."},
            "overrode the score of “Tidy”: none → 4: Read.",
        ),
        (
            "audit.finished",
            {"state": "degraded", "overall_score": None},
            "finished the audit: degraded",
        ),
        ("unheard.of_verb", {}, "unheard: of verb"),
        (
            "audit.finished",
            {"state": "needs_review", "overall_score": 4.0},
            "finished the audit: needs review, 4 of 5",
        ),
        (
            "audit.failed",
            {"code": "repository_empty"},
            "ended the audit with an error (repository empty)",
        ),
        (
            "bulk.started",
            {"what": "rejudge", "total": 3, "rubric": "R v2"},
            "started a bulk run: re-judge 3 under R v2",
        ),
        ("membership.granted", {"role": "owner"}, "gave a member the role owner"),
    ],
)
def test_sentence_contains_the_details_that_exist(
    verb: str, detail: dict[str, Any], words: str
) -> None:
    assert sentence_of(verb, detail) == words


def logged(
    cohort: Cohort, verb: str = "cohort.opened", *, actor: Any = None, about: Any = None
) -> None:
    with scope(organization=cohort.organization):
        record_activity(
            organization=cohort.organization, actor=actor, verb=verb, about=about or cohort
        )


def entries_for(
    cohort: Cohort, before: LogCursor | None = None, limit: int = 100, **narrowed: Any
) -> Any:
    reader = staff_user(cohort.organization)
    with scope(organization=cohort.organization):
        return log_of(cohort, LogFilter(**narrowed), reader=reader, before=before, limit=limit)


def test_log_has_entries_of_its_cohort_newest_first():
    cohort, other = CohortFactory.create(), CohortFactory.create()
    logged(other)
    logged(cohort)
    logged(cohort, "assignment.created")
    assert [entry.verb for entry in entries_for(cohort).entries] == [
        "assignment.created",
        "cohort.opened",
    ]


def test_pages_contain_every_entry_once_even_with_equal_times(monkeypatch):
    cohort, at = CohortFactory.create(), timezone.now()
    with scope(organization=cohort.organization):
        for number in range(7):
            logged(cohort, f"audit.n{number}")
        Activity.objects.bulk_create(
            Activity(
                organization=cohort.organization,
                cohort=cohort,
                verb=f"audit.m{n}",
                object_type="x",
                object_id="1",
            )
            for n in range(3)
        )
    page, verbs = entries_for(cohort, limit=4), list[str]()
    while True:
        verbs += [entry.verb for entry in page.entries]
        if page.older is None:
            break
        page = entries_for(cohort, before=page.older, limit=4)
    assert (len(verbs), len(set(verbs)), at < timezone.now()) == (10, 10, True)


def test_filters_select_entries():
    cohort, grace = CohortFactory.create(), UserFactory.create()
    logged(cohort, "audit.started")
    logged(cohort, "appeal.filed", actor=grace)
    today, day = date(*timezone.now().timetuple()[:3]), timedelta(days=1)
    filters: list[tuple[dict[str, Any], int]] = [
        ({"family": "appeal"}, 1),
        ({"family": "a"}, 0),
        ({"actor": grace.pk}, 1),
        ({"actor": 0}, 1),
        ({"since": today - day, "until": today}, 2),
        ({"since": today + day}, 0),
        ({"until": today - day}, 0),
    ]
    assert [len(entries_for(cohort, **narrowed).entries) for narrowed, _ in filters] == [
        count for _, count in filters
    ]


def test_entries_name_users_and_objects():
    cohort = CohortFactory.create()
    ada, grace = (
        student(cohort, name="Ada"),
        UserFactory.create(first_name="Grace", last_name="Hopper"),
    )
    submission = SubmissionFactory.create(
        assignment__cohort=cohort, assignment__title="Week 2", student=ada
    )
    logged(cohort, "submission.handed_in", actor=ada.user, about=submission)
    logged(cohort, "cohort.opened", actor=grace)
    gone = UserFactory.create()
    logged(cohort, "audit.started", actor=gone)
    gone.delete()
    entries = entries_for(cohort).entries
    assert [entry.actor for entry in entries] == ["a deleted account", "Grace Hopper", "Ada"]
    assert entries[2].about.text == "Ada, Week 2, attempt 1"


def log_page(released: Released, query: str = "") -> str:
    client = Client()
    client.force_login(released.teacher)
    answer = client.get(
        f"/o/{released.organization.slug}/c/{released.assignment.cohort.slug}/log/{query}"
    )
    assert answer.status_code == 200
    html = answer.content.decode()
    assert faults_of(html) == []
    return html


def test_log_page_shows_an_appeal_and_links_to_it():
    released = Released()
    appeal = filed(released)
    with scope(organization=released.organization):
        keep_verdict(appeal=appeal, answer="It was weighed.", by=released.teacher)
    html = log_page(released, "?family=appeal")
    assert html.index("kept the verdict") < html.index("appealed “Git forensics” (score 5)")
    assert html.count(f'href="/o/{released.organization.slug}/appeals/{appeal.pk}/"') == 2


def test_unknown_filter_is_reported_and_ignored():
    html = log_page(Released(), "?family=odd&actor=x&since=2026-13-01&before=nonsense-1&until=")
    assert (html.count('class="errorlist"'), "“before=nonsense-1” is not valid here" in html) == (
        3,
        True,
    )
    assert "released the grade" in html


def test_every_category_has_a_name():
    html = unescape(log_page(Released()))
    assert [
        f for f in FAMILIES if f'<option value="{f}">{family_name(f)}</option>' not in html
    ] == []
    assert [family for family in FAMILIES if family_name(family) == family] == []


def test_log_needs_the_same_queries_for_few_entries_as_for_many():
    released = Released()
    query_counts = []
    for more in (1, 5):
        for _ in range(more):
            logged(released.assignment.cohort, "submission.handed_in", about=released.submission)
            place = student(released.assignment.cohort)
            logged(released.assignment.cohort, "enrollment.linked", actor=place.user, about=place)
        with CaptureQueriesContext(connection) as queries:
            log_page(released)
        query_counts.append(len(queries))
    assert query_counts[0] == query_counts[1]


def test_cursor_keeps_microseconds():
    at = datetime(2026, 11, 21, 3, 4, 5, 123457, UTC)
    assert str(LogCursor(at, 7)) == f"{int(at.timestamp())}.123457-7"
