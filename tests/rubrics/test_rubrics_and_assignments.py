"""Rules for publishing rubrics and for using them in assignments."""

import pytest
from django_scopes import scope

from grading.core.enums import Bench, RubricState
from grading.core.errors import ActionRefused, RubricRefused, SlugTaken
from grading.courses.actions import create_assignment
from grading.models import Activity, RubricVersion
from grading.rubrics.actions import (
    adopt_shipped_rubric,
    draft_rubric_version,
    publish_rubric_version,
)
from tests.factories.people import CohortFactory, OrganizationFactory
from tests.factories.work import (
    AssignmentFactory,
    RubricFactory,
    RubricVersionFactory,
    rubric_document,
)

pytestmark = pytest.mark.django_db


def version_in(cohort, **fields):
    return RubricVersionFactory(rubric=RubricFactory(organization=cohort.organization), **fields)


def states(rubric):
    with scope(organization=rubric.organization):
        return list(
            RubricVersion.objects.filter(rubric=rubric)
            .order_by("number")
            .values_list("number", "state")
        )


@pytest.mark.parametrize("name", ["../settings", "/etc/hostname", "missing"])
def test_unknown_shipped_rubric_is_refused(name):
    with pytest.raises(RubricRefused) as refused:
        adopt_shipped_rubric(organization=OrganizationFactory(), name=name, by=None)
    assert refused.value.code == "rubric_unknown"


def test_invalid_document_is_not_published():
    draft = draft_rubric_version(rubric=RubricFactory(), document={"criteria": []}, by=None)
    with pytest.raises(RubricRefused):
        publish_rubric_version(version=draft, by=None)
    assert states(draft.rubric) == [(1, RubricState.DRAFT)]


def test_published_version_is_not_published_again():
    draft = draft_rubric_version(rubric=RubricFactory(), document=rubric_document(), by=None)
    publish_rubric_version(version=draft, by=None)
    with pytest.raises(RubricRefused) as refused:
        publish_rubric_version(version=draft, by=None)
    assert refused.value.code == "rubric_published"


def test_publishing_supersedes_the_version_before():
    from courtroom import Rubric

    rubric = RubricFactory()
    for criteria in (("tidy",), ("tidy", "tested")):
        draft = draft_rubric_version(rubric=rubric, document=rubric_document(*criteria), by=None)
        version = publish_rubric_version(version=draft, by=None)

    assert states(rubric) == [(1, RubricState.SUPERSEDED), (2, RubricState.PUBLISHED)]
    assert version.digest == Rubric.model_validate(version.document).digest
    with scope(organization=rubric.organization):
        verbs = list(Activity.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["rubric.drafted", "rubric.published"] * 2


def test_an_assignment_needs_a_published_rubric_of_its_own_organization():
    cohort = CohortFactory()
    for version in (version_in(cohort, draft=True), RubricVersionFactory()):
        with pytest.raises(RubricRefused) as refused:
            create_assignment(cohort=cohort, title="T", slug="t", rubric_version=version, by=None)
        assert refused.value.code == "rubric_not_published"


def test_assignment_with_language_models_needs_configured_models(settings):
    cohort = CohortFactory()
    options = {
        "cohort": cohort,
        "title": "T",
        "slug": "t",
        "rubric_version": version_in(cohort),
        "by": None,
        "bench": Bench.LLM,
    }
    with pytest.raises(ActionRefused) as refused:
        create_assignment(**options)
    assert refused.value.code == "bench_unavailable"
    settings.PROSECUTOR_MODEL = settings.DEFENSE_MODEL = settings.TECH_LEAD_MODEL = "a-model"

    assert create_assignment(**options).bench == Bench.LLM


def test_assignment_slug_is_unique_within_its_cohort():
    taken = AssignmentFactory(slug="one")
    version = version_in(taken.cohort)
    with pytest.raises(SlugTaken):
        create_assignment(
            cohort=taken.cohort, title="T", slug="one", rubric_version=version, by=None
        )
    other = CohortFactory(organization=taken.organization)

    assert (
        create_assignment(cohort=other, title="T", slug="one", rubric_version=version, by=None).slug
        == "one"
    )
