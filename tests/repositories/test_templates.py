"""Repositories from a template: what GitHub must confirm first, then making, inviting, trying again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from grading.core.enums import TeamFormation
from grading.courses.teams.actions import leave_team
from grading.models import (
    RepositoryAccess,
    RepositoryTemplate,
    StudentRepository,
    Team,
    TeamMember,
)
from grading.repositories.generated.making import make_due_repositories
from tests.factories.github_server import GithubOrganization, app_settings, serve_github
from tests.factories.people import everywhere, staff_user, student
from tests.factories.repository_accesses import app_access_of
from tests.factories.repository_templates import made_repository, template_for
from tests.factories.teams import team_with
from tests.web_client.api_program import Program

pytestmark = pytest.mark.django_db
GIVEN = {"administration": "write", "contents": "read", "members": "read", "metadata": "read"}
FIELDS = {
    "do": "save",
    "template": "course/exercise",
    "login": "course",
    "name_prefix": "exercise",
    "visibility": "private",
    "permission": "push",
}
TOKEN = "POST /app/installations/7/access_tokens"
GENERATE = "POST /repos/course/exercise/generate"


@pytest.fixture
def github():
    """GitHub with the App in the organization `course`, which terry owns and tom is a member of."""
    with serve_github() as api, override_settings(**app_settings(api.url)):
        api.installations = {7: {1}}
        api.repositories = {1: "course/exercise", 2: "course/plain"}
        api.templates = {"course/exercise"}
        api.people = {
            "ada-token": (100, "ada"),
            "ben-token": (200, "ben"),
            "terry-token": (300, "terry"),
            "tom-token": (400, "tom"),
        }
        roles = {"terry": "admin", "tom": "member"}
        api.organizations = {"course": GithubOrganization(7, dict(GIVEN), roles)}
        yield api


def browser_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def teacher(assignment) -> Client:
    return browser_of(staff_user(assignment.organization))


def page(assignment: Any, name: str = "repository-template") -> str:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return reverse(name, args=slugs)


def show_account(browser: Client, address: str, github: Any, token: str) -> Any:
    """Go to GitHub from a page and come back as the person of the token."""
    sent: Any = browser.post(address, {"do": "github"})
    state = parse_qs(urlsplit(sent.url).query)["state"][0]
    github.codes = {"a code": token}
    return browser.get("/github/callback/", {"code": "a code", "state": state})


def save(
    browser: Client, assignment: Any, github: Any, person: str = "terry", **fields: str
) -> Any:
    show_account(browser, page(assignment), github, f"{person}-token")
    return browser.post(page(assignment), FIELDS | fields)


def templates() -> list[tuple[str, str, int]]:
    with everywhere():
        rows = RepositoryTemplate.objects.all()
        return [(row.template, row.login, row.installation_id) for row in rows]


def rows() -> list[StudentRepository]:
    with everywhere():
        return list(StudentRepository.objects.prefetch_related("members").order_by("name"))


def create(student: Any, github: Any, token: str) -> Client:
    browser = browser_of(student.user)
    address = page(student.assignment, "own-repository")
    show_account(browser, address, github, token)
    browser.post(address, {"do": "create"})
    return browser


def work(assignment: Any) -> int:
    return make_due_repositories(organization_id=assignment.organization_id)


def make_due_now() -> None:
    with everywhere():
        past = timezone.now() - timedelta(seconds=1)
        StudentRepository.objects.exclude(next_at=None).update(next_at=past)


@pytest.fixture
def template(assignment):
    return template_for(assignment)


@pytest.fixture(autouse=True)
def _assignments(ada, ben, assignment):
    for row in (ada, ben):
        row.assignment = assignment


# -- setting the template --------------------------------------------------------------------------


def test_template_without_a_shown_account_is_refused(teacher, assignment, github):
    answer = teacher.post(page(assignment), FIELDS)
    assert ("Show us your account" in answer.text, templates(), github.requests) == (True, [], [])


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"login": "elsewhere"}, "Our GitHub App is not installed in elsewhere"),
        ({"login": "a/../b"}, "Give the name of an organization"),
        ({"template": "course/plain"}, "course/plain is no template"),
        ({"template": "course/none"}, "We do not find course/none"),
        ({"template": "course/.."}, "Give owner and name"),
        ({"name_prefix": "a b"}, "Use letters, digits"),
    ],
)
def test_what_github_does_not_confirm_is_refused(teacher, assignment, github, fields, sentence):
    answer = save(teacher, assignment, github, **fields)
    assert (sentence in answer.text, templates()) == (True, [])


@pytest.mark.parametrize("person", ["tom", "ada"])
def test_organization_of_somebody_else_is_refused(teacher, assignment, github, person):
    answer = save(teacher, assignment, github, person)
    assert ("is no owner of course" in answer.text, templates()) == (True, [])


def test_missing_permission_is_named(teacher, assignment, github):
    github.organizations["course"].permissions["administration"] = "read"
    answer = save(teacher, assignment, github)
    assert ("administration: write" in answer.text, templates()) == (True, [])


def test_suspended_app_is_refused(teacher, assignment, github):
    github.suspended = {7}
    answer = save(teacher, assignment, github)
    assert ("is suspended in course" in answer.text, templates()) == (True, [])


def test_owner_sets_the_template(teacher, assignment, github):
    answer = save(teacher, assignment, github)
    assert (answer.status_code, templates()) == (302, [("course/exercise", "course", 7)])


def test_organization_stays_once_repositories_were_made(teacher, assignment, ada, github, template):
    github.organizations["other"] = GithubOrganization(8, dict(GIVEN), {"terry": "admin"})
    create(ada, github, "ada-token")
    answer = save(teacher, assignment, github, login="other")
    assert ("the organization stays" in answer.text, templates()[0][1]) == (True, "course")


# -- making repositories ---------------------------------------------------------------------------


def test_student_without_a_shown_account_gets_none(ada, assignment, github, template):
    address = page(assignment, "own-repository")
    answer = browser_of(ada.user).post(address, {"do": "create"})
    assert ("Show us your account" in answer.text, rows()) == (True, [])


def test_student_gets_a_repository_an_invitation_and_the_filled_form(
    ada, assignment, github, template
):
    browser = create(ada, github, "ada-token")
    assert work(assignment) == 1
    assert github.invited == {("course/exercise-ada", "ada"): "push"}
    assert github.private == {"course/exercise-ada": True}
    text = browser.get(page(assignment, "own-repository")).text
    assert f"{github.url}/course/exercise-ada/invitations" in text
    form = browser.get(page(assignment, "submit")).context["form"]
    assert form["repo_url"].value() == f"{github.url}/course/exercise-ada"
    with everywhere():
        linked = RepositoryAccess.objects.get()
        assert (linked.path, linked.account_id) == ("course/exercise-ada", 100)


def test_second_click_and_second_job_make_nothing_twice(ada, assignment, github, template):
    browser = create(ada, github, "ada-token")
    browser.post(page(assignment, "own-repository"), {"do": "create"})
    assert (work(assignment), work(assignment)) == (1, 0)
    made = [request for request in github.requests if request.endswith("/generate")]
    invited = [request for request in github.requests if request.startswith("PUT")]
    assert (len(made), len(invited)) == (1, 1)


def test_repository_of_a_job_that_died_is_recognised(ada, assignment, github, template):
    create(ada, github, "ada-token")
    github.repositories[9] = "course/exercise-ada"
    github.descriptions["course/exercise-ada"] = f"Exercise ({rows()[0].key})"
    work(assignment)
    assert (rows()[0].state, rows()[0].repository_id) == ("made", 9)


def test_repository_of_somebody_else_is_not_taken_over(ada, assignment, github, template):
    create(ada, github, "ada-token")
    github.repositories[9] = "course/exercise-ada"
    github.descriptions["course/exercise-ada"] = "Mine"
    work(assignment)
    row = rows()[0]
    assert (row.state, row.repository_id, github.invited) == ("failed", None, {})
    assert "this site did not make it" in row.sentence
    assert row.words == "Could not clone: Name already exists on this account"


def test_renamed_account_is_invited_by_its_new_name(ada, assignment, github, template):
    create(ada, github, "ada-token")
    # Somebody else has taken the old name.
    github.people |= {"ada-token": (100, "ada-lovelace"), "thief-token": (666, "ada")}
    work(assignment)
    assert github.invited == {("course/exercise-ada", "ada-lovelace"): "push"}


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (403, {"Retry-After": "120"}),
        (429, {"Retry-After": "120"}),
        (403, {"x-ratelimit-remaining": "0"}),
    ],
)
def test_rate_limit_stops_all_of_the_installation_until_it_ends(
    teacher, ada, ben, assignment, github, template, status, headers
):
    if "x-ratelimit-remaining" in headers:
        headers = headers | {"x-ratelimit-reset": str(int(timezone.now().timestamp()) + 130)}
    teacher.post(page(assignment), {"do": "all"})
    make_due_now()
    github.limits = [(GENERATE, (status, {"message": "You exceeded a rate limit"}), headers)]
    assert work(assignment) == 1
    soon = timezone.now() + timedelta(seconds=100)
    assert [(row.state, (row.next_at or soon) > soon) for row in rows()] == [("waiting", True)] * 2
    make_due_now()
    assert (work(assignment), {row.state for row in rows()}) == (2, {"made"})


def test_failure_of_the_moment_is_tried_again(ada, assignment, github, template):
    create(ada, github, "ada-token")
    github.limits = [(GENERATE, (502, {"message": "Bad gateway"}), {})]
    work(assignment)
    assert (rows()[0].state, rows()[0].next_at is None) == ("waiting", False)
    make_due_now()
    work(assignment)
    assert (rows()[0].state, rows()[0].sentence) == ("made", "")


def test_refusal_stands_with_the_words_of_github_until_tried_again(
    teacher, ada, assignment, github, template
):
    create(ada, github, "ada-token")
    github.limits = [(GENERATE, (403, {"message": "Resource not accessible"}), {})]
    work(assignment)
    assert "Resource not accessible" in teacher.get(page(assignment)).text
    teacher.post(page(assignment), {"do": "again", "repository": rows()[0].pk})
    work(assignment)
    assert (rows()[0].state, rows()[0].words) == ("made", "")


def test_refused_invitation_is_shown_and_the_repository_stays(ada, assignment, github, template):
    browser = create(ada, github, "ada-token")
    refused = (422, {"message": "Validation Failed", "errors": [{"message": "User is blocked"}]})
    github.limits = [("PUT ", refused, {})]
    work(assignment)
    assert (
        "Validation Failed. User is blocked" in browser.get(page(assignment, "own-repository")).text
    )
    browser.post(page(assignment, "own-repository"), {"do": "again"})
    work(assignment)
    assert github.invited == {("course/exercise-ada", "ada"): "push"}


def test_accepted_and_deleted_are_shown_after_a_look(teacher, ada, assignment, github, template):
    create(ada, github, "ada-token")
    work(assignment)
    github.rights["course/exercise-ada", "ada"] = "write"
    teacher.post(page(assignment), {"do": "look"})
    work(assignment)
    assert [row.state for row in rows()[0].members.all()] == ["accepted"]
    github.repositories, github.installations = {1: "course/exercise"}, {7: {1}}
    teacher.post(page(assignment), {"do": "look"})
    work(assignment)
    assert rows()[0].state == "gone"
    assert "deleted at GitHub" in teacher.get(page(assignment)).text


def test_all_are_made_and_nobody_is_invited_before_they_show_their_account(
    teacher, ada, ben, assignment, github, template
):
    teacher.post(page(assignment), {"do": "all"})
    make_due_now()
    work(assignment)
    names = [row.full_name for row in rows()]
    assert names == ["course/exercise-ada", "course/exercise-ben"]
    assert github.invited == {}
    create(ben, github, "ben-token")
    work(assignment)
    assert github.invited == {("course/exercise-ben", "ben"): "push"}


def test_another_account_does_not_replace_the_first(ada, assignment, github, template):
    create(ada, github, "ada-token")
    create(ada, github, "tom-token")
    work(assignment)
    assert github.invited == {("course/exercise-ada", "ada"): "push"}


def test_removed_account_gives_way_to_another_of_the_same_student(
    teacher, ada, assignment, github, template
):
    create(ada, github, "ada-token")
    work(assignment)
    [member] = [row.pk for row in rows()[0].members.all()]
    for key in ("0", "x", "9" * 30):
        assert teacher.post(page(assignment), {"do": "remove", "member": key}).status_code == 404
    answer = teacher.post(page(assignment), {"do": "remove", "member": member}, follow=True)
    assert "We forgot ada." in answer.text
    create(ada, github, "tom-token")
    work(assignment)
    assert ("course/exercise-ada", "tom") in github.invited


def test_members_of_a_team_share_one_repository_and_are_each_invited(
    ada, ben, assignment, github, template
):
    with everywhere():
        assignment.team_formation = TeamFormation.GROUPS
        assignment.save()
        team_with(assignment, ada, ben, name="Blue Team")
    create(ada, github, "ada-token")
    create(ben, github, "ben-token")
    work(assignment)
    assert github.invited == {
        ("course/exercise-blue-team", "ada"): "push",
        ("course/exercise-blue-team", "ben"): "push",
    }


def test_team_keeps_its_repository_when_its_representative_founds_another(
    ada, ben, assignment, github, template
):
    cyd = student(assignment.cohort, name="Cyd")
    cyd.assignment = assignment
    github.people["cyd-token"] = (500, "cyd")
    with everywhere():
        assignment.team_formation = TeamFormation.STUDENTS
        assignment.save()
        blue = team_with(assignment, ada, ben, name="Blue Team")
    create(ada, github, "ada-token")
    with everywhere():
        TeamMember.objects.filter(team=blue, student=ada).delete()
        Team.objects.filter(pk=blue.pk).update(representative=ben)
        team_with(assignment, ada, cyd, name="Red Team")
    create(cyd, github, "cyd-token")
    create(ben, github, "ben-token")
    work(assignment)
    assert github.invited == {
        ("course/exercise-red-team", "cyd"): "push",
        ("course/exercise-blue-team", "ben"): "push",
    }


def test_who_leaves_a_team_takes_no_access_to_its_repository_along(ada, ben, assignment, template):
    with everywhere():
        assignment.team_formation = TeamFormation.STUDENTS
        assignment.save()
        made_repository(template, ada, team=team_with(assignment, ada, ben), repository_id=9)
        app_access_of(ada, host="github.com", path="course/blue", repository_id=9, for_teams=True)
        kept = app_access_of(ada, host="github.com", path="ada/own", repository_id=8)
        leave_team(assignment=assignment, student=ada, by=ada.user)
        assert list(RepositoryAccess.objects.all()) == [kept]


# -- programs --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("redis")
def test_programs_of_teachers_have_repositories_made_and_list_them(assignment, ada, ben, template):
    made_repository(template, ada, repository_id=9)
    slug = assignment.organization.slug
    teacher = Program(staff_user(assignment.organization), slug)
    path = f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}/"
    assert teacher.post(f"{path}repositories/", {}).json() == {"count": 1}
    listed = teacher.get(f"{path}repositories/").json()["results"]
    states = {row["student"]: row["state"] for row in listed}
    assert states == {ada.email: "made", ben.email: "waiting"}
    own = Program(ada.user, slug).get(f"{path}repository/").json()
    assert (own["student"], own["members"][0]["login"]) == (ada.email, "ada")
