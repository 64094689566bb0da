"""Trials of a check on stored reports and on repositories."""

import json
import re
from copy import deepcopy

import pytest
from django.test import override_settings
from django_rq import get_queue
from django_scopes import scope
from rq.job import JobStatus

from grading.jobs import try_check
from grading.models import Audit, Submission
from grading.rubrics.check_trials import actions as trial_actions
from tests.factories.people import CohortFactory, staff_user
from tests.factories.preview_works import WORKS, judged_assignment
from tests.factories.repositories import make_repository
from tests.factories.work import RubricVersionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
SHELL = {
    "kind": "unsafe_call",
    "id": "trial",
    "goal": "No shell",
    "polarity": "negative",
    "any_of": ["os_system"],
}
README = {"kind": "file_exists", "id": "trial", "goal": "A README", "any_of": ["README*"]}


@pytest.fixture(scope="module")
def kept_assignment(kept):
    """Two students' verdicts, made once: they take longer than most of the tests."""
    cohort = CohortFactory()
    with scope(organization=cohort.organization):
        return judged_assignment(works=(0, 1), cohort=cohort)


@pytest.fixture
def assignment(kept_assignment, db, kept_uploads):
    with scope(organization=kept_assignment.organization):
        yield deepcopy(kept_assignment)


@pytest.fixture
def cohort(assignment):
    return assignment.cohort


@pytest.fixture
def teacher(client, cohort):
    client.force_login(staff_user(cohort.organization))
    return client


def address(assignment, **more):
    query = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/o/{assignment.organization.slug}/checks/try/?assignment={assignment.pk}{query}"


def audit_of(name):
    return Audit.objects.get(submission__student__name=name)


def send(teacher, assignment, check, do="try", name="Student 000", **fields):
    sent = check if isinstance(check, str) else json.dumps(check, indent=2)
    given = {"work": audit_of(name).pk, "known": "", "check": sent, "do": do}
    return teacher.post(address(assignment), given | fields)


def words(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def outcome(response):
    return words(response).rpartition("attempt 1 ")[2].partition(" Automaton Auditor: ")[0]


def errors(response):
    return dict(response.context["form"].errors)


def test_page_without_an_assignment_asks_for_one(teacher, assignment):
    page = teacher.get(f"/o/{assignment.organization.slug}/checks/try/")
    assert (page.status_code, "form" in page.context) == (200, False)


def test_page_leads_to_the_editor_with_fields(teacher, assignment):
    version = assignment.rubric_version_id
    editor = f'href="/o/{assignment.organization.slug}/rubrics/{version}/edit/"'
    assert editor in teacher.get(address(assignment)).text


def test_assignment_of_another_institution_is_no_choice(teacher, assignment):
    elsewhere = CohortFactory()
    with scope(organization=elsewhere.organization):
        theirs = judged_assignment(works=(), cohort=elsewhere)
    page = teacher.get(f"/o/{assignment.organization.slug}/checks/try/?assignment={theirs.pk}")

    assert ("form" in page.context, list(page.context["place"].errors)) == (False, ["assignment"])


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("{", "Line 1, column 2: Expecting property name enclosed in double quotes."),
        ("[]", "Line 1, column 1: A check is one JSON object."),
        (
            '{"kind": "file_exists", "id": "a", "goal": "b", "any_of": ["c"]}, {}',
            "Line 1, column 65: Extra data.",
        ),
        (
            '{"kind": "file_exists",\n "id": "a",\n "goal": "b",\n "any_of": "c"}',
            "Line 4, any_of: Input should be a valid tuple",
        ),
        ('{"kind": "file_exists",\n "id": "a",\n "goal": "b"}', "Line 1, any_of: Field required"),
    ],
)
def test_faults_of_the_json_name_their_line_and_the_text_stays(
    teacher, assignment, typed, sentence
):
    page = send(teacher, assignment, typed)
    assert errors(page) == {"check": [sentence]}
    assert page.context["form"]["check"].value() == typed


def test_check_on_facts_is_answered_at_once_with_its_location(teacher, assignment):
    unsafe = outcome(send(teacher, assignment, SHELL))
    assert unsafe.startswith("fault The work has a call of os that runs a shell.")
    assert "src/clone.py:5 code · " in unsafe
    clean = outcome(send(teacher, assignment, SHELL, name="Student 001"))
    assert clean.startswith("met No shell. ")


def test_check_on_sources_needs_the_repository(teacher, assignment):
    page = send(teacher, assignment, README)
    assert outcome(page).startswith("needs the repository A README ")
    assert "Try on the repository" in words(page)


def test_pages_have_no_faults(teacher, assignment):
    waiting = send(teacher, assignment, README, do="examine")
    pages = [
        teacher.get(
            f"/o/{assignment.organization.slug}/checks/try/?version={assignment.rubric_version_id}"
        ),
        send(teacher, assignment, "{"),
        send(teacher, assignment, SHELL),
        teacher.get(waiting.url),
    ]

    assert [faults_of(page.content.decode()) for page in pages] == [[]] * 4


def test_check_of_a_draft_or_a_new_one_can_be_the_start(teacher, assignment):
    text = {**assignment.rubric_version.document}
    text["criteria"] = [{**text["criteria"][0], "checks": [SHELL | {"id": "draft.shell"}]}]
    draft = RubricVersionFactory(
        rubric=assignment.rubric_version.rubric, number=2, draft=True, document=text
    )
    taken = {}
    for known in ("check:draft.shell", "kind:graph_topology"):
        sent = {"work": "", "known": known, "check": "{", "do": "take"}
        page = teacher.post(address(assignment, version=draft.pk), sent)
        taken[known] = json.loads(page.context["form"]["check"].value())

    assert taken == {
        "check:draft.shell": SHELL | {"id": "draft.shell"},
        "kind:graph_topology": {
            "kind": "graph_topology",
            "id": "trial",
            "goal": "",
            "aspect": "exists",
        },
    }


def test_worker_answers_from_the_repository_and_the_page_waits(teacher, assignment, tmp_path):
    make_repository(tmp_path / "work.git", WORKS[0])
    Submission.objects.update(repo_url=str(tmp_path / "work.git"))
    waiting = send(teacher, assignment, README, do="examine")
    again = send(teacher, assignment, README, do="examine")
    # The same question is queued once, however often a person presses the button.
    [job] = get_queue("bulk").jobs

    assert "The check runs on the repository" in words(teacher.get(waiting.url))
    try_check(*job.args)
    page = teacher.get(waiting.url)
    assert (again.url, outcome(page)[:13], "README.md code · " in outcome(page)) == (
        waiting.url,
        "met A README.",
        True,
    )
    assert teacher.get(waiting.url, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    assert Audit.objects.count() == 2


def test_missing_repository_is_refused_with_its_reason(teacher, assignment):
    Submission.objects.update(repo_url="/nowhere/work.git")
    waiting = send(teacher, assignment, README, do="examine")
    try_check(*get_queue("bulk").jobs[0].args)
    refusal = "No repository was found at this address. Check the spelling."

    assert teacher.get(waiting.url).context["answer"].refusal == refusal


def test_interrupted_trial_can_be_requested_again(teacher, assignment):
    waiting = send(teacher, assignment, README, do="examine")
    get_queue("bulk").jobs[0].set_status(JobStatus.FAILED)
    assert "Please try again" in words(teacher.get(waiting.url))
    get_queue("bulk").empty()

    assert teacher.get(waiting.url).status_code == 404
    send(teacher, assignment, README, do="examine")
    # The interrupted job does not block the new one.
    assert len(get_queue("bulk").jobs) == 1


def test_trial_without_a_queue_is_refused_and_the_text_stays(teacher, assignment, settings):
    gone = {"default": settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    with override_settings(CACHES=gone):
        page = send(teacher, assignment, README, do="examine")
    assert errors(page) == {"__all__": ["The queue cannot be reached. Try again in a minute."]}
    assert json.loads(page.context["form"]["check"].value()) == README


def test_trial_is_queued_before_bulk_work(teacher, assignment):
    get_queue("bulk", commit_mode="auto").enqueue_call("grading.jobs.run_audit", job_id="other")
    key = trial_actions.request_trial(audit=audit_of("Student 000"), check=README)
    assert get_queue("bulk").job_ids == [f"trial-{audit_of('Student 000').pk}-{key}", "other"]
