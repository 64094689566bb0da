"""Every page: one heading of first rank and none skipped, labelled controls, drawings in words, nothing inline."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from grading.enums import AuditState
from tests.factories.people import CohortFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.site.report_example import report_json

COHORT = "/o/{org}/c/autumn/"
STUDENT_PAGES = ("/", "/organizations/new/", "/o/{org}/", COHORT, COHORT + "a/auditor/", COHORT + "a/auditor/submit/", "/accounts/email/", "/accounts/password/change/", "/nowhere/")  # fmt: skip
STAFF_PAGES = (
    COHORT,
    COHORT + "roster/",
    COHORT + "a/new/",
    COHORT + "a/auditor/",
    "/o/{org}/c/new/",
    "/o/{org}/",
)
STRANGERS_PAGES = ("/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/")
VOID = {"meta", "link", "input", "br", "hr", "img", "circle", "line", "path", "rect", "polygon"}


class Page(HTMLParser):
    """What the checks need of a page: its tags, and what was wrong on the way through them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.feed(html)
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]} in line {self.getpos()[0]}")
        elif self.open:
            self.open.pop()

    def named(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in names]


def faults_of(html: str) -> list[str]:
    page = Page(html)
    return [*page.faults, *headings(page), *controls(page), *references(page), *inline(page), *drawings(page)]


def headings(page: Page) -> list[str]:
    ranks = [int(tag[1]) for tag, _ in page.tags if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}]
    skipped = [f"h{after} after h{before}" for before, after in pairwise(ranks) if after > before + 1]
    return skipped if ranks.count(1) == 1 and ranks[0] == 1 else [f"headings {ranks}", *skipped]


def controls(page: Page) -> list[str]:
    labelled = {label.get("for") for label in page.named("label")}
    shown = [c for c in page.named("input", "select", "textarea") if c.get("type") != "hidden"]
    bare = [str(c.get("name")) for c in shown if c.get("id") not in labelled and "aria-label" not in c]
    nameless = [] if [html.get("lang") for html in page.named("html")] == ["en"] else ["no language"]
    return [f"no label: {name}" for name in bare] + nameless


def references(page: Page) -> list[str]:
    ids = Counter(a["id"] for _, a in page.tags if a.get("id"))
    twice = [f"id twice: {name}" for name, times in ids.items() if times > 1]
    named = {
        name
        for _, a in page.tags
        for key in ("aria-describedby", "aria-labelledby")
        for name in (a.get(key) or "").split()
    }
    links = {(a.get("href") or "")[1:] for a in page.named("a") if (a.get("href") or "").startswith("#")}
    return twice + [f"leads nowhere: {name}" for name in (named | links) - set(ids)]


def inline(page: Page) -> list[str]:
    styled = [
        f"{tag} {name}" for tag, a in page.tags for name in a if name == "style" or name.startswith("on")
    ]
    scripts = [
        str(a) for a in page.named("script") if not a.get("src") and a.get("type") != "application/json"
    ]
    return styled + scripts + ["<style>" for _ in page.named("style")]


def drawings(page: Page) -> list[str]:
    told = [
        a
        for a in page.named("svg")
        if a.get("aria-hidden") == "true" or (a.get("role") == "img" and a.get("aria-label"))
    ]
    headers = [a for a in page.named("th") if a.get("scope") not in {"row", "col"}]
    return [f"{len(page.named('svg')) - len(told)} silent drawings"] * (told != page.named("svg")) + [
        "th without scope"
    ] * bool(headers)


class Court:
    """A cohort with a student, their work, and staff."""

    def __init__(self) -> None:
        cohort = CohortFactory.create(slug="autumn")
        self.assignment = AssignmentFactory.create(
            cohort=cohort, slug="auditor", instructions="# Write\n\n### an *auditor*."
        )
        self.student, self.org = student(cohort), cohort.organization.slug
        self.submission = SubmissionFactory.create(assignment=self.assignment, student=self.student)

    def read(self, user: Any, address: str, *, post: bool = False) -> str:
        client = Client()
        if user:
            client.force_login(user)
        where = address.format(org=self.org)
        return (client.post(where, {}) if post else client.get(where)).content.decode()


@pytest.fixture
def court(db: None) -> Court:
    return Court()


@pytest.mark.parametrize("address", STUDENT_PAGES)
def test_a_students_page_is_sound(address: str, court: Court) -> None:
    AuditFactory.create(submission=court.submission)
    assert faults_of(court.read(court.student.user, address)) == []


@pytest.mark.parametrize("address", STAFF_PAGES)
def test_a_page_of_staff_is_sound(address: str, court: Court) -> None:
    assert faults_of(court.read(staff_user(court.assignment.organization), address)) == []


@pytest.mark.parametrize("address", STRANGERS_PAGES)
def test_a_strangers_page_is_sound(address: str, court: Court) -> None:
    assert faults_of(court.read(None, address)) == []


@pytest.mark.parametrize(
    "address", ["/organizations/new/", COHORT + "a/auditor/submit/", "/accounts/password/change/"]
)
def test_a_form_full_of_refusals_is_sound(address: str, court: Court) -> None:
    assert faults_of(court.read(court.student.user, address, post=True)) == []


@pytest.mark.parametrize("status", ["verdict", "needs_review", "degraded"])
def test_a_report_is_sound(status: Any, court: Court) -> None:
    state = AuditState.DONE if status == "verdict" else AuditState(status)
    score = 3.2 if status == "verdict" else None
    audit = AuditFactory.create(
        submission=court.submission,
        done=True,
        state=state,
        report=report_json(status=status),
        overall_score=score,
    )
    assert faults_of(court.read(court.student.user, f"/o/{{org}}/audits/{audit.pk}/")) == []


@pytest.mark.parametrize("state", ["running", "failed"])
def test_a_page_of_progress_is_sound(state: str, court: Court) -> None:
    audit = AuditFactory.create(submission=court.submission, **{state: True})
    assert faults_of(court.read(court.student.user, f"/o/{{org}}/audits/{audit.pk}/")) == []
