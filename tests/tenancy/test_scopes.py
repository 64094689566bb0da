"""Two organizations with the same work: whatever is asked in one, nothing of the other comes back."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.apps import apps
from django_scopes import scope
from django_scopes.exceptions import ScopeError

from grading.audits import queries as audit_queries
from grading.courses import queries as course_queries
from grading.courses.roster import import_roster
from grading.models import ApiToken, Cohort, Enrollment, HeldSlot, Organization, PersonalCalendar
from grading.models.tenant import TenantManager, TenantModel
from grading.submissions import queries as submission_queries
from tests.factories.institutes import institute
from tests.factories.people import UserFactory, everywhere

pytestmark = pytest.mark.django_db
# Tokens and calendars are a person's own, like their password: they belong to no organization.
NO_TENANTS = (Organization, ApiToken, HeldSlot, PersonalCalendar)
TENANT_MODELS = [
    model for model in apps.get_app_config("grading").get_models() if model not in NO_TENANTS
]


@pytest.fixture(scope="module")
def ours_and_theirs(kept):
    user = UserFactory()
    return institute(user), institute(user), user


def test_every_model_but_the_organization_belongs_to_one():
    assert [model.__name__ for model in TENANT_MODELS if not issubclass(model, TenantModel)] == []
    assert [
        model.__name__
        for model in TENANT_MODELS
        if type(model._default_manager) is not TenantManager
    ] == []


@pytest.mark.parametrize("model", TENANT_MODELS)
def test_in_one_organizations_scope_only_its_rows_are_there(ours_and_theirs, model):
    ours, _theirs, _user = ours_and_theirs
    with scope(organization=ours):
        assert set(model.objects.values_list("organization", flat=True)) == {ours.pk}
    with everywhere():
        assert model.objects.exclude(organization=ours).exists()


@pytest.mark.parametrize("model", TENANT_MODELS)
def test_outside_a_scope_nothing_can_be_asked_changed_or_deleted(model):
    for ask in (
        lambda: list(model.objects.all()),
        model.objects.count,
        lambda: model.objects.filter(pk=1).delete(),
    ):
        with pytest.raises(ScopeError):
            ask()


ABOUT_AN_ORGANIZATION: dict[str, Callable[[Organization], Iterable[Any]]] = {
    "members_of": course_queries.members_of,
    "roster_of": lambda org: course_queries.roster_of(_cohort(org)),
    "cohort_overview": lambda org: course_queries.cohort_overview(_cohort(org)).assignments,
    "attempts_of": lambda org: submission_queries.attempts_of(
        _assignment(org).submissions.get().student, _assignment(org)
    ),
    "standings_of": lambda org: [
        s.latest for s in submission_queries.standings_of(_assignment(org)) if s.latest
    ],
    "verdicts_of": lambda org: audit_queries.verdicts_of(
        _assignment(org).submissions.get().audits.get()
    ),
}
ABOUT_A_USER: dict[str, Callable[[Any], Iterable[Any]]] = {
    "assignments_asked_of": course_queries.assignments_due_from,
    "latest_attempts_of": lambda user: [
        a.submission for a in submission_queries.latest_attempts_of(user)
    ],
}


def _cohort(organization):
    return Cohort.objects.get(slug="same", organization=organization)


def _assignment(organization):
    return _cohort(organization).assignments.get()


@pytest.mark.parametrize("name", ABOUT_AN_ORGANIZATION)
def test_a_query_answers_within_its_own_organization_only(ours_and_theirs, name):
    ours, theirs, _user = ours_and_theirs
    with scope(organization=ours):
        assert {row.organization_id for row in ABOUT_AN_ORGANIZATION[name](ours)} == {ours.pk}
        try:
            foreign = list(ABOUT_AN_ORGANIZATION[name](theirs))
        except Cohort.DoesNotExist:
            foreign = []
    assert foreign == []


@pytest.mark.parametrize("name", ABOUT_A_USER)
def test_what_a_user_has_in_two_organizations_is_told_apart(ours_and_theirs, name):
    ours, theirs, user = ours_and_theirs
    for organization in (ours, theirs):
        with scope(organization=organization):
            assert [row.organization_id for row in ABOUT_A_USER[name](user)] == [organization.pk]


def test_a_member_of_two_organizations_sees_each_ones_cohorts_there(ours_and_theirs):
    ours, theirs, user = ours_and_theirs
    with scope(organization=ours):
        assert [cohort.organization_id for cohort in course_queries.cohorts_of(user, ours)] == [
            ours.pk
        ]
        assert list(course_queries.cohorts_of(user, theirs)) == []


def test_a_roster_is_imported_into_its_own_organization(ours_and_theirs):
    ours, theirs, _user = ours_and_theirs
    with scope(organization=theirs):
        before = list(Enrollment.objects.values_list("pk", flat=True))
    with scope(organization=ours):
        import_roster(cohort=_cohort(ours), text="email,name\nnew@example.org,New\n", by=None)
    with scope(organization=theirs):
        assert list(Enrollment.objects.values_list("pk", flat=True)) == before
