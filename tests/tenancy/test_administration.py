"""The administration, page by page: who teaches in one institution meets nothing of another in any of them.

The pages come from the URLconf and the models from the registry: a new one is asked the same questions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django_rq import get_queue
from django_rq.models import Dashboard
from django_scopes import scope

from grading.core.enums import Role, RubricState
from grading.models import (
    Cohort,
    Enrollment,
    Organization,
    RubricVersion,
)
from tests.factories.institutes import institute
from tests.factories.people import (
    CohortFactory,
    MembershipFactory,
    UserFactory,
    everywhere,
)
from tests.factories.work import RubricVersionFactory
from tests.tenancy.world import session_of

pytestmark = pytest.mark.django_db
MODELS = [model for model in admin.site._registry if model._meta.app_label == "grading"]
OTHERS = [model for model in admin.site._registry if model._meta.app_label != "grading"]
INLINE = re.compile(r"<style|<script(?![^<>]*\ssrc=)|\s(?:style|on[a-z]+)=\"")
OURS, THEIRS = "Hellerau", "Zwickau"  # no page of an instructor of the first may hold the second


def row_of(model: type[Model], organization: Organization) -> Any:
    """Some row of the organization."""
    if model is Organization:
        return organization
    with scope(organization=organization):
        return model._default_manager.filter(organization=organization).order_by("pk")[0]


def page(model: type[Model], name: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


def holds(text: str, word: str) -> bool:
    return word.lower() in text.lower()


class Administration:
    """Two institutions with the same work, and a client for whoever asks."""

    def __init__(self) -> None:
        self.ours, self.theirs = institute(word=OURS), institute(word=THEIRS)
        self.instructor = self.somebody(organization=self.ours)
        self.session = session_of(self.instructor)
        self.client = Client()

    def somebody(self, *, organization: Organization, role: Role = Role.INSTRUCTOR) -> User:
        user: User = UserFactory.create(is_staff=True)
        MembershipFactory.create(organization=organization, user=user, role=role)
        return user


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(scope="module")
def institutions(kept: Path) -> Administration:
    return Administration()


@pytest.fixture
def world(institutions: Administration, db: None, kept_uploads: None) -> Administration:
    institutions.client = Client()
    institutions.client.cookies[settings.SESSION_COOKIE_NAME] = institutions.session
    return institutions


def test_every_list_has_a_row_of_each_institution(world):
    for model in MODELS:
        assert [
            row_of(model, organization) is not None for organization in (world.ours, world.theirs)
        ] == [True] * 2


@pytest.mark.parametrize("model", MODELS)
def test_lists_searches_and_filters_hold_ones_own_institution_only(model, world):
    theirs = row_of(model, world.theirs)
    questions = ["", f"?q={THEIRS}", f"?q={theirs.pk}", "?all=", *filters_of(model, theirs)]
    for question in questions:
        answer = world.client.get(page(model, "changelist") + question, follow=True)
        results = {row if model is Organization else row.organization for row in rows_in(answer)}
        text = plain(
            answer.text, f'value="{THEIRS}"', f"q={THEIRS}", f"q%3D{THEIRS}"
        )  # what was typed stands in its field again
        assert (question, answer.status_code, results - {world.ours}, holds(text, THEIRS)) == (
            question,
            200,
            set(),
            False,
        )


def rows_in(answer: Any) -> list[Any]:
    return (
        list(answer.context["cl"].result_list) if answer.context and "cl" in answer.context else []
    )


def filters_of(model: type[Model], row: Any) -> Iterator[str]:
    """A question for the other institution's value in every filter of the list."""
    chosen: Any  # a field's name, alone or with the filter's class
    for chosen in admin.site._registry[model].list_filter:
        name = chosen[0] if isinstance(chosen, tuple) else chosen
        if isinstance(chosen, tuple) and chosen[1] is admin.EmptyFieldListFilter:
            yield f"?{name}__isempty=0"
        elif isinstance(chosen, tuple):
            value = row
            with everywhere():
                for part in name.split("__"):
                    value = getattr(value, part)
            yield f"?{name}__id__exact={value.pk}"
        else:
            yield f"?{name}__exact={getattr(row, name)}"


@pytest.mark.parametrize("model", MODELS)
def test_another_institutions_row_answers_like_a_missing_one(model, world):
    theirs = row_of(model, world.theirs).pk
    missing = UUID(int=0) if isinstance(theirs, UUID) else 10**9
    for name, method in product(pages_of_a_row(model), ("get", "post")):
        there, nowhere = (
            answer_of(world.client, method, model, name, pk) for pk in (theirs, missing)
        )
        assert (name, method, there) == (name, method, nowhere)
        assert not holds(str(there), THEIRS)


def pages_of_a_row(model: type[Model]) -> list[str]:
    """Every address of the model's administration that names a row: Django's own, and whatever was added."""
    prefix = f"{model._meta.app_label}_{model._meta.model_name}_"
    named = [
        url for url in admin.site._registry[model].get_urls() if "object_id" in str(url.pattern)
    ]
    names = [str(url.name).removeprefix(prefix) for url in named if url.name]
    assert {"change", "delete", "history"} <= set(names)
    return names


def answer_of(
    client: Client, method: str, model: type[Model], name: str, pk: Any
) -> tuple[Any, ...]:
    """Return the answer, and what the next page would say of it, without the key that was asked for.

    A redirect is not followed: it leads to the front page, which a test of its own reads.
    """
    client.cookies.pop("messages", None)
    answer: Any = getattr(client, method)(page(model, name, pk), {})
    messages = [plain(str(message), f"“{pk}”") for message in get_messages(answer.wsgi_request)]
    target = answer.headers.get("Location", "").replace(f"/{pk}/", "")
    return answer.status_code, target, messages, plain(answer.text, f"/{pk}/", f"“{pk}”")


def plain(text: str, *words: str) -> str:
    """The page without its one-time token and these words."""
    for word in words:
        text = text.replace(word, "")
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)


@pytest.mark.parametrize("model", MODELS)
def test_forms_offer_and_show_ones_own_institution_only(model, world):
    for address in (page(model, "add"), page(model, "change", row_of(model, world.ours).pk)):
        answer = world.client.get(address)
        assert (answer.status_code in {200, 403}, holds(answer.text, THEIRS)) == (True, False)


@pytest.mark.parametrize("model", MODELS)
def test_a_form_takes_nothing_of_another_institution(model, world):
    """Every relation is pointed at the other institution: each is refused beside its field, and nothing is made."""
    theirs = row_of(model, world.theirs)
    relations = [field for field in model._meta.fields if field.is_relation]
    sent = {field.name: getattr(theirs, field.attname) or "" for field in relations}
    with everywhere():
        before = model._default_manager.count()
    answer = world.client.post(page(model, "add"), sent)
    if answer.status_code != 403:
        form = answer.context["adminform"].form
        assert set(sent) & set(form.fields) <= set(form.errors)
    with everywhere():
        assert model._default_manager.count() == before


def test_accounts_and_whatever_else_is_nobodys_are_the_operators(world):
    addresses = [page(model, name) for model in OTHERS for name in ("changelist", "add")]
    answers = {address: world.client.get(address).status_code for address in addresses}
    assert answers == dict.fromkeys(addresses, 403)


def test_the_queues_are_the_operators(world):
    """They hold every institution's audits. Whoever teaches is refused on each page, whatever it asks for."""
    for url in admin.site._registry[Dashboard].get_urls():
        if not url.name:  # the redirect of an old address
            continue
        address = reverse(
            f"admin:{url.name}", kwargs=dict.fromkeys(url.pattern.regex.groupindex, "1")
        )
        answers = [getattr(world.client, method)(address).status_code for method in ("get", "post")]
        assert (url.name, answers) == (url.name, [403, 403])
    operator = signed_in(UserFactory(is_staff=True, is_superuser=True))
    assert operator.get(page(Dashboard, "changelist")).status_code == 200


def test_pages_of_the_queues_hold_nothing_that_the_content_policy_refuses(world, redis):
    job = get_queue("letters").create_job("grading.jobs.send_letters", args=(1,))
    job.save()
    place = {"queue_index": sorted(settings.QUEUES).index("letters"), "job_id": job.id}
    operator, faults, answered = signed_in(UserFactory(is_staff=True, is_superuser=True)), {}, 0
    for url in admin.site._registry[Dashboard].get_urls():
        names = url.pattern.regex.groupindex
        if url.name and set(names) <= set(place):
            address = reverse(f"admin:{url.name}", kwargs={name: place[name] for name in names})
            answer = operator.get(address)
            answered += answer.status_code == 200
            if results := INLINE.findall(answer.content.decode()):
                faults[url.name] = results
    assert (faults, answered > 10) == ({}, True)


def test_nobody_is_found_by_completing_a_name(world):
    completion = {
        "app_label": "grading",
        "model_name": "membership",
        "field_name": "user",
        "term": THEIRS,
    }
    assert world.client.get(reverse("admin:autocomplete"), completion).status_code == 403
    operator = signed_in(UserFactory(is_staff=True, is_superuser=True))
    results = json.loads(operator.get(reverse("admin:autocomplete"), completion).content)["results"]
    assert len(results) == 1


@pytest.mark.parametrize("model", MODELS)
def test_the_way_from_a_row_to_the_site_is_the_same_for_a_missing_one(model, world):
    from django.contrib.contenttypes.models import ContentType

    kind = ContentType.objects.get_for_model(model).pk
    theirs = row_of(model, world.theirs).pk
    missing = UUID(int=0) if isinstance(theirs, UUID) else 10**9
    answers = [world.client.get(f"/admin/r/{kind}/{pk}/") for pk in (theirs, missing)]
    assert [answer.status_code for answer in answers] == [404, 404]


def test_a_chosen_row_of_another_institution_is_not_acted_on(world):
    with everywhere():
        theirs = RubricVersionFactory(
            rubric=row_of(RubricVersion, world.theirs).rubric, number=2, draft=True
        )
    world.client.post(
        page(RubricVersion, "changelist"), {"action": "publish", "_selected_action": [theirs.pk]}
    )
    with everywhere():
        theirs.refresh_from_db()
    assert theirs.state == RubricState.DRAFT


def test_the_front_page_and_the_list_of_ones_deeds_name_no_other_institution(world):
    operator = signed_in(UserFactory(is_staff=True, is_superuser=True))
    cohort = row_of(Cohort, world.theirs)
    renamed = {"name": f"{THEIRS} renamed", "slug": cohort.slug, "starts_on": "", "ends_on": ""}
    assert operator.post(page(Cohort, "change", cohort.pk), renamed).status_code == 302
    assert holds(operator.get("/admin/").text, THEIRS)
    assert not holds(world.client.get("/admin/").text, THEIRS)


def test_who_teaches_in_two_institutions_cannot_mix_them(world):
    MembershipFactory(organization=world.theirs, user=world.instructor, role=Role.INSTRUCTOR)
    their_cohort = row_of(Cohort, world.theirs)
    sent = {"organization": world.ours.pk, "cohort": their_cohort.pk, "email": "new@example.org"}
    answer = world.client.post(page(Enrollment, "add"), sent)
    assert answer.context["adminform"].form.errors == {
        "cohort": ["This belongs to another organization."]
    }
    own = {"organization": world.theirs.pk, "cohort": their_cohort.pk, "email": "new@example.org"}
    assert world.client.post(page(Enrollment, "add"), own).status_code == 302


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.STUDENT])
def test_who_does_not_teach_sees_no_list(role, world):
    client = signed_in(world.somebody(organization=world.ours, role=role))
    assert {client.get(page(model, "changelist")).status_code for model in MODELS} == {403}


def test_the_operator_sees_every_institution_and_one_founded_a_moment_ago(world):
    operator = signed_in(UserFactory(is_staff=True, is_superuser=True))
    CohortFactory(name="A moment ago")
    names = {row.name for row in rows_in(operator.get(page(Cohort, "changelist")))}
    assert names == {f"{OURS} cohort", f"{THEIRS} cohort", "A moment ago"}


def test_a_deactivated_instructor_is_out_at_once(world):
    assert world.client.get("/admin/").status_code == 200
    User.objects.filter(pk=world.instructor.pk).update(is_active=False)
    assert {world.client.get(page(model, "changelist")).status_code for model in MODELS} == {302}
