"""The page that links a branch, and the same by the API: secrets shown once, other people's links not at all."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from grading.core.crypto import unseal
from grading.core.enums import PushState
from grading.models import PushLink
from grading.submissions.pushes.links import SEAL
from tests.factories.people import everywhere
from tests.factories.pushes import SECRET, link_of, push_of
from tests.factories.repository_accesses import app_access_of
from tests.factories.teams import team_with
from tests.factories.work import SubmissionFactory
from tests.web_client.api_program import Program

pytestmark = pytest.mark.django_db
GIVEN = {
    "do": "link",
    "address": "https://git.example.org/ada/project",
    "branch": "main",
    "pdf_path": "docs/report.pdf",
    "answer": "done",
}


def signed_in(student: Any) -> Client:
    client = Client()
    client.force_login(student.user)
    return client


def page_of(assignment: Any) -> str:
    cohort = assignment.cohort
    return reverse("push-link", args=[cohort.organization.slug, cohort.slug, assignment.slug])


def links() -> list[PushLink]:
    with everywhere():
        return list(PushLink.objects.order_by("pk"))


def test_linking_shows_address_and_secret_once(assignment, ada):
    client, page = signed_in(ada), page_of(assignment)
    made = client.post(page, GIVEN)
    link = links()[0]
    secret = unseal(link.sealed_secret, purpose=SEAL)
    assert (secret in made.text, f"/hooks/{link.key}/" in made.text) == (True, True)
    again = client.get(page).text
    assert (secret in again, "Branch <code>main</code>" in again) == (False, True)


def test_refusal_stands_beside_its_field_and_keeps_the_input(assignment, ada):
    answer = signed_in(ada).post(page_of(assignment), GIVEN | {"pdf_path": "../x.pdf"})
    assert ("Give a path inside the repository" in answer.text, "../x.pdf" in answer.text) == (
        True,
        True,
    )
    assert links() == []


def test_repository_of_the_app_is_offered_to_its_student_alone(assignment, ada, ben):
    access = app_access_of(ada, host="github.com", path="ada/project")
    page = page_of(assignment)
    assert "ada/project" in signed_in(ada).get(page).text
    other = signed_in(ben)
    assert "ada/project" not in other.get(page).text
    other.post(page, GIVEN | {"access": access.pk, "address": ""})
    assert links() == []
    signed_in(ada).post(page, GIVEN | {"access": access.pk, "address": ""})
    assert [(link.repository_id, link.sealed_secret) for link in links()] == [(1, "")]


def test_student_unlinks_their_own_and_nobody_elses(assignment, ada, ben):
    link = link_of(assignment, ada)
    for reader in (ben, ada):
        before = len(links())
        signed_in(reader).post(page_of(assignment), {"do": "unlink", "link": link.pk})
        assert len(links()) == before - (reader is ada)


def test_mates_see_the_link_of_their_team(assignment, ada, ben):
    with everywhere():
        assignment.team_formation = "students"
        assignment.save()
    team_with(assignment, ada, ben)
    push_of(link_of(assignment, ada))
    assert "Branch <code>main</code>" in signed_in(ben).get(page_of(assignment)).text


STATES = {
    PushState.WAITING: "Will be submitted after a quiet period",
    PushState.SUPERSEDED: "Superseded by a later push",
    PushState.REFUSED: "Not submitted: You have used your only attempt.",
    PushState.LATE: "Too late: This assignment was due.",
}


@pytest.mark.parametrize("state", STATES)
def test_page_of_the_assignment_says_what_became_of_a_push(assignment, ada, state):
    words = STATES[state]
    sentence = words.partition(": ")[2]
    push_of(link_of(assignment, ada), state=state, sentence=sentence, pushed_at=timezone.now())
    page = page_of(assignment).removesuffix("pushes/")
    text = " ".join(signed_in(ada).get(page).text.split())
    assert (words in text, SECRET in text) == (True, False)


def test_api_links_lists_and_unlinks(assignment, ada, ben):
    program = Program(ada.user, ada.organization.slug)
    path = f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}/push-links/"
    made = program.post(path, {"address": GIVEN["address"], "branch": "main"})
    assert (made.status_code, made.json()["secret"].startswith("whsec_")) == (201, True)
    listed = program.get(path).json()["results"]
    assert [(row["branch"], "secret" in row, row["pushes"]) for row in listed] == [
        ("main", False, [])
    ]
    classmate = Program(ben.user, ben.organization.slug)
    assert classmate.delete(f"{path}{listed[0]['id']}/").status_code == 404
    assert program.delete(f"{path}{listed[0]['id']}/").status_code == 204
    assert links() == []


def test_form_after_a_push_goes_on_with_its_branch(assignment, ada):
    submission = SubmissionFactory.create(assignment=assignment, student=ada, ref="a" * 40)
    push_of(link_of(assignment, ada, branch="work"), state="submitted", submission=submission)
    page = signed_in(ada).get(page_of(assignment).replace("pushes/", "submit/")).text
    assert ('value="work"' in page, "a" * 40 in page) == (True, False)
