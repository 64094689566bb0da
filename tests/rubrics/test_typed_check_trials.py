"""Trials of checks, as typed in the editor or as published: the outcome, and nothing is saved."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import override_settings
from django.urls import reverse
from django_rq import get_queue
from django_scopes import scope
from rq.job import JobStatus

from grading.core.enums import Role
from grading.engine.stored_sources import pack_sources
from grading.jobs import try_check
from grading.models import Audit, AuditContents, RubricVersion, Submission
from grading.rubrics.check_trials import actions as trial_actions
from grading.rubrics.editor.rubric_form import form_texts
from tests.factories.people import CohortFactory, staff_user
from tests.factories.preview_works import WORKS, judged_assignment
from tests.factories.repositories import make_repository
from tests.factories.work import RubricVersionFactory, rubric_document
from tests.rubrics.rubric_forms import client_of, form_data, posted_form, settled, teacher
from tests.web_client.page_checks import faults_of

# Works that the shared assignment has.
JUDGED = (0, 1)
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
SHELL = {
    "kind": "unsafe_call",
    "id": "trial",
    "goal": "No shell",
    "polarity": "negative",
    "any_of": ["os_system"],
}
README = {"kind": "file_exists", "id": "trial", "goal": "A README", "any_of": ["README*"]}
PATH = "criteria.0.checks.0"


@pytest.fixture
def assignment(judged):
    return judged


@pytest.fixture
def draft(assignment) -> RubricVersion:
    rubric = assignment.rubric_version.rubric
    return RubricVersionFactory(rubric=rubric, number=2, draft=True, document=settled())


@pytest.fixture
def client(assignment):
    return client_of(staff_user(assignment.organization))


def audit_of(name: str) -> Audit:
    return Audit.objects.get(submission__student__name=name)


def typed(check: dict[str, Any], name: str = "Student 000", **more: str) -> dict[str, Any]:
    """Return what the editor's script posts: the fields of one check, and the chosen work."""
    document = rubric_document("one")
    document["criteria"][0]["checks"] = [check]
    fields = {key: value for key, value in form_data(form_texts(document)).items() if PATH in key}
    return {"do": f"try {PATH}", "try-work": str(audit_of(name).pk), **fields, **more}


def tried(client: Any, draft: RubricVersion, posted: dict[str, Any]) -> Any:
    address = reverse("rubric-try", args=[draft.organization.slug, draft.pk])
    return client.post(address, posted).context["trial"]


def words(response: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.text))


# -- refusals -----------------------------------------------------------------------------------


def test_assistant_cannot_try(assignment, draft):
    assistant = client_of(staff_user(assignment.organization, Role.ASSISTANT))
    address = reverse("rubric-try", args=[draft.organization.slug, draft.pk])
    assert assistant.post(address, typed(SHELL)).status_code == 404


def test_operator_tries_no_work_of_an_organization(draft, admin_user):
    address = reverse("admin:grading_rubricversion_try", args=[draft.pk])
    assert client_of(admin_user).post(address, typed(SHELL)).status_code == 403


def test_work_of_another_organization_is_not_tried(client, draft):
    elsewhere = CohortFactory()
    with scope(organization=elsewhere.organization):
        theirs = judged_assignment(works=(0,), cohort=elsewhere)
        foreign = Audit.objects.get(submission__assignment=theirs)
    trial = tried(client, draft, typed(SHELL) | {"try-work": str(foreign.pk)})
    assert trial.problems == (("Try checks on", "Choose one of the listed submissions."),)
    assert trial.outcome is None


def test_fault_of_the_typed_check_names_its_field(client, draft):
    trial = tried(client, draft, typed({**README, "any_of": []}))
    assert trial.problems == (("Any of these paths", "This field is required."),)


@pytest.mark.parametrize("path", ["criteria.7.checks.0", "criteria.0.checks.x", "criteria", ""])
def test_path_of_no_check_tries_nothing(client, draft, path):
    assert tried(client, draft, typed(SHELL, do=f"try {path}")) is None


# -- outcomes -----------------------------------------------------------------------------------


def test_stored_report_answers_at_once(client, draft):
    trial = tried(client, draft, typed(SHELL))
    assert (trial.outcome.check.outcome, trial.key) == ("not met", "")
    assert [match.item.place.words for match in trial.outcome.matches] == ["src/clone.py:5"]


def test_other_work_gets_its_own_answer(client, draft):
    assert tried(client, draft, typed(SHELL, "Student 001")).outcome.check.outcome == "met"


def test_blank_goal_and_id_are_no_fault_of_a_trial(client, draft):
    trial = tried(client, draft, typed({**SHELL, "goal": "", "id": ""}))
    assert (trial.problems, trial.outcome.check.outcome) == ((), "not met")


def test_lines_around_the_match_are_shown_where_they_are_kept(client, draft):
    audit = audit_of("Student 000")
    text = "".join(f"line {number}\n" for number in range(1, 21))
    AuditContents.objects.update_or_create(
        audit=audit,
        defaults={
            "organization": audit.organization,
            "sources": pack_sources({"src/clone.py": ("1", text)}),
        },
    )
    (match,) = tried(client, draft, typed(SHELL)).outcome.matches
    matches = [(row.line.number, row.is_match) for row in match.lines]
    assert matches == [(number, number == 5) for number in range(2, 9)]
    assert match.item.place.code.startswith(f"/o/{audit.organization.slug}/audits/{audit.pk}/code/")


def test_check_on_sources_waits_for_a_worker_and_then_answers(client, draft, tmp_path):
    make_repository(tmp_path / "work.git", WORKS[0])
    Submission.objects.update(repo_url=str(tmp_path / "work.git"))
    waiting = tried(client, draft, typed(README))
    tried(client, draft, typed(README))
    [job] = get_queue("bulk").jobs
    assert waiting.key
    try_check(*job.args)
    assert tried(client, draft, typed(README)).outcome.check.outcome == "met"


# -- the page, without JavaScript ---------------------------------------------------------------


def test_button_shows_the_outcome_below_its_check_and_saves_nothing(client, draft):
    sent = posted_form(draft, do=f"try {PATH}", **{"try-work": str(audit_of("Student 001").pk)})
    address = reverse("rubric-edit", args=[draft.organization.slug, draft.pk])
    answer = client.post(address, sent | {f"{PATH}.goal": "Still typed"})
    assert (answer.status_code, faults_of(answer.text)) == (200, [])
    assert "The check runs on the repository of Student 001" in words(answer)
    assert "Still typed" in answer.text
    assert RubricVersion.objects.get(pk=draft.pk).document == draft.document


def test_administration_tries_too(assignment, draft):
    address = reverse("admin:grading_rubricversion_try", args=[draft.pk])
    answer = client_of(teacher(assignment.organization)).post(address, typed(SHELL))
    assert answer.context["trial"].outcome.check.outcome == "not met"


def test_works_of_other_rubrics_stand_in_where_none_used_this_one(client, assignment):
    lone = RubricVersionFactory(
        rubric__organization=assignment.organization, draft=True, document=settled()
    )
    address = reverse("rubric-edit", args=[assignment.organization.slug, lone.pk])
    groups = client.get(address).context["bench"].groups
    assert [(g.assignment, len(g.audits)) for g in groups] == [(assignment, 2)]


# -- a published version: each check as it stands ------------------------------------------------


@pytest.fixture
def published(assignment) -> RubricVersion:
    text = rubric_document("one")
    text["criteria"][0]["checks"] = [SHELL]
    rubric = assignment.rubric_version.rubric
    return RubricVersionFactory(rubric=rubric, number=3, document=text, state="superseded")


def as_stored(**more: str) -> dict[str, Any]:
    """Return the data that a read-only page posts: no field of the check."""
    work = str(audit_of("Student 000").pk)
    return {"stored": "1", "seen": "", "do": f"try {PATH}", "try-work": work} | more


def test_check_of_a_published_version_is_tried_as_it_stands(client, published):
    trial = tried(client, published, as_stored())
    assert (trial.outcome.check.outcome, len(trial.outcome.matches)) == ("not met", 1)


def test_typed_fields_cannot_change_the_stored_check(client, published):
    sent = as_stored() | {f"{PATH}.kind": "file_exists", f"{PATH}.any_of": "README*"}
    assert tried(client, published, sent).outcome.check.outcome == "not met"


def test_published_page_has_the_button_and_shows_the_outcome(client, published):
    address = reverse("rubric-edit", args=[published.organization.slug, published.pk])
    assert "Try this check" in client.get(address).text
    answer = client.post(address, as_stored())
    assert (answer.status_code, faults_of(answer.text)) == (200, [])
    assert answer.context["sealed"]
    assert "a shell" in words(answer)


def test_published_page_says_when_the_work_is_not_listed(client, published):
    address = reverse("rubric-edit", args=[published.organization.slug, published.pk])
    answer = client.post(address, as_stored(**{"try-work": "gone"}))
    assert faults_of(answer.text) == []
    assert "Not tried. Choose one of the listed submissions." in words(answer)


def test_stored_page_saves_nothing(client, published):
    address = reverse("rubric-edit", args=[published.organization.slug, published.pk])
    client.post(address, as_stored(do="save-beside"))
    stored = RubricVersion.objects.get(pk=published.pk)
    assert (stored.document, stored.state) == (published.document, published.state)


def test_former_page_of_trials_leads_to_the_rubrics(client, assignment):
    org = assignment.organization.slug
    answer = client.get(reverse("try-check", args=[org]))
    assert (answer.status_code, answer.url) == (302, reverse("rubric-list", args=[org]))


# -- the worker's answer on a page of its own ----------------------------------------------------


def answer_page(client: Any, draft: RubricVersion) -> str:
    waiting = tried(client, draft, typed(README))
    return reverse("trial", args=[draft.organization.slug, waiting.audit.pk, waiting.key])


def test_answer_page_waits_and_then_shows_the_evidence(client, draft, tmp_path):
    make_repository(tmp_path / "work.git", WORKS[0])
    Submission.objects.update(repo_url=str(tmp_path / "work.git"))
    address = answer_page(client, draft)
    assert "The check runs on the repository" in words(client.get(address))

    [job] = get_queue("bulk").jobs
    try_check(*job.args)
    page = client.get(address)
    assert (faults_of(page.text), "README.md code · " in words(page)) == ([], True)
    reload = client.get(address, headers={"HX-Request": "true"})
    assert reload.headers["HX-Refresh"] == "true"


def test_missing_repository_is_refused_with_its_reason(client, draft):
    Submission.objects.update(repo_url="/nowhere/work.git")
    address = answer_page(client, draft)
    try_check(*get_queue("bulk").jobs[0].args)
    refusal = "No repository was found at this address. Check the spelling."
    assert client.get(address).context["answer"].refusal == refusal


def test_interrupted_trial_can_be_requested_again(client, draft):
    address = answer_page(client, draft)
    get_queue("bulk").jobs[0].set_status(JobStatus.FAILED)
    assert "Please try again" in words(client.get(address))
    get_queue("bulk").empty()

    assert client.get(address).status_code == 404
    tried(client, draft, typed(README))
    # The interrupted job does not block the new one.
    assert len(get_queue("bulk").jobs) == 1


def test_trial_without_a_queue_is_refused(client, draft, settings):
    gone = {"default": settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    with override_settings(CACHES=gone):
        trial = tried(client, draft, typed(README))
    assert trial.problems == (("Not tried", "The queue cannot be reached. Try again in a minute."),)


def test_trial_is_queued_before_bulk_work(draft):
    get_queue("bulk", commit_mode="auto").enqueue_call("grading.jobs.run_audit", job_id="other")
    key = trial_actions.request_trial(audit=audit_of("Student 000"), check=README)
    assert get_queue("bulk").job_ids == [f"trial-{audit_of('Student 000').pk}-{key}", "other"]
