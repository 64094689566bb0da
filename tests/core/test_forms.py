"""Each refusal stands beside its field, in words; nothing typed is lost."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from courtroom import Limits
from grading.appeals.forms import AppealForm
from grading.core.code_locations import MAX_PLACES
from grading.core.enums import Bench, LatePolicy, ReleasePolicy
from grading.core.errors import ActionRefused, SlugTaken, SubmissionRefused
from grading.core.form_bases import RESERVED_SLUGS, ZonedTimeField, add_refusal, field_of_code
from grading.courses.forms import (
    SHIPPED_RUBRICS,
    AssignmentForm,
    CohortForm,
    OrganizationForm,
)
from grading.courses.people.forms import RosterForm
from grading.engine import audits as engine_audits
from grading.models import Enrollment
from grading.peer_review.feedback.forms import MAX_BYTES, ReportForm
from grading.submissions.forms import SubmissionForm
from tests.factories.people import CohortFactory, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

MIB = 1024 * 1024
STATIC = Path(__file__).parents[2] / "static"


def uploaded(field: str, content: bytes) -> MultiValueDict[str, UploadedFile[Any]]:
    return MultiValueDict({field: [SimpleUploadedFile("a-file", content)]})


def test_the_shipped_rubrics_offered_are_those_that_the_engine_ships() -> None:
    assert [value for value, _ in SHIPPED_RUBRICS] == [
        f"shipped:{name}" for name in engine_audits.SHIPPED_RUBRICS
    ]


@pytest.mark.parametrize("typed", ["9999-12-31T23:59", "0001-01-01T00:00"])
def test_time_that_has_no_date_in_some_zones_is_refused(typed: str) -> None:
    with pytest.raises(ValidationError, match="year from 1970 to 9998"):
        ZonedTimeField().clean(typed)


def test_htmx_is_the_file_that_was_vendored() -> None:
    row = (STATIC / "vendor" / "README.md").read_text()
    assert hashlib.sha256((STATIC / "vendor" / "htmx.min.js").read_bytes()).hexdigest() in row


def test_a_short_name_is_made_from_the_name_unless_one_is_typed() -> None:
    forms = [
        OrganizationForm({"name": "Institut für Technik"}),
        OrganizationForm({"name": "X", "slug": "Tech-1"}),
    ]
    assert [form.is_valid() and form.cleaned_data["slug"] for form in forms] == [
        "institut-fur-technik",
        "tech-1",
    ]


@pytest.mark.parametrize("name", sorted(RESERVED_SLUGS))
def test_a_short_name_that_the_addresses_use_is_refused(name: str) -> None:
    assert list(OrganizationForm({"name": name}).errors) == ["slug"]


@pytest.mark.parametrize(
    "name",
    [
        "Automaton Auditor",
        "AUTOMATON  auditor",
        "automaton-auditor",
        "\N{FULLWIDTH LATIN CAPITAL LETTER A}utomaton Auditor",
        "\N{MATHEMATICAL BOLD CAPITAL A}utomaton Auditor",
        "Áutomaton\u200b Auditor",
        "Automaton Auditor Support",
    ],
)
def test_site_name_is_refused_beside_the_name_of_an_organization(name: str) -> None:
    form = OrganizationForm({"name": name, "slug": "own"})
    assert (list(form.errors), form["name"].value()) == (["name"], name)
    assert form.errors["name"] == [
        "“Automaton Auditor” is this site's own name. Choose the name of your institution."
    ]


def test_name_with_one_word_of_the_site_is_accepted() -> None:
    assert OrganizationForm({"name": "Institute of Automaton Theory"}).is_valid()


def test_a_name_no_short_name_can_be_made_of_is_refused() -> None:
    assert OrganizationForm({"name": "…"}).errors == {
        "slug": ["We couldn't create a short name from this name. Please enter one."]
    }


def test_a_cohort_cannot_end_before_it_starts() -> None:
    days = {"starts_on": "2026-10-02", "ends_on": "2026-10-01"}
    form = CohortForm({"name": "Autumn", "time_zone": "UTC", **days})
    assert form.errors == {"ends_on": ["The last day must not be before the first day."]}


def test_an_assignment_cannot_be_due_before_it_opens() -> None:
    typed = {
        "title": "Week 2",
        "rubric": "shipped:general",
        "opens_at": "2026-10-02T10:00",
        "due_at": "2026-10-02T09:00",
        "late_policy": LatePolicy.REFUSE,
        "max_attempts": "3",
        "counting_policy": "latest",
        "bench": Bench.HEURISTIC,
        "release_policy": ReleasePolicy.PROVISIONAL,
        "appeal_days": "7",
        "max_appeals": "3",
        "team_formation": "none",
        "team_size_max": "3",
    }
    assert AssignmentForm(typed, own_rubrics=()).errors == {
        "due_at": ["The due date must be after the opening."]
    }


def test_a_rubric_that_was_not_offered_is_refused() -> None:
    form = AssignmentForm({"rubric": "version:9"}, own_rubrics=[("version:1", "Ours")])
    assert form.errors["rubric"] == [
        "Select a valid choice. version:9 is not one of the available choices."
    ]


def test_a_roster_that_is_no_utf8_text_is_refused_with_what_to_do() -> None:
    form = RosterForm({}, uploaded("roster", "email\nö@example.org".encode("latin-1")))
    assert form.errors == {"roster": ["The file is not UTF-8 text. Export it as “CSV UTF-8”."]}


def test_limits_stand_beside_the_field_before_anything_is_chosen() -> None:
    limits, submission = Limits(), SubmissionForm().fields
    assert submission["repo_url"].help_text.endswith(
        f"The limit is {limits.repository_bytes // MIB} MB and {limits.tree_entries:,} files."
    )
    assert submission["pdf"].help_text.startswith(
        f"The limit is {limits.pdf_bytes // MIB} MB and {limits.pdf_pages} pages,"
    )
    places = AppealForm(evidence=(), fingerprint="").fields["places"].help_text
    assert places.startswith(f"At most {MAX_PLACES} locations, one per line:")
    report = ReportForm().fields["file"].help_text
    assert "as UTF-8 text" in report
    assert f"The limit is {MAX_BYTES // 1_000_000} MB." in report


def test_every_refused_form_says_what_is_kept() -> None:
    include = re.compile(r'{% include "forms/_refused.html"[^%]*%}')
    folder = Path(__file__).parents[2] / "templates"
    silent = {
        (path.name, words)
        for path in folder.rglob("*.html")
        for words in include.findall(path.read_text())
        if "kept=" not in words
    }
    # Its block names what is kept, which differs for files and for an earlier attempt.
    assert {name for name, _ in silent} <= {"_form.html"}


def test_a_pdf_over_the_limit_is_refused_with_its_size(settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 1024 * 1024
    form = SubmissionForm(
        {"repo_url": "https://x.example/r"}, uploaded("pdf", b"%" * (1536 * 1024))
    )
    assert form.errors == {"pdf": ["The PDF has 1.5 MB. The limit is 1 MB."]}


@pytest.mark.parametrize(
    ("refusal", "field"),
    [
        (SubmissionRefused("repo_url", "url_not_https", "Only https."), "repo_url"),
        (SubmissionRefused("", "attempts_used_up", "All used."), "__all__"),
        (SlugTaken("slug_taken", "Taken."), "__all__"),
        (ActionRefused("other", "No."), "__all__"),
    ],
)
def test_a_refusal_goes_to_its_field_or_to_the_whole_form(
    refusal: ActionRefused, field: str
) -> None:
    form = SubmissionForm({"repo_url": "x"})
    add_refusal(form, refusal)
    assert form.errors == {field: [refusal.sentence]}


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("url_private_address", "repo_url"),
        ("repository_empty", "repo_url"),
        ("repository_ref_unknown", "ref"),
        ("pdf_encrypted", "pdf"),
        ("worker_lost", None),
    ],
)
def test_the_code_of_a_failed_audit_names_the_field_to_mend(code: str, field: str | None) -> None:
    assert field_of_code(code) == field


class Table:
    """One student, one assignment, and the form in front of them."""

    def __init__(self, **assignment: Any) -> None:
        self.assignment = AssignmentFactory.create(cohort=CohortFactory.create(), **assignment)
        self.student: Enrollment = student(self.assignment.cohort)
        self.client = Client()
        assert self.student.user is not None
        self.client.force_login(self.student.user)
        slugs = [
            self.assignment.organization.slug,
            self.assignment.cohort.slug,
            self.assignment.slug,
        ]
        self.address = reverse("submit", args=slugs)

    def hand_in(self, repo_url: str, **typed: Any) -> Any:
        return self.client.post(self.address, {"repo_url": repo_url, **typed})


@pytest.fixture
def repository(tmp_path: Path) -> str:
    make_repository(tmp_path / "work.git", [Commit(files={"README.md": "# Work\n"})])
    return str(tmp_path / "work.git")


@pytest.mark.django_db
class TestHandingIn:
    """The whole way: form, action, courtroom, and back beside the field."""

    def test_what_is_accepted_leads_to_its_audit(self, repository: str, redis: Any) -> None:
        table = Table()
        answer = table.hand_in(repository)
        assert re.fullmatch(
            rf"/o/{table.assignment.organization.slug}/audits/[0-9a-f-]{{36}}/",
            answer.headers["Location"],
        )

    @pytest.mark.parametrize(
        ("repo_url", "settings_allow"),
        [
            ("http://github.com/a/b", True),
            ("https://10.0.0.1/a/b", True),
            ("https://user:secret@github.com/a/b", True),
            ("/srv/nowhere", False),
            ("", True),
        ],
    )
    def test_an_address_that_will_not_do_is_refused_beside_it(
        self, repo_url: str, settings_allow: bool, settings: Any
    ) -> None:
        settings.ALLOW_LOCAL_REPOSITORIES = settings_allow
        form = Table().hand_in(repo_url).context["form"]
        assert list(form.errors) == ["repo_url"]
        assert form["repo_url"].value() == repo_url

    def test_an_empty_repository_is_refused_beside_its_address(self, tmp_path: Path) -> None:
        make_repository(tmp_path / "empty.git", [])
        assert list(Table().hand_in(str(tmp_path / "empty.git")).context["form"].errors) == [
            "repo_url"
        ]

    def test_an_unknown_branch_is_refused_beside_it(self, repository: str) -> None:
        form = Table().hand_in(repository, ref="nowhere").context["form"]
        assert (list(form.errors), form["ref"].value()) == (["ref"], "nowhere")

    def test_a_report_that_is_no_pdf_is_refused_beside_it(self, repository: str) -> None:
        pdf = SimpleUploadedFile("report.pdf", b"<html>", content_type="application/pdf")
        assert list(Table().hand_in(repository, pdf=pdf).context["form"].errors) == ["pdf"]

    def test_after_the_due_date_the_form_says_so(self, repository: str) -> None:
        table = Table(due_at=timezone.now() - timedelta(days=1))
        assert list(table.hand_in(repository).context["form"].errors) == ["__all__"]

    @pytest.mark.parametrize(
        ("parameters", "sentence"),
        [
            (
                {"due_at": datetime(2026, 1, 31, 12, tzinfo=UTC)},
                "was due on 31 January 2026, 12:00 UTC.",
            ),
            (
                {"opens_at": datetime(2999, 1, 31, 12, tzinfo=UTC)},
                "opens on 31 January 2999, 12:00 UTC.",
            ),
        ],
    )
    def test_while_nothing_is_taken_no_page_offers_to_hand_in(
        self, parameters: Any, sentence: str
    ) -> None:
        table = Table(**parameters)
        page = table.client.get(table.address.removesuffix("submit/")).content.decode()
        form = table.client.get(table.address).content.decode()
        for markup in (page, form):
            assert f"This assignment {sentence}" in markup
        assert table.address not in page
        assert 'name="repo_url"' not in form

    def test_a_second_click_leads_to_the_audit_of_the_first(self, repository: str) -> None:
        table = Table()
        first, second = (table.hand_in(repository) for _ in range(2))
        assert (second.status_code, second.headers["Location"]) == (302, first.headers["Location"])

    def test_when_all_attempts_are_used_up_the_form_says_so(self, repository: str) -> None:
        table = Table(max_attempts=1)
        AuditFactory.create(
            submission=SubmissionFactory.create(assignment=table.assignment, student=table.student),
            done=True,
        )
        form = table.hand_in(repository).context["form"]
        assert form.errors == {"__all__": ["You have used your only attempt."]}

    def test_a_refusal_is_tied_to_its_control_for_a_screen_reader(self) -> None:
        page = Table().hand_in("http://github.com/a/b").content.decode()
        control = re.search(r'<input[^>]*id="id_repo_url"[^>]*>', page)
        assert control is not None
        assert 'aria-invalid="true"' in control.group()
        assert 'aria-describedby="id_repo_url_helptext id_repo_url_error"' in control.group()
        assert page.count('id="id_repo_url_error"') == 1

    def test_the_form_opens_with_what_was_handed_in_last(self) -> None:
        table = Table()
        submission = SubmissionFactory.create(
            assignment=table.assignment, student=table.student, ref="main"
        )
        AuditFactory.create(submission=submission, done=True)
        form = table.client.get(table.address).context["form"]
        assert (form["repo_url"].value(), form["ref"].value(), form.errors) == (
            submission.repo_url,
            "main",
            {},
        )
