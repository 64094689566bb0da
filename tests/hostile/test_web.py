"""Text of students and about them stays text wherever it is shown: pages, reports, rosters, admin."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from markdown_it import MarkdownIt

from grading.models.submission import private_pdf_path
from grading.templatetags.text_tags import MAX_CHARACTERS, markdown
from tests.factories.example_report import report_json
from tests.factories.people import CohortFactory, UserFactory, staff_user, student
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory
from tests.hostile.traps import Toll
from tests.hostile.web_payloads import PAYLOADS, REDIRECTS
from tests.web_client.page_checks import Page, faults_of

CHOSEN_BY_US = {"status", "judge", "priority", "kind", "schema", "failure", "detective", "key"}
FOREIGN = {"script", "img", "iframe", "object", "embed", "base", "style", "form", "meta", "animate"}
Shape = list[tuple[str, tuple[str, ...]]]
# The admin's pages without a payload, once a process.
ORDINARY_PAGES: list[Shape] = []
# Every kind of text that a report has; ten criteria would only repeat them.
SMALL_REPORT = report_json(criteria=3, per_criterion=3)
Count = Callable[[list[object]], None]


@pytest.fixture
def let_through(record_property) -> Count:
    """Writes down how much of a payload came through as more than text, then holds it against the
    page.
    """
    started = time.monotonic()

    def count(faults: list[object]) -> None:
        toll = Toll("web", time.monotonic() - started, 0, unescaped=len(faults))
        record_property("hostile", asdict(toll))
        assert faults == []

    return count


def poisoned(value: Any, payload: str, name: str = "") -> Any:
    """The report with the payload in every text that is not one of our own words."""
    if isinstance(value, dict):
        return {key: poisoned(part, payload, key) for key, part in value.items()}
    if isinstance(value, list):
        return [poisoned(part, payload, name) for part in value]
    return value + payload if isinstance(value, str) and name not in CHOSEN_BY_US else value


def storable(payload: str) -> str:
    """PostgreSQL holds no zero byte; the site's forms and its engine take them out."""
    return payload.replace("\0", "")


def hostile_audit(payload: str) -> tuple[Client, Any]:
    """An audit with the payload in all its texts, and its student signed in."""
    payload = storable(payload)
    enrolled = student(CohortFactory.create(), name=f"Ada {payload}"[:200])
    assignment = AssignmentFactory.create(
        cohort=enrolled.cohort, title=f"Week {payload}", instructions=payload
    )
    submission = SubmissionFactory.create(
        assignment=assignment, student=enrolled, repo_url=f"https://x/{payload}"
    )
    audit = AuditFactory.create(
        submission=submission, done=True, report=poisoned(SMALL_REPORT, payload)
    )
    client = Client()
    client.force_login(enrolled.user)
    return client, audit


def dangers(html: str) -> list[object]:
    """Return foreign tags, scripts in attributes and foreign addresses of a page."""
    page = Page(html)
    faults: list[object] = [
        tag
        for tag in shape_of(page)
        if tag[0] in FOREIGN and tag not in own_shape() and tag[0] != "form"
    ]
    faults += [fault for fault in faults_of(html) if not fault.startswith("leads nowhere")]
    return faults + [
        a for _, a in page.tags if leads_astray(a.get("href") or a.get("action") or "")
    ]


@cache
def own_shape() -> Shape:
    """Return the shape of a page without a word of a student."""
    return shape(render_to_string("404.html"))


def leads_astray(address: str) -> bool:
    """Links to other sites are allowed in what people write; scripts and data are not."""
    return urlsplit(address.strip().lower()).scheme not in {"", "http", "https", "mailto"}


def shape(html: str) -> Shape:
    return shape_of(Page(html))


def shape_of(page: Page) -> Shape:
    return [(tag, tuple(sorted(attributes))) for tag, attributes in page.tags]


@pytest.mark.django_db
@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_a_report_full_of_hostile_text_is_text_everywhere(payload: str, let_through: Count) -> None:
    client, audit = hostile_audit(payload)
    where = f"/o/{audit.organization.slug}/audits/{audit.pk}/"
    page, document, written = (
        client.get(where + name) for name in ("", "report.json", "report.md")
    )
    assert "default-src 'none'" in page["Content-Security-Policy"]
    assert "unsafe" not in page["Content-Security-Policy"]
    for answer, kind in ((document, "application/json"), (written, "text/markdown")):
        assert answer["Content-Type"] == f"{kind}; charset=utf-8"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"].startswith('attachment; filename="')
        assert set(answer["Content-Disposition"]) & set("\r\n<>/\\\0") == set()
    assert json.loads(document.content) == audit.report
    let_through([*dangers(page.content.decode()), *acting(written.content.decode())])


def acting(text: str) -> list[object]:
    """Return the active parts that a permissive renderer would make: HTML, pictures, links,
    headings.
    """
    pieces = [
        inner
        for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text)
        for inner in (token, *(token.children or ()))
    ]
    return [
        piece.content or piece.type
        for piece in pieces
        if piece.type in {"html_block", "html_inline", "image", "link_open"}
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_the_admin_shows_hostile_text_in_the_same_page_as_any_other(
    payload: str, let_through: Count
) -> None:
    client = Client()
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    _, odd = hostile_audit(payload)
    if not ORDINARY_PAGES:
        _, plain = hostile_audit("plain")
        ORDINARY_PAGES.extend(map(shape, admin_pages(client, plain)))
    pairs = zip(ORDINARY_PAGES, map(shape, admin_pages(client, odd)), strict=True)
    breaks = {("br", ())}  # the admin breaks lines where the text does
    let_through([tag for clean, hostile in pairs for tag in set(hostile) - set(clean) - breaks])


def admin_pages(client: Client, audit: Any) -> list[str]:
    """The submission's own page, and the list that shows its student."""
    student_ = audit.submission.student
    single = client.get(reverse("admin:grading_submission_change", args=[audit.submission_id]))
    several = client.get(reverse("admin:grading_enrollment_changelist"), {"q": student_.email})
    assert (single.status_code, several.status_code) == (200, 200)
    assert str(student_.email) in several.content.decode()
    return [single.content.decode(), several.content.decode()]


@pytest.mark.django_db
def test_a_roster_of_hostile_names_stays_a_list_of_names(let_through: Count) -> None:
    cohort = CohortFactory.create()
    client = Client()
    client.force_login(staff_user(cohort.organization))
    table = io.StringIO()
    rows = [
        (f"ada{number}@example.org", storable(payload)) for number, payload in enumerate(PAYLOADS)
    ]
    csv.writer(table).writerows([("email", "name"), *rows])
    roster = SimpleUploadedFile(f"{PAYLOADS[0]}.csv", table.getvalue().encode(), "text/csv")
    where = reverse("roster", args=[cohort.organization.slug, cohort.slug])
    preview = client.post(where, {"roster": roster})
    let_through(dangers(preview.content.decode()))
    page = client.post(where, preview.context["confirm"].initial, follow=True).content.decode()
    assert [email for email, _ in rows if email not in page] == []
    let_through(dangers(page))


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_markdown_lets_no_tag_or_foreign_picture_through(payload: str, let_through: Count) -> None:
    tags = Page(markdown(payload)).tags
    foreign = [
        tag for tag, attributes in tags if tag in FOREIGN or set(attributes) - {"href", "rel"}
    ]
    let_through(
        foreign
        + [a for _, a in tags if urlsplit(a.get("href") or "").scheme not in {"", "http", "https"}]
    )


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_the_name_of_an_upload_names_no_file_of_ours(payload: str, let_through: Count) -> None:
    submission = SubmissionFactory.build()
    stored = private_pdf_path(submission, payload)
    let_through(
        [stored]
        if set(stored) & set("<>\\\0\r\n=|") or ".." in stored or not stored.endswith(".pdf")
        else []
    )


@pytest.mark.django_db
@pytest.mark.parametrize("next_page", REDIRECTS, ids=ascii)
def test_signing_in_leads_nowhere_else(
    next_page: str, let_through: Count, empty_cache: None
) -> None:
    user = UserFactory.create(password="correct horse battery")
    answer = Client().post(
        reverse("account_login"),
        {"login": user.email, "password": "correct horse battery", "next": next_page},
    )
    leads = urlsplit(answer.get("Location", ""))
    let_through(
        []
        if (leads.scheme, leads.netloc) == ("", "")
        and leads.path.startswith("/")
        and not leads.path.startswith("//")
        else [answer["Location"]]
    )


@pytest.mark.django_db
@pytest.mark.parametrize("payload", PAYLOADS[:6], ids=ascii)
def test_a_page_that_is_not_there_repeats_nothing(payload: str, let_through: Count) -> None:
    answer = Client().get("/o/" + payload.replace("/", "%2f"))
    assert answer.status_code in {302, 404}
    let_through(dangers(answer.content.decode()) if answer.status_code == 404 else [])


def test_markdown_is_cut_where_it_would_take_long() -> None:
    assert markdown("a" * (MAX_CHARACTERS + 10)) == f"<p>{'a' * MAX_CHARACTERS}</p>\n"


@pytest.mark.parametrize("unit", ["![`", "[[", "*_", "> ", "`", "- ", "[a](", "<a ", "&#", "\\"])
def test_no_markdown_takes_long(unit: str, let_through: Count) -> None:
    started = time.process_time()
    markdown(unit * MAX_CHARACTERS)
    assert time.process_time() - started < 10
    let_through([])


def test_the_page_of_a_breakdown_needs_nothing_but_itself() -> None:
    assert faults_of(render_to_string("500.html")) == []


def test_there_are_as_many_as_promised() -> None:
    assert (len(PAYLOADS) >= 50, len(PAYLOADS)) == (True, len(set(PAYLOADS)))
