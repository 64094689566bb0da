"""From a request to an object: missing and forbidden look the same."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import Http404, HttpResponse
from django.test import RequestFactory
from django_scopes import get_scope, scope
from django_scopes.exceptions import ScopeError

from grading.core import permissions
from grading.core.enums import Role
from grading.core.middleware import TenantMiddleware
from grading.models import Cohort, Membership
from tests.factories.people import (
    CohortFactory,
    OrganizationFactory,
    UserFactory,
    staff_user,
    student,
)
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit():
    cohort = CohortFactory()
    return AuditFactory(submission__assignment__cohort=cohort, submission__student=student(cohort))


def reachable(user, audit, level):
    """Which of the objects on the way to an audit the user gets with this level."""
    submission, assignment = audit.submission, audit.submission.assignment
    attempts = {
        "organization": lambda: permissions.access_organization(
            user, audit.organization.slug, level=level
        ),
        "cohort": lambda: permissions.access_cohort(user, assignment.cohort.slug, level=level),
        "assignment": lambda: permissions.access_assignment(
            user, assignment.cohort.slug, assignment.slug, level=level
        ),
        "submission": lambda: permissions.access_submission(user, submission.pk, level=level),
        "audit": lambda: permissions.access_audit(user, audit.pk, level=level),
    }
    reached = set()
    with scope(organization=audit.organization):
        for name, access in attempts.items():
            try:
                access()
            except Http404:
                continue
            reached.add(name)
    return reached


EVERYTHING = {"organization", "cohort", "assignment", "submission", "audit"}
PEOPLE = {
    "nobody": (lambda _audit: AnonymousUser(), set(), set(), set()),
    "stranger": (lambda _audit: UserFactory(), set(), set(), set()),
    "staff elsewhere": (lambda _audit: staff_user(OrganizationFactory()), set(), set(), set()),
    "superuser without a role": (
        lambda _audit: UserFactory(is_superuser=True),
        set(),
        set(),
        set(),
    ),
    "student of another cohort": (
        lambda audit: student(CohortFactory(organization=audit.organization)).user,
        {"organization"},
        set(),
        set(),
    ),
    "classmate": (
        lambda audit: student(audit.submission.assignment.cohort).user,
        {"organization", "cohort", "assignment"},
        set(),
        set(),
    ),
    "the student": (lambda audit: audit.submission.student.user, EVERYTHING, set(), set()),
    "assistant": (
        lambda audit: staff_user(audit.organization, Role.ASSISTANT),
        EVERYTHING,
        EVERYTHING,
        set(),
    ),
    "instructor": (
        lambda audit: staff_user(audit.organization),
        EVERYTHING,
        EVERYTHING,
        EVERYTHING,
    ),
    "owner": (
        lambda audit: staff_user(audit.organization, Role.OWNER),
        EVERYTHING,
        EVERYTHING,
        EVERYTHING,
    ),
}


@pytest.mark.parametrize("role_name", PEOPLE)
def test_who_reaches_what_at_which_level(audit, role_name):
    make, as_student, as_staff, as_teacher = PEOPLE[role_name]
    user = make(audit)
    assert reachable(user, audit, "student") == as_student
    assert reachable(user, audit, "staff") == as_staff
    assert reachable(user, audit, "teacher") == as_teacher


def test_a_deactivated_user_reaches_nothing(audit):
    user = staff_user(audit.organization)
    user.is_active = False
    assert reachable(user, audit, "student") == set()


@pytest.mark.parametrize("access", [permissions.access_submission, permissions.access_audit])
def test_a_missing_object_is_not_found(access):
    organization = OrganizationFactory()
    with scope(organization=organization), pytest.raises(Http404):
        access(staff_user(organization), uuid4())


def test_another_organizations_object_is_missing_within_this_one():
    submission, organization = SubmissionFactory(), OrganizationFactory()
    with scope(organization=organization), pytest.raises(Http404):
        permissions.access_submission(staff_user(organization), submission.pk)


def test_only_who_is_enrolled_has_a_place_in_a_cohort():
    assignment = AssignmentFactory()
    ada = student(assignment.cohort)
    with scope(organization=assignment.organization):
        assert permissions.access_enrollment(ada.user, assignment.cohort) == ada
        for other in (staff_user(assignment.organization), AnonymousUser()):
            with pytest.raises(Http404):
                permissions.access_enrollment(other, assignment.cohort)


def scope_seen(user, path):
    request = RequestFactory().get(path)
    request.user, request.session = user, SessionStore()
    calls = []

    def view(_request):
        calls.append(get_scope())
        return HttpResponse()

    response = TenantMiddleware(view)(request)
    return calls[0] if calls else response


def test_under_an_organizations_url_its_scope_is_entered():
    organization = OrganizationFactory()
    inside = scope_seen(staff_user(organization), f"/o/{organization.slug}/c/x/")
    assert inside == {"_enabled": True, "organization": organization}
    assert get_scope() == {}


def test_a_role_is_asked_for_once_in_a_request_and_anew_in_the_next(django_assert_num_queries):
    organization = OrganizationFactory()
    user, calls = staff_user(organization), []
    request = RequestFactory().get(f"/o/{organization.slug}/")
    request.user, request.session = user, SessionStore()

    def view(_request):
        calls.append(
            [
                permissions.may(user, organization, level)
                for level in ("student", "staff", "teacher")
            ]
        )
        return HttpResponse()

    with django_assert_num_queries(1):  # the organization with the role
        TenantMiddleware(view)(request)
    with scope(organization=organization):
        Membership.objects.filter(user=user).update(role=Role.STUDENT)
    TenantMiddleware(view)(request)
    assert calls == [[True, True, True], [True, False, False]]


@pytest.mark.parametrize("slug", ["theirs", "missing"])
def test_a_foreign_and_a_missing_organization_are_both_not_found(slug):
    OrganizationFactory(slug="theirs")
    with pytest.raises(Http404):
        scope_seen(staff_user(OrganizationFactory()), f"/o/{slug}/")


def test_a_stranger_is_sent_to_log_in_whether_the_organization_exists_or_not():
    OrganizationFactory(slug="ours")
    answers = {
        scope_seen(AnonymousUser(), f"/o/{slug}/").status_code for slug in ("ours", "missing")
    }
    assert answers == {302}


def test_in_the_admin_staff_see_where_they_teach_and_a_superuser_everything():
    organization, user = OrganizationFactory(), UserFactory(is_staff=True)
    assert scope_seen(user, "/admin/") == {"_enabled": True, "organization": []}
    assert scope_seen(staff_user(organization), "/admin/")["organization"] == [organization]
    assert scope_seen(UserFactory(is_superuser=True), "/admin/")["organization"] == [organization]


def test_elsewhere_a_query_raises():
    CohortFactory()
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    with pytest.raises(ScopeError):
        TenantMiddleware(lambda _request: HttpResponse(Cohort.objects.count()))(request)


def test_an_audit_is_accessed_without_its_report(audit):
    with scope(organization=audit.organization):
        audited = permissions.access_audit(staff_user(audit.organization), audit.pk)
    work = audited.submission
    assert {"report", "screening"} <= audited.get_deferred_fields()
    assert work.organization is work.assignment.cohort.organization is audited.organization
