"""Accesses by the API: a token goes in and never comes out, and is gone when it is revoked."""

from __future__ import annotations

import pytest

from grading.models import RepositoryAccess
from tests.factories.people import everywhere
from tests.factories.repository_accesses import TOKEN, access_of
from tests.web_client.api_program import Program

pytestmark = pytest.mark.django_db


@pytest.fixture
def program(ada) -> Program:
    return Program(ada.user, ada.organization.slug)


def place(student) -> str:
    return f"cohorts/{student.cohort.slug}/repositories/"


def test_token_is_given_listed_and_revoked_without_being_shown(private, host, ada, program):
    sent = {"address": f"{private.url}/course/ada.git", "token": TOKEN}
    given = program.post(place(ada), sent)
    assert (given.status_code, given.json()["path"]) == (201, "private/course/ada")
    listed = program.get(place(ada))
    assert [row["host"] for row in listed.json()["results"]] == [host]
    with everywhere():
        sealed = RepositoryAccess.objects.get().sealed_secret
    bodies = given.content.decode() + listed.content.decode()
    assert (TOKEN in bodies, sealed in bodies) == (False, False)
    assert program.delete(f"{place(ada)}{given.json()['id']}/").status_code == 204
    assert program.get(place(ada)).json()["results"] == []


def test_token_that_opens_nothing_is_refused_without_being_repeated(private, ada, program):
    sent = {"address": f"{private.url}/course/ada.git", "token": "wrong-canary"}
    answer = program.post(place(ada), sent)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "address")
    assert "wrong-canary" not in answer.content.decode()


def test_access_of_a_classmate_is_missing(host, ada, ben, program):
    access = access_of(ben, host=host, path="private/course/ben")
    assert program.get(f"{place(ada)}{access.pk}/").status_code == 404
    assert program.get(place(ada)).json()["results"] == []
