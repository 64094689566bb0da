"""Removals of a draft are listed before it is published; existing grades stay."""

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
from tests.rubrics.rubric_forms import (
    client_of,
    draft_in,
    page,
    posted_form,
    settled,
    stored,
    teacher,
)

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


def losses_of(
    before: RubricVersion | None, criteria: list[dict[str, Any]]
) -> list[tuple[str, str]]:
    with everywhere():
        return [
            (loss.removal, loss.effect)
            for loss in publishing_losses(before, {"criteria": criteria})
        ]


def test_no_loss_without_published_version_or_for_additions(
    published: RubricVersion,
) -> None:
    criteria = published.document["criteria"]

    assert (
        losses_of(None, [])
        == losses_of(published, criteria)
        == losses_of(published, [*criteria, {"id": "more"}])
        == []
    )


def test_removed_criterion_lists_verdicts_overrides_and_appeals(
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
    [(removal, effect)] = losses_of(published, rest)

    assert removal == f"The criterion “{first['name']}” is removed."
    for words in (
        "1 existing verdict stays",
        "1 override will no longer count",
        "1 open appeal can still be answered",
    ):
        assert words in effect


def test_removed_levels_and_changed_worth_are_listed_but_not_another_spelling(
    published: RubricVersion,
) -> None:
    first, *rest = published.document["criteria"]
    published.document["criteria"][0] = first | {"levels": LEVELS, "max_points": 10, "weight": 1}
    fewer = first | {"levels": LEVELS[:1], "max_points": 10.0, "weight": 2}

    assert [removal for removal, _effect in losses_of(published, [fewer, *rest])] == [
        f"{first['name']}: the level “Worst” is removed.",
        f"{first['name']}: its worth changes, weight 1 → weight 2.",
    ]


def test_losses_of_typed_draft_stand_in_the_editor_and_on_the_publish_page(
    ada: User, published: RubricVersion
) -> None:
    with everywhere():
        draft = duplicate_version(version=published, by=ada)
    name = published.document["criteria"][0]["name"]

    assert "What this draft removes" not in client_of(ada).get(page(draft)).text
    typed = client_of(ada).post(page(draft), posted_form(draft, do="remove criteria.0")).text
    assert (
        f"The criterion “{name}” is removed." in typed,
        stored(draft).document == published.document,
    ) == (
        True,
        True,
    )
    with everywhere():
        RubricVersion.objects.filter(pk=draft.pk).update(
            document=settled(criteria=published.document["criteria"][1:])
        )
    assert f"The criterion “{name}” is removed." in client_of(ada).get(page(draft, "publish")).text
