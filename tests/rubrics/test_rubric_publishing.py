"""Two who edit at once, and what publishing seals: nobody's work is overwritten unseen, and nothing sealed changes."""

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
from tests.rubrics.rubric_forms import as_, draft_in, field, form_of, page, stored, teacher

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


def test_the_second_of_two_who_edit_at_once_is_refused_and_sees_both(ada, draft, organization):
    bob = teacher(organization)
    hers, his = form_of(draft, name="Ada's rubric"), form_of(draft, name="Bob's rubric")
    assert as_(ada).post(page(draft), hers).status_code == 302
    answer = as_(bob).post(page(draft), his)
    assert (answer.status_code, answer.context["session"].refusal.code) == (
        409,
        "rubric_changed_meanwhile",
    )
    assert stored(draft).document["name"] == "Ada's rubric"
    assert field(answer, "name") == "Bob&#x27;s rubric"
    [part] = answer.context["session"].between.parts
    assert [row.label for row in part.rows] == ["Name"]
    assert ("<del>Ada</del>" in answer.text, "<ins>Bob</ins>" in answer.text) == (True, True)
    again = his | {"seen": field(answer, "seen")}
    assert as_(bob).post(page(draft), again).status_code == 302
    assert stored(draft).document["name"] == "Bob's rubric"


def test_a_form_that_is_older_than_the_publication_is_refused_and_becomes_a_new_draft(ada, draft):
    stale = form_of(draft, name="Too late")
    publish_rubric_version(version=draft, by=ada)
    answer = as_(ada).post(page(draft), stale)
    assert (answer.status_code, answer.context["session"].refusal.code) == (409, "rubric_published")
    assert (stored(draft).document["name"], field(answer, "name")) == ("A small rubric", "Too late")
    as_(ada).post(page(draft), stale | {"do": "save-beside"})
    with everywhere():
        new = RubricVersion.objects.get(number=2)
    assert (new.document["name"], new.state, new.based_on_id) == (
        "Too late",
        RubricState.DRAFT,
        draft.pk,
    )


def test_publishing_says_what_stays_and_then_seals_what_was_shown(ada, draft, organization):
    old = RubricVersionFactory(rubric=draft.rubric, number=9)
    assignment = AssignmentFactory(
        cohort__organization=organization, rubric_version=old, title="Week 2"
    )
    shown = as_(ada).get(page(draft, "publish"))
    assert "Week 2" in shown.text
    assert "until you re-synthesise them" in shown.text
    as_(ada).post(page(draft, "publish"), {"seen": shown.context["digest"]})
    with scope(organization=organization):
        assignment.refresh_from_db()
    assert [stored(version).state for version in (draft, old)] == [
        RubricState.PUBLISHED,
        RubricState.SUPERSEDED,
    ]
    assert assignment.rubric_version_id == old.pk


def test_a_draft_that_was_changed_after_it_was_looked_at_is_not_published(ada, draft):
    as_(ada).post(page(draft), form_of(draft, name="Changed"))
    as_(ada).post(page(draft, "publish"), {"seen": form_of(draft)["seen"]})
    assert stored(draft).state == RubricState.DRAFT


BROKEN = {
    "criteria.0.weight": "heavy",
    "criteria.0.name": "",
    "criteria.1.checks.0.goal": "",
    "version": "",
    "constitution.rules.security_override.cap": "9",
}


def kept_unfinished(ada: User, draft: RubricVersion) -> RubricVersion:
    refused = as_(ada).post(page(draft), form_of(draft, **BROKEN))
    assert refused.text.count("autofocus") == 1
    assert 'value="save-unfinished"' in refused.text
    answer = as_(ada).post(page(draft), form_of(draft, do="save-unfinished", **BROKEN), follow=True)
    assert [str(message) for message in answer.context["messages"]] == [
        f"{draft} is saved unfinished."
    ]
    return stored(draft)


def test_a_draft_is_kept_unfinished_with_its_faults_beside_their_fields(ada, draft):
    kept_unfinished(ada, draft)
    opened = as_(ada).get(page(draft))
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
    assert as_(ada).post(page(draft), form_of(stored(draft), **mended)).status_code == 302
    assert 'class="errornote"' not in as_(ada).get(page(draft)).text


def test_an_unfinished_draft_is_published_in_no_way(ada, draft):
    shown = kept_unfinished(ada, draft)
    seen = document_digest(shown.document)
    as_(ada).post(page(draft, "publish"), {"seen": seen})
    chosen = {"action": "publish", "_selected_action": draft.pk}
    answer = as_(ada).post(reverse("admin:grading_rubricversion_changelist"), chosen, follow=True)
    assert "This draft is unfinished: fix 5 problems first." in answer.text
    with everywhere(), pytest.raises(RubricRefused) as refused:
        publish_rubric_version(version=shown, by=ada)
    assert (refused.value.code, stored(draft).state) == ("rubric_unfinished", RubricState.DRAFT)


def test_every_page_about_an_unfinished_draft_can_be_opened(ada, draft, organization):
    kept_unfinished(ada, draft)
    published = RubricVersionFactory(rubric=draft.rubric, number=9)
    assignment = AssignmentFactory(cohort__organization=organization, rubric_version=published)
    here = f"/o/{organization.slug}"
    pages = [
        page(draft, "difference"),
        page(draft, "export"),
        page(draft, "publish"),
        f"{here}/c/{assignment.cohort.slug}/a/{assignment.slug}/preview/{draft.pk}/",
        f"{here}/checks/try/?assignment={assignment.pk}&version={draft.pk}",
    ]
    assert [as_(ada).get(address).status_code for address in pages] == [200] * len(pages)
    assert as_(ada).post(page(draft, "duplicate")).status_code == 302


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"id": "x", "grade": 1, "criteria": []}',
        '{"id": "x", "name": "a\\u0000b", "criteria": []}',
    ],
)
def test_what_the_form_cannot_show_again_is_not_kept_unfinished(ada, draft, text):
    typed = {"seen": form_of(draft)["seen"], "note": "", "text": text, "do": "save-unfinished"}
    answer = as_(ada).post(page(draft), typed)
    assert (answer.status_code, answer.context["session"].text) == (200, text)
    assert stored(draft).document == draft.document


def test_an_unfinished_draft_is_not_kept_over_somebody_elses(ada, draft):
    stale = form_of(draft, do="save-unfinished", **BROKEN)
    as_(ada).post(page(draft), form_of(draft, name="Theirs"))
    assert as_(ada).post(page(draft), stale).status_code == 409
    assert stored(draft).document["name"] == "Theirs"


def test_a_draft_with_faults_shows_no_button_to_publish(ada, draft):
    with everywhere():
        RubricVersion.objects.filter(pk=draft.pk).update(
            document=rubric_document() | {"criteria": []}
        )
    assert "cannot be published yet" in as_(ada).get(page(draft, "publish")).text


def test_the_operator_is_led_to_no_page_that_is_not_there_for_them(ada, draft, organization):
    AssignmentFactory(
        cohort__organization=organization,
        rubric_version=RubricVersionFactory(rubric=draft.rubric, number=9),
    )
    operator = User.objects.create_superuser("operator")
    shown = {user: as_(user).get(page(draft)).text for user in (ada, operator)}
    for words in ("Preview for…", "Try a check"):
        assert [words in shown[user] for user in (ada, operator)] == [True, False]
