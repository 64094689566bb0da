"""The second wall, table by table: each is asked the same of two institutions that are made once."""

from pathlib import Path

import pytest
from django_scopes import scope, scopes_disabled

from grading.models import Organization
from tests.factories.institutes import institute
from tests.factories.people import everywhere
from tests.tenancy.tables import TABLES, TENANT_MODELS, changed, organizations_in

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def ours_and_theirs(kept: Path) -> tuple[Organization, Organization]:
    return institute(), institute()


@pytest.mark.parametrize("table", TABLES)
def test_raw_sql_without_a_tenant_finds_and_changes_nothing(ours_and_theirs, table):
    assert organizations_in(table) == set()
    with scopes_disabled():
        assert organizations_in(table) == set()
        assert changed(f"UPDATE {table} SET organization_id = organization_id") == 0  # noqa: S608
        assert changed(f"DELETE FROM {table}") == 0  # noqa: S608
    with everywhere():
        assert organizations_in(table) == {organization.pk for organization in ours_and_theirs}


@pytest.mark.parametrize("table", TABLES)
def test_raw_sql_finds_the_entered_organizations_rows_only(ours_and_theirs, table):
    ours, theirs = ours_and_theirs
    with scope(organization=ours):
        assert organizations_in(table) == {ours.pk}
        with scope(organization=[theirs.pk]):
            assert organizations_in(table) == {theirs.pk}
        assert organizations_in(table) == {ours.pk}
    assert organizations_in(table) == set()


@pytest.mark.parametrize("model", TENANT_MODELS)
def test_the_unscoped_manager_meets_the_wall_too(ours_and_theirs, model):
    ours, theirs = ours_and_theirs
    with scope(organization=ours):
        assert set(model._base_manager.values_list("organization", flat=True)) == {ours.pk}
        assert model._base_manager.filter(organization=theirs).delete()[0] == 0
