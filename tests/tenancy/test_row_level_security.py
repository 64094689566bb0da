"""The second wall: what PostgreSQL itself answers, in raw SQL, whatever the code above it forgot."""

import threading
from typing import Any

import pytest
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, IntegrityError, ProgrammingError, connections, transaction
from django.test import Client
from django_scopes import scope

from grading.core.enums import AuditState
from grading.core.rls.base import SITE_ROLE
from grading.core.rls.rls_scope import as_dispatcher, as_person
from grading.models import Audit, Cohort, Invitation, Membership, Organization
from tests.factories.institutes import institute
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    InvitationFactory,
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
    staff_user,
    student,
)
from tests.factories.work import AuditFactory
from tests.tenancy.tables import TABLES, asked, organizations_in

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def test_the_site_works_under_a_role_that_owns_nothing_and_that_the_wall_binds():
    role = asked("SELECT FROM pg_roles WHERE rolname = %s", SITE_ROLE)
    if not role:
        pytest.skip(
            "DATABASE_URL's login may not make roles: here the site works as the owner, bound by force"
        )
    assert asked("SELECT current_user") == [(SITE_ROLE,)]
    rights = "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin FROM pg_roles"
    assert asked(rights + " WHERE rolname = current_user") == [(False,) * 5]
    assert (
        asked("SELECT relname FROM pg_class WHERE pg_get_userbyid(relowner) = current_user") == []
    )


def test_every_tenant_table_and_no_other_has_the_tenant_policy():
    walls = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relrowsecurity AND relforcerowsecurity"
    assert sorted(name for (name,) in asked(walls)) == TABLES, (
        "a new table needs tenant_policy(...) in its migration"
    )
    tenant = "SELECT tablename FROM pg_policies WHERE policyname = 'tenant' AND cmd = 'ALL' AND with_check IS NOT NULL"
    assert sorted(name for (name,) in asked(tenant)) == TABLES


def test_the_doors_in_the_wall_are_these_and_only_to_look_through():
    doors = "SELECT policyname, tablename, cmd FROM pg_policies WHERE policyname <> 'tenant' ORDER BY 1, 2"
    assert asked(doors) == [
        ("bulk_runs", "grading_bulkrun", "SELECT"),
        ("dispatch", "grading_audit", "SELECT"),
        ("due_dates", "grading_assignment", "SELECT"),
        ("due_dates", "grading_extension", "SELECT"),
        ("editions_to_make", "grading_feedbackedition", "SELECT"),
        ("fixes_to_verify", "grading_findingresponse", "SELECT"),
        ("invitation_letters", "grading_notice", "SELECT"),
        ("invited_me", "grading_invitation", "SELECT"),
        ("joining", "grading_joinlink", "SELECT"),
        ("launching", "grading_ltiregistration", "SELECT"),
        ("letters", "grading_notice", "SELECT"),
        ("orphaned_uploads", "grading_orphanedupload", "SELECT"),
        ("own_membership", "grading_membership", "SELECT"),
        ("pushes", "grading_push", "SELECT"),
        ("pushing", "grading_pushlink", "SELECT"),
        ("pushing_by_app", "grading_pushlink", "SELECT"),
        ("repositories", "grading_studentrepository", "SELECT"),
        ("rosters", "grading_lticourselink", "SELECT"),
        ("rounds", "grading_pairinground", "SELECT"),
        ("scores", "grading_ltiscore", "SELECT"),
        ("staff_emails", "grading_noticedaily", "SELECT"),
        ("webhooks", "grading_webhookdelivery", "SELECT"),
    ]


def test_a_row_can_be_neither_made_for_nor_moved_to_another_organization():
    ours, theirs = CohortFactory(), OrganizationFactory()
    with scope(organization=ours.organization):
        for write in (
            lambda: Cohort.objects.create(organization=theirs, name="Mine", slug="mine"),
            lambda: Cohort.objects.filter(pk=ours.pk).update(organization=theirs),
        ):
            with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
                write()
        assert organizations_in("grading_cohort") == {ours.organization_id}


def look_and_fail(organization: Organization) -> None:
    with transaction.atomic(), scope(organization=organization):
        assert organizations_in("grading_cohort") == {organization.pk}
        raise IntegrityError


def fail_in_the_database(organization: Organization) -> None:
    with transaction.atomic(), scope(organization=organization):
        for _ in range(2):
            Cohort.objects.create(organization=organization, name="Twice", slug="twice")


@pytest.mark.parametrize("fail", [look_and_fail, fail_in_the_database])
def test_what_a_rollback_takes_back_is_said_again(fail):
    ours, theirs = CohortFactory().organization, CohortFactory().organization
    with scope(organization=ours):
        assert organizations_in("grading_cohort") == {ours.pk}
        with pytest.raises(IntegrityError):
            fail(theirs)
        assert organizations_in("grading_cohort") == {ours.pk}
    with scope(organization=theirs):
        with pytest.raises(IntegrityError):
            fail(theirs)
        assert organizations_in("grading_cohort") == {theirs.pk}


def test_a_person_outside_sees_their_own_memberships_and_invitations():
    ada = UserFactory(email="ada@example.org")
    mine, waiting = MembershipFactory(user=ada), InvitationFactory(email="ada@example.org")
    MembershipFactory()
    InvitationFactory(email="bob@example.org")
    EnrollmentFactory(email="ada@example.org")
    student(CohortFactory())
    with as_person(ada):
        assert asked("SELECT id FROM grading_membership") == [(mine.pk,)]
        assert asked("SELECT id FROM grading_invitation") == [(waiting.pk,)]
        assert [t for t in TABLES if organizations_in(t)] == [
            "grading_invitation",
            "grading_membership",
        ]
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            Membership.objects.create(organization=waiting.organization, user=ada, role="owner")
        assert Membership.objects.update(role="owner") == 0
        assert Invitation.objects.update(state="declined") == 0


def test_a_person_without_an_e_mail_is_invited_nowhere():
    InvitationFactory(email="")
    nobody = UserFactory(email="")
    nobody.emailaddress_set.all().delete()
    with as_person(nobody):
        assert asked("SELECT id FROM grading_invitation") == []


def test_who_dispatches_sees_the_audits_that_wait_or_run_and_changes_none():
    waiting, running = AuditFactory(), AuditFactory(running=True)
    AuditFactory(done=True)
    AuditFactory(failed=True)
    with as_dispatcher():
        assert set(Audit.objects.values_list("pk", flat=True)) == {waiting.pk, running.pk}
        assert [table for table in TABLES if organizations_in(table)] == ["grading_audit"]
        assert Audit.objects.update(state=AuditState.QUEUED) == 0


def test_a_door_opened_inside_an_organization_does_not_show_that_organization():
    ours = CohortFactory().organization
    with scope(organization=ours), as_person(UserFactory()):
        assert organizations_in("grading_cohort") == set()


def test_a_connection_that_is_kept_answers_nobody_for_the_request_before():
    """With CONN_MAX_AGE a connection outlives its request, as here under the test client."""
    assert settings.DATABASES[DEFAULT_DB_ALIAS]["CONN_MAX_AGE"] > 0
    organization = CohortFactory().organization
    client, process = Client(), asked("SELECT pg_backend_pid()")
    client.force_login(staff_user(organization))
    assert client.get(f"/o/{organization.slug}/").status_code == 200
    assert (asked("SELECT pg_backend_pid()"), organizations_in("grading_cohort")) == (
        process,
        set(),
    )


def test_each_thread_says_its_own():
    ours, theirs = institute(), institute()
    seen: list[Any] = []

    def elsewhere() -> None:
        try:
            seen.append(asked("SELECT current_setting('auditor.organization')"))
        finally:
            connections.close_all()

    with scope(organization=ours):
        assert organizations_in("grading_cohort") == {ours.pk} != {theirs.pk}
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert seen == [[("",)]]
