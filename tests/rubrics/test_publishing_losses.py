"""What a draft takes away is said in words before anything is sealed: to the gradings there are, nothing happens by itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from grading.models import Organization, RubricVersion
from grading.rubrics.actions import duplicate_version, publish_rubric_version
from grading.rubrics.comparison.publishing_losses import publishing_losses
from tests.factories.grades import AppealFactory, OverrideFactory
from tests.factories.people import OrganizationFactory, everywhere
from tests.factories.work import AssignmentFactory, AuditFactory, CriterionVerdictFactory
from tests.rubrics.rubric_forms import as_, draft_in, form_of, page, settled, stored, teacher

pytestmark = pytest.mark.django_db
LEVELS = [{"name": "Best", "points": 10}, {"name": "Worst", "points": 0}]


@pytest.fixture
def organization() -> Organization:
    made: Organization = OrganizationFactory.create()
    return made


@pytest.fixture
def ada(organization: Organization) -> User:
    return teacher(organization)


@pytest.fixture
def published(organization: Organization, ada: User) -> RubricVersion:
    return stored(publish_rubric_version(version=draft_in(organization, ada), by=ada))


def said(before: RubricVersion | None, criteria: list[dict[str, Any]]) -> list[tuple[str, str]]:
    with everywhere():
        return [
            (loss.what, loss.then) for loss in publishing_losses(before, {"criteria": criteria})
        ]


def test_nothing_is_lost_where_nothing_is_published_or_something_only_came(
    published: RubricVersion,
) -> None:
    criteria = published.document["criteria"]
    assert (
        said(None, [])
        == said(published, criteria)
        == said(published, [*criteria, {"id": "more"}])
        == []
    )


def test_of_a_criterion_that_is_gone_its_verdicts_scores_by_hand_and_appeals_are_told(
    published: RubricVersion,
) -> None:
    first, *rest = published.document["criteria"]
    assignment = AssignmentFactory.create(
        rubric_version=published, cohort__organization=published.organization
    )
    audit = AuditFactory.create(
        submission__assignment=assignment, done=True, rubric_version=published
    )
    on_it = {"criterion_id": first["id"]}
    CriterionVerdictFactory.create(audit=audit, **on_it)
    OverrideFactory.create(submission=audit.submission, **on_it)
    AppealFactory.create(submission=audit.submission, **on_it)
    [(what, then)] = said(published, rest)
    assert what == f"The criterion “{first['name']}” is gone."
    for words in (
        "1 verdict on it stays",
        "1 score given by hand",
        "1 waiting appeal can still be answered",
    ):
        assert words in then


def test_levels_that_are_gone_and_another_worth_are_told_and_the_same_number_otherwise_written_is_not(
    published: RubricVersion,
) -> None:
    first, *rest = published.document["criteria"]
    published.document["criteria"][0] = first | {"levels": LEVELS, "max_points": 10, "weight": 1}
    fewer = first | {"levels": LEVELS[:1], "max_points": 10.0, "weight": 2}
    assert [what for what, _then in said(published, [fewer, *rest])] == [
        f"{first['name']}: the level “Worst” is gone.",
        f"{first['name']}: its worth is another, weight 1 → weight 2.",
    ]


def test_the_editor_says_it_of_what_is_typed_before_it_is_saved_and_the_last_page_before_it_is_sealed(
    ada: User, published: RubricVersion
) -> None:
    with everywhere():
        draft = duplicate_version(version=published, by=ada)
    name = published.document["criteria"][0]["name"]
    assert "What this takes away" not in as_(ada).get(page(draft)).text
    typed = as_(ada).post(page(draft), form_of(draft, do="remove criteria.0")).text
    assert (
        f"The criterion “{name}” is gone." in typed,
        stored(draft).document == published.document,
    ) == (
        True,
        True,
    )
    with everywhere():
        RubricVersion.objects.filter(pk=draft.pk).update(
            document=settled(criteria=published.document["criteria"][1:])
        )
    assert f"The criterion “{name}” is gone." in as_(ada).get(page(draft, "publish")).text
