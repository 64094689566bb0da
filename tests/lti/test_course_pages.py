"""A teacher who comes from a platform connects the course, sets what a link opens, and makes links."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_scopes import scope

from grading.lti.keys import key_set
from grading.models import Assignment, Cohort, LtiContext, LtiCourseLink, LtiLaunch, LtiResourceLink
from tests.factories.lti import LtiAccountFactory
from tests.factories.people import CohortFactory, staff_user
from tests.factories.work import AssignmentFactory
from tests.lti.traveller import TEACHER, Traveller

pytestmark = pytest.mark.django_db


@pytest.fixture
def eve(registration, platform) -> Traveller:
    """An instructor here and a teacher there."""
    user = staff_user(registration.organization)
    LtiAccountFactory.create(registration=registration, subject="eve", user=user)
    return Traveller(registration, platform, subject="eve", roles=[TEACHER])


@pytest.fixture
def cohort(registration) -> Any:
    return CohortFactory.create(
        organization=registration.organization, name="Autumn", slug="autumn"
    )


def message_in(page: Any) -> str:
    match = re.search(r'name="JWT" value="([^"]+)"', page.text)
    assert match, page.text
    return unescape(match[1])


def policies_of(response: Any) -> dict[str, list[str]]:
    """Return the sources of each directive; their order changes from response to response."""
    directives = response["Content-Security-Policy"].split(";")
    parts = (directive.split() for directive in directives)
    return {name: sources for name, *sources in parts}


def test_the_first_teacher_connects_the_course_with_cohorts(eve, cohort, registration):
    page = eve.enter()
    assert page["Location"].endswith("/course/")
    page_of_course = eve.client.get(page["Location"])
    assert (
        "Autumn" in page_of_course.text,
        "Connect Software engineering" in page_of_course.text,
    ) == (True, True)
    second = CohortFactory.create(organization=registration.organization)
    foreign = CohortFactory.create()
    path = page["Location"]
    assert eve.client.post(path, {"do": "link", "cohorts": [foreign.pk]}).status_code == 200
    done = eve.client.post(path, {"do": "link", "cohorts": [cohort.pk, second.pk]})
    with scope(organization=registration.organization):
        links = LtiCourseLink.objects.order_by("cohort_id").values_list("cohort", flat=True)
        assert (done.status_code, list(links)) == (302, sorted([cohort.pk, second.pk]))
    # Later one of them is taken away again.
    eve.client.post(path, {"do": "link", "cohorts": [second.pk]})
    with scope(organization=registration.organization):
        assert LtiCourseLink.objects.get().cohort == second


def test_or_with_a_new_cohort(eve, registration):
    path = eve.enter()["Location"]
    done = eve.client.post(path, {"do": "create", "name": "Winter", "slug": ""})
    with scope(organization=registration.organization):
        assert LtiCourseLink.objects.get().cohort == Cohort.objects.get(slug="winter")
    assert done["Location"] == f"/o/{registration.organization.slug}/c/winter/"


def test_a_link_without_an_assignment_gets_one(eve, cohort, registration):
    assignment = AssignmentFactory.create(cohort=cohort, slug="auditor", title="The auditor")
    AssignmentFactory.create()
    path = eve.enter()["Location"]
    page = eve.client.post(path, {"do": "link", "cohorts": [cohort.pk]})["Location"]
    assert page.endswith("/link/")
    assert "The auditor" in eve.client.get(page).text
    done = eve.client.post(page, {"assignment": assignment.pk})
    own = f"/o/{registration.organization.slug}/c/autumn/a/auditor/"
    assert done["Location"] == own
    with scope(organization=registration.organization):
        assert LtiResourceLink.objects.get().assignment == assignment
    # From now on the link leads there, also students.
    assert Traveller(eve.registration, eve.platform).arrive()["Location"] == own


def test_an_assignment_of_another_course_or_tenant_cannot_be_chosen(eve, cohort, registration):
    other = AssignmentFactory.create(
        cohort=CohortFactory.create(organization=registration.organization)
    )
    foreign = AssignmentFactory.create()
    path = eve.enter()["Location"]
    eve.client.post(path, {"do": "link", "cohorts": [cohort.pk]})
    page = path.replace("/course/", "/link/")
    for assignment in (other, foreign):
        answer = eve.client.post(page, {"assignment": assignment.pk})
        assert answer.status_code == 200
    with scope(organization=registration.organization):
        assert LtiResourceLink.objects.count() == 0


def test_only_the_person_of_the_launch_opens_its_pages(eve, cohort, registration):
    path = eve.enter()["Location"]
    colleague = Client()
    colleague.force_login(staff_user(registration.organization))
    for page in ("course", "link", "choice"):
        assert colleague.get(path.replace("/course/", f"/{page}/")).status_code == 404


@pytest.fixture
def chosen(eve, cohort, registration) -> Any:
    """An assignment, and the course of the launches connected with its cohort."""
    assignment = AssignmentFactory.create(cohort=cohort, slug="auditor", title="The auditor")
    path = eve.enter()["Location"]
    eve.client.post(path, {"do": "link", "cohorts": [cohort.pk]})
    return assignment


def test_a_deep_link_is_answered_with_what_the_platform_accepts(eve, chosen, registration):
    page = eve.enter(deep_linking=True)["Location"]
    assert "The auditor" in eve.client.get(page).text
    answer = eve.client.post(page, {"assignment": chosen.pk})
    assert eve.platform.issuer in policies_of(answer)["form-action"]
    assert f'action="{eve.platform.issuer}/return"' in answer.text
    conf = eve.conf()
    with scope(organization=registration.organization):
        conf.get_registration().set_tool_key_set(key_set(registration))
    message = message_in(answer)
    (item,) = conf.validate_deeplinking_resp({"JWT": message})
    assert item == {
        "type": "ltiResourceLink",
        "title": "The auditor",
        "url": eve.launch_url,
        "custom": {"auditor_assignment": str(chosen.pk)},
        "window": {"targetName": "_blank"},
        "lineItem": {
            "scoreMaximum": 100,
            "label": "The auditor",
            "resourceId": str(chosen.pk),
        },
    }
    claims = conf.tool_validate_and_decode(message)
    data_claim = "https://purl.imsglobal.org/spec/lti-dl/claim/data"
    assert (claims["iss"], claims["aud"], claims[data_claim]) == (
        registration.client_id,
        registration.issuer,
        {"page": "7"},
    )
    # The link that the platform makes of it leads a student to the assignment.
    bob = Traveller(registration, eve.platform, subject="bob", email="bob@example.org")
    bob.custom, bob.link = item["custom"], "made-by-deep-linking"
    assert bob.arrive()["Location"].endswith("/c/autumn/a/auditor/")


def test_a_request_is_answered_once(eve, chosen):
    page = eve.enter(deep_linking=True)["Location"]
    eve.client.post(page, {"assignment": chosen.pk})
    again = eve.client.post(page, {"assignment": chosen.pk})
    assert ("used already" in again.text, 'name="JWT"' in again.text) == (True, False)


@pytest.mark.parametrize(
    "settings_of",
    [
        {"accept_types": ["html"]},
        {"deep_link_return_url": "javascript:alert(1)"},
    ],
)
def test_a_request_for_something_else_is_refused(eve, chosen, settings_of):
    name = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"

    def spoil(claims: Any) -> None:
        claims[name] |= settings_of

    page = eve.enter(change=spoil, deep_linking=True)["Location"]
    answer = eve.client.post(page, {"assignment": chosen.pk})
    assert ('name="JWT"' in answer.text, "Your learning platform" in answer.text) == (False, True)


def test_a_request_for_a_link_sets_no_link(eve, cohort, registration):
    assignment = AssignmentFactory.create(cohort=cohort)
    page = eve.enter(deep_linking=True)["Location"]
    eve.client.post(page.replace("/choice/", "/course/"), {"do": "link", "cohorts": [cohort.pk]})
    answer = eve.client.post(page.replace("/choice/", "/link/"), {"assignment": assignment.pk})
    assert (answer.status_code, "does not say which link" in answer.text) == (200, True)


def test_students_choose_no_links(eve, chosen, registration, platform):
    bob = Traveller(registration, platform, subject="bob", email="bob@example.org")
    bob.custom = {"auditor_assignment": str(chosen.pk)}
    bob.arrive()
    assert "launch_role" in bob.enter(deep_linking=True).text


def test_a_frame_waits_for_what_is_chosen_in_a_window(eve, chosen, registration):
    fields = {
        "iss": registration.issuer,
        "login_hint": "eve",
        "target_link_uri": eve.launch_url,
        "client_id": registration.client_id,
    }
    framed = Client()  # which keeps no cookie of ours
    page = framed.get(f"{eve.paths}/login/", fields, headers={"Sec-Fetch-Dest": "iframe"})
    window, waiting = (
        unescape(link) for link in re.findall(r'href="([^"]*/lti/[^"]+|/lti/[^"]+)"', page.text)
    )
    nothing = framed.get(waiting)
    assert (
        "Nothing is chosen yet" in nothing.text,
        framed.cookies.keys() & {"launch_browser"},
    ) == (
        True,
        set(),
    )
    from urllib.parse import parse_qsl, urlsplit

    preflight = dict(parse_qsl(urlsplit(eve.client.get(window)["Location"]).query))
    claims = eve.claims(preflight, deep_linking=True)
    entry = eve.send(preflight["state"], eve.platform.signed(claims))["Location"]
    choice = eve.client.get(entry)["Location"]
    done = eve.client.post(choice, {"assignment": chosen.pk})
    assert ("press “Continue”" in done.text, 'name="JWT"' in done.text) == (True, False)
    answer = framed.get(waiting)
    policies = policies_of(answer)
    assert (policies["form-action"], policies["frame-ancestors"]) == (
        [eve.platform.issuer],
        ["*"],
    )
    conf = eve.conf()
    with scope(organization=registration.organization):
        conf.get_registration().set_tool_key_set(key_set(registration))
        assert LtiLaunch.objects.exclude(answered_at=None).count() == 1
    (item,) = conf.validate_deeplinking_resp({"JWT": message_in(answer)})
    assert item["custom"] == {"auditor_assignment": str(chosen.pk)}
    assert "used already" in framed.get(waiting).text
    assert "Nothing is chosen yet" in framed.get(f"{eve.paths}/frame/invented/").text


def test_a_new_assignment_leads_back_to_the_choice(eve, chosen, registration):
    page = eve.enter(deep_linking=True)["Location"]
    new = f"/o/{registration.organization.slug}/c/autumn/a/new/?next={page}"
    assert f'href="{new}"' in unescape(eve.client.get(page).text)
    form = {
        "title": "Second",
        "rubric": "shipped:general",
        "bench": "heuristic",
        "late_policy": "refuse",
        "max_attempts": 5,
        "counting_policy": "latest",
        "team_formation": "none",
        "team_size_max": 3,
        "release_policy": "provisional",
        "appeal_days": 7,
        "max_appeals": 3,
    }
    made = eve.client.post(new, form)
    with scope(organization=registration.organization):
        second = Assignment.objects.get(slug="second")
    assert made["Location"] == f"{page}?made={second.pk}"
    elsewhere = eve.client.post(
        new.replace(page, "https://evil.example/"), form | {"title": "Third"}
    )
    assert elsewhere["Location"].startswith("/o/")


def test_a_course_is_one_of_its_deployment(eve, cohort, registration):
    from tests.factories.lti import LtiDeploymentFactory

    LtiDeploymentFactory.create(registration=registration, deployment_id="2")
    eve.enter()
    eve.deployment = "2"
    eve.enter()
    with scope(organization=registration.organization):
        assert LtiContext.objects.count() == 2
    assert User.objects.count() == 1
