"""Rubrics on the site's own pages: the same editor as in the administration, for the organization's staff."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from grading.core.enums import Role, RubricState
from grading.models import Rubric, RubricVersion
from tests.factories.people import OrganizationFactory, everywhere, staff_user
from tests.factories.work import AssignmentFactory, RubricVersionFactory
from tests.rubrics.rubric_forms import client_of, draft_in, posted_form, settled, stored
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
PAGES = ("edit", "publish", "difference", "decisions", "imported")


@pytest.fixture
def organization():
    return OrganizationFactory(name="Ours")


@pytest.fixture
def ada(organization):
    return staff_user(organization)


@pytest.fixture
def draft(organization, ada):
    return draft_in(organization, ada)


def site(version: RubricVersion, page: str) -> str:
    return reverse(f"rubric-{page}", args=[version.organization.slug, version.pk])


def whole(organization: Any, page: str) -> str:
    return reverse(f"rubric-{page}", args=[organization.slug])


def rubrics_named(name: str) -> list[Rubric]:
    with everywhere():
        return list(Rubric.objects.filter(name=name))


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["edit", "publish", "duplicate"])
def test_assistant_cannot_change_a_rubric(organization, draft, page):
    client = client_of(staff_user(organization, Role.ASSISTANT))
    assert client.post(site(draft, page), posted_form(draft)).status_code == 404
    assert stored(draft).document == draft.document


def test_name_of_another_rubric_is_refused_and_kept(organization, ada, draft):
    sent = {"name": draft.rubric.slug.replace("-", " "), "start": "empty"}
    with everywhere():
        Rubric.objects.filter(pk=draft.rubric_id).update(slug="mine", name="Mine")
    answer = client_of(ada).post(whole(organization, "new"), sent | {"name": "MINE"})
    assert answer.status_code == 200
    assert "There is already a rubric “Mine”" in answer.text
    assert 'value="MINE"' in answer.text


def test_unsaved_texts_stay_beside_the_error(ada, draft):
    answer = client_of(ada).post(
        site(draft, "edit"), posted_form(draft, **{"criteria.0.weight": "heavy"})
    )
    assert (answer.status_code, answer.context["session"].faults) == (
        200,
        {"criteria.0.weight": ("This must be a number.",)},
    )


def test_second_save_of_a_changed_draft_shows_the_difference(ada, draft):
    first, second = client_of(ada), client_of(ada)
    typed = posted_form(draft, **{"criteria.0.name": "Yours"})
    first.post(site(draft, "edit"), posted_form(draft, **{"criteria.0.name": "Mine"}))
    answer = second.post(site(draft, "edit"), typed)
    assert answer.status_code == 409
    assert stored(draft).document["criteria"][0]["name"] == "Mine"


# -- pages --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_well_formed_and_lead_to_no_administration(ada, draft, page):
    answer = client_of(ada).get(site(draft, page))
    assert answer.status_code == 200
    assert faults_of(answer.text) == []
    assert "/admin/grading/" not in answer.text


def test_list_shows_versions_with_state_and_use(organization, ada, draft):
    used = RubricVersionFactory(rubric=draft.rubric, number=2)
    RubricVersionFactory(rubric=draft.rubric, number=3, state=RubricState.SUPERSEDED)
    AssignmentFactory(cohort__organization=organization, rubric_version=used, title="Week 2")
    row = client_of(ada).get(whole(organization, "list")).context["rubrics"][0]
    assert [(r.version.number, len(r.assignments)) for r in row.current] == [(2, 1), (1, 0)]
    assert [r.version.number for r in row.earlier] == [3]


def test_assistant_reads_the_list_and_is_offered_no_change(organization, draft):
    client = client_of(staff_user(organization, Role.ASSISTANT))
    text = client.get(whole(organization, "list")).text
    assert site(draft, "version") in text
    assert site(draft, "edit") not in text


def test_save_and_publish_leads_to_the_page_that_publishes(ada, draft):
    typed = posted_form(draft, do="save-publish", **{"criteria.0.name": "Tidier"})
    answer = client_of(ada).post(site(draft, "edit"), typed)
    assert answer["Location"] == site(draft, "publish")
    assert stored(draft).document["criteria"][0]["name"] == "Tidier"


def test_new_rubric_starts_from_a_shipped_one(organization, ada):
    sent = {"name": "Compilers", "start": "general"}
    answer = client_of(ada).post(whole(organization, "new"), sent)
    (rubric,) = rubrics_named("Compilers")
    with everywhere():
        version = rubric.versions.get()
    assert answer["Location"] == site(version, "edit")
    assert (version.document["id"], version.document["name"]) == ("compilers", "Compilers")
    assert version.document["criteria"]


def test_new_rubric_copies_a_version(organization, ada, draft):
    sent = {"name": "Copy", "start": f"version:{draft.pk}"}
    client_of(ada).post(whole(organization, "new"), sent)
    (rubric,) = rubrics_named("Copy")
    with everywhere():
        assert rubric.versions.get().document["criteria"] == draft.document["criteria"]


def test_new_empty_rubric_opens_in_the_editor(organization, ada):
    sent = {"name": "Blank", "start": "empty"}
    answer = client_of(ada).post(whole(organization, "new"), sent, follow=True)
    assert answer.status_code == 200
    assert answer.context["version"].document["criteria"] == []


def test_imported_file_leads_to_its_notes(organization, ada):
    text = json.dumps({**settled(), "id": "mine", "name": "Mine"}).encode()
    sent = {"into": f"o{organization.pk}", "file": SimpleUploadedFile("mine.json", text)}
    answer = client_of(ada).post(whole(organization, "import"), sent)
    (rubric,) = rubrics_named("Mine")
    with everywhere():
        assert answer["Location"] == site(rubric.versions.get(), "imported")


def test_copy_opens_in_the_site(ada, draft):
    answer = client_of(ada).post(site(draft, "duplicate"))
    with everywhere():
        copy = RubricVersion.objects.get(rubric=draft.rubric, number=2)
    assert answer["Location"] == site(copy, "edit")


def test_rubric_of_an_assignment_leads_teachers_to_its_draft(organization, ada, draft):
    used = RubricVersionFactory(rubric=draft.rubric, number=2, document=settled())
    assignment = AssignmentFactory(cohort__organization=organization, rubric_version=used)
    address = reverse("rubric", args=[organization.slug, assignment.cohort.slug, assignment.slug])
    text = client_of(ada).get(address).text
    assert site(draft, "edit") in text
    assert site(used, "duplicate") in text
