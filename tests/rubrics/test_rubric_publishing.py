"""Concurrent edits and publication: nothing is overwritten unseen, nothing published changes."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django_scopes import scope

from grading.core.enums import RubricState
from grading.core.errors import RubricRefused
from grading.engine.rubrics import document_digest
from grading.models import RubricVersion
from grading.rubrics.actions import publish_rubric_version
from tests.factories.people import OrganizationFactory, everywhere
from tests.factories.work import AssignmentFactory, RubricVersionFactory, rubric_document
from tests.rubrics.rubric_forms import (
    client_of,
    draft_in,
    field,
    page,
    posted_form,
    stored,
    teacher,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return OrganizationFactory(name="Ours")


@pytest.fixture
def ada(organization) -> User:
    return teacher(organization)


@pytest.fixture
def draft(organization, ada):
    return draft_in(organization, ada)


def test_second_of_two_concurrent_saves_is_refused_and_shows_both(ada, draft, organization):
    bob = teacher(organization)
    hers, his = posted_form(draft, name="Ada's rubric"), posted_form(draft, name="Bob's rubric")
    assert client_of(ada).post(page(draft), hers).status_code == 302
    answer = client_of(bob).post(page(draft), his)

    assert (answer.status_code, answer.context["session"].refusal.code) == (
        409,
        "rubric_changed_meanwhile",
    )
    assert stored(draft).document["name"] == "Ada's rubric"
    assert field(answer, "name") == "Bob&#x27;s rubric"
    [part] = answer.context["session"].between.parts
    assert [row.label for row in part.rows] == ["Name"]
    assert ("<del>Ada</del>" in answer.text, "<ins>Bob</ins>" in answer.text) == (True, True)
    # After the refusal the page has the new digest: saving again overwrites knowingly.
    again = his | {"seen": field(answer, "seen")}
    assert client_of(bob).post(page(draft), again).status_code == 302
    assert stored(draft).document["name"] == "Bob's rubric"


def test_form_older_than_the_publication_can_become_a_new_draft(ada, draft):
    stale = posted_form(draft, name="Too late")
    publish_rubric_version(version=draft, by=ada)
    answer = client_of(ada).post(page(draft), stale)
    assert (answer.status_code, answer.context["session"].refusal.code) == (409, "rubric_published")
    assert (stored(draft).document["name"], field(answer, "name")) == ("A small rubric", "Too late")
    client_of(ada).post(page(draft), stale | {"do": "save-beside"})
    with everywhere():
        new = RubricVersion.objects.get(number=2)
    assert (new.document["name"], new.state, new.based_on_id) == (
        "Too late",
        RubricState.DRAFT,
        draft.pk,
    )


def test_publish_page_lists_effects_and_publishes_the_shown_document(ada, draft, organization):
    old = RubricVersionFactory(rubric=draft.rubric, number=9)
    assignment = AssignmentFactory(
        cohort__organization=organization, rubric_version=old, title="Week 2"
    )
    answer = client_of(ada).get(page(draft, "publish"))

    assert "Week 2" in answer.text
    assert "until you re-synthesise them" in answer.text
    client_of(ada).post(page(draft, "publish"), {"seen": answer.context["digest"]})
    with scope(organization=organization):
        assignment.refresh_from_db()
    assert [stored(version).state for version in (draft, old)] == [
        RubricState.PUBLISHED,
        RubricState.SUPERSEDED,
    ]
    # Publishing alone moves no assignment to the new version.
    assert assignment.rubric_version_id == old.pk


def test_draft_changed_after_review_is_not_published(ada, draft):
    client_of(ada).post(page(draft), posted_form(draft, name="Changed"))
    client_of(ada).post(page(draft, "publish"), {"seen": posted_form(draft)["seen"]})
    assert stored(draft).state == RubricState.DRAFT


BROKEN = {
    "criteria.0.weight": "heavy",
    "criteria.0.name": "",
    "criteria.1.checks.0.goal": "",
    "version": "",
    "constitution.rules.security_override.cap": "9",
}


def saved_unfinished(ada: User, draft: RubricVersion) -> RubricVersion:
    refused = client_of(ada).post(page(draft), posted_form(draft, **BROKEN))
    assert refused.text.count("autofocus") == 1
    assert 'value="save-unfinished"' in refused.text
    answer = client_of(ada).post(
        page(draft), posted_form(draft, do="save-unfinished", **BROKEN), follow=True
    )

    assert [str(message) for message in answer.context["messages"]] == [
        f"{draft} is saved unfinished."
    ]
    return stored(draft)


def test_unfinished_draft_is_saved_with_faults_beside_their_fields(ada, draft):
    saved_unfinished(ada, draft)
    opened = client_of(ada).get(page(draft))

    assert "Unfinished: fix 5 problems before publishing this draft." in " ".join(
        opened.text.split()
    )
    assert (field(opened, "criteria.0.weight"), sorted(opened.context["session"].faults)) == (
        "heavy",
        sorted(BROKEN),
    )
    mended = dict.fromkeys(BROKEN, "1") | {
        "criteria.0.name": "Tidy",
        "criteria.1.checks.0.goal": "A README",
    }
    assert client_of(ada).post(page(draft), posted_form(stored(draft), **mended)).status_code == 302
    assert 'class="errornote"' not in client_of(ada).get(page(draft)).text


def test_unfinished_draft_cannot_be_published(ada, draft):
    unfinished = saved_unfinished(ada, draft)
    digest = document_digest(unfinished.document)
    client_of(ada).post(page(draft, "publish"), {"seen": digest})
    # The action on the list of versions is a second way to publish.
    chosen = {"action": "publish", "_selected_action": draft.pk}
    answer = client_of(ada).post(
        reverse("admin:grading_rubricversion_changelist"), chosen, follow=True
    )

    assert "This draft is unfinished: fix 5 problems first." in answer.text
    with everywhere(), pytest.raises(RubricRefused) as refused:
        publish_rubric_version(version=unfinished, by=ada)
    assert (refused.value.code, stored(draft).state) == ("rubric_unfinished", RubricState.DRAFT)


def test_pages_of_an_unfinished_draft_open(ada, draft, organization):
    saved_unfinished(ada, draft)
    published = RubricVersionFactory(rubric=draft.rubric, number=9)
    assignment = AssignmentFactory(cohort__organization=organization, rubric_version=published)
    base = f"/o/{organization.slug}"
    pages = [
        page(draft, "difference"),
        page(draft, "export"),
        page(draft, "publish"),
        f"{base}/c/{assignment.cohort.slug}/a/{assignment.slug}/preview/{draft.pk}/",
    ]

    assert [client_of(ada).get(address).status_code for address in pages] == [200] * len(pages)
    assert client_of(ada).post(page(draft, "duplicate")).status_code == 302


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"id": "x", "grade": 1, "criteria": []}',
        '{"id": "x", "name": "a\\u0000b", "criteria": []}',
    ],
)
def test_document_that_the_form_cannot_hold_is_not_saved_unfinished(ada, draft, text):
    typed = {"seen": posted_form(draft)["seen"], "note": "", "text": text, "do": "save-unfinished"}
    answer = client_of(ada).post(page(draft), typed)
    assert (answer.status_code, answer.context["session"].text) == (200, text)
    assert stored(draft).document == draft.document


def test_unfinished_draft_does_not_overwrite_another_save(ada, draft):
    stale = posted_form(draft, do="save-unfinished", **BROKEN)
    client_of(ada).post(page(draft), posted_form(draft, name="Theirs"))
    assert client_of(ada).post(page(draft), stale).status_code == 409
    assert stored(draft).document["name"] == "Theirs"


def test_draft_with_faults_has_no_publish_button(ada, draft):
    with everywhere():
        RubricVersion.objects.filter(pk=draft.pk).update(
            document=rubric_document() | {"criteria": []}
        )
    assert "cannot be published yet" in client_of(ada).get(page(draft, "publish")).text


def test_operator_gets_no_links_to_pages_of_members(ada, draft, organization):
    AssignmentFactory(
        cohort__organization=organization,
        rubric_version=RubricVersionFactory(rubric=draft.rubric, number=9),
    )
    operator = User.objects.create_superuser("operator")
    pages = {user: client_of(user).get(page(draft)).text for user in (ada, operator)}
    for words in ("Preview for…", "Student view"):
        assert [words in pages[user] for user in (ada, operator)] == [True, False]
