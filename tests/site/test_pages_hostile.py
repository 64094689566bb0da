"""What students wrote, and what was said of it, is text on every page: no tag, no address of its own, no script."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from grading.templatetags.prose import MOST_CHARACTERS, markdown
from tests.factories.people import CohortFactory, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.site.page_reading import Page, faults_of
from tests.site.report_example import report_json

PAYLOADS = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'><svg/onload=alert(1)>",
    "</code></pre><iframe src=//elsewhere.example>",
    "[go](javascript:alert(1)) ![x](https://elsewhere.example/x.png)",
    "{{ 7|add:7 }}{% load static %}",
)  # fmt: skip
CHOSEN_BY_US = {"status", "judge", "priority", "kind", "schema", "failure", "detective", "key"}
PLAIN = {"script", "img", "iframe", "object", "embed", "base", "style"}


def poisoned(value: Any, payload: str, name: str = "") -> Any:
    """The report with the payload in every text that is not one of our own words."""
    if isinstance(value, dict):
        return {key: poisoned(part, payload, key) for key, part in value.items()}
    if isinstance(value, list):
        return [poisoned(part, payload, name) for part in value]
    return value + payload if isinstance(value, str) and name not in CHOSEN_BY_US else value


@pytest.mark.django_db
@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_report_full_of_hostile_text_shows_it_as_text(payload: str) -> None:
    enrolled = student(CohortFactory.create(), name=f"Ada {payload}"[:200])
    assignment = AssignmentFactory.create(
        cohort=enrolled.cohort, title=f"Week {payload}", instructions=payload
    )
    submission = SubmissionFactory.create(
        assignment=assignment, student=enrolled, repo_url=f"https://x/{payload}"
    )
    audit = AuditFactory.create(submission=submission, done=True, report=poisoned(report_json(), payload))
    client = Client()
    client.force_login(enrolled.user)
    page = client.get(f"/o/{audit.organization.slug}/audits/{audit.pk}/").content.decode()
    assert [tag for tag, _ in Page(page).tags if tag in PLAIN] == []
    assert [fault for fault in faults_of(page) if not fault.startswith("leads nowhere")] == []
    assert [
        a["href"] for a in Page(page).named("a") if "javascript:" in (a.get("href") or "").lower()[:12]
    ] == []


@pytest.mark.parametrize("payload", PAYLOADS)
def test_markdown_lets_no_tag_or_foreign_picture_through(payload: str) -> None:
    tags = Page(markdown(payload)).tags
    assert [tag for tag, attributes in tags if tag in PLAIN or set(attributes) - {"href", "rel"}] == []
    assert [a for _, a in tags if (a.get("href") or "").startswith("javascript")] == []


def test_markdown_is_cut_where_it_would_take_long() -> None:
    assert markdown("a" * (MOST_CHARACTERS + 10)) == f"<p>{'a' * MOST_CHARACTERS}</p>\n"


def test_the_page_of_a_breakdown_needs_nothing_but_itself() -> None:
    assert faults_of(render_to_string("500.html")) == []
