"""Make the rows of a course in a process of its own.

`python -m benchmarks.load.course people N URL...` or `... queries`. The last line printed is JSON.
tests/image runs this file in the image, which has no other module of the benchmarks.
Only the first few passwords are made by the real hasher, which is slow by design.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import django

# Students with a real password; the same number as in __main__.py.
SIGN_INS = 20
PASSWORD = "a virtual student's password"  # noqa: S105 -- of virtual students


def main(words: list[str]) -> None:
    django.setup()
    command, *rest = words
    print(json.dumps(people(int(rest[0]), rest[1:]) if command == "people" else queries()))


def people(number: int, repositories: list[str]) -> dict[str, Any]:
    """Make an organization with a cohort, an assignment and signed-in students."""
    from django.contrib.auth.models import User
    from django_scopes import scope

    from grading.courses.actions import create_assignment, create_cohort
    from grading.courses.organizations.approval import create_organization
    from grading.rubrics.actions import adopt_shipped_rubric

    number_of_users = User.objects.count()
    teacher = User.objects.create(
        username=f"teacher-{number_of_users}", email=f"teacher-{number_of_users}@example.org"
    )
    organization = create_organization(
        name=f"Course of {number}",
        slug=f"course-{number_of_users}",
        founder=teacher,
        is_approved=True,
    )

    with scope(organization=organization):
        cohort = create_cohort(
            organization=organization, name="Evening", slug="evening", by=teacher
        )
        version = adopt_shipped_rubric(organization=organization, name="self_audit", by=teacher)
        assignment = create_assignment(
            cohort=cohort, title="The deadline", slug="deadline", rubric_version=version, by=teacher
        )
        names = [f"student-{number_of_users}-{n}" for n in range(number)]
        users = [student.user for student in enrol(cohort, names)]

    _let_sign_in(users[:SIGN_INS])
    cohort_path = f"/o/{organization.slug}/c/{cohort.slug}/"
    return {
        "organization": organization.pk,
        "cohort": cohort_path,
        "assignment": f"{cohort_path}a/{assignment.slug}/",
        "people": [_person(user, n, repositories) for n, user in enumerate(users)],
    }


def enrol(cohort: Any, names: Sequence[str]) -> list[Any]:
    """Make an account and a place on the roster for each name, without an invitation."""
    from allauth.account.models import EmailAddress
    from django.contrib.auth.models import User

    from grading.models import Enrollment, Membership

    organization = cohort.organization
    users = User.objects.bulk_create(
        User(username=name, email=f"{name}@example.org") for name in names
    )
    EmailAddress.objects.bulk_create(
        EmailAddress(user=user, email=user.email, verified=True, primary=True) for user in users
    )
    Membership.objects.bulk_create(
        Membership(organization=organization, user=user, email=user.email) for user in users
    )
    return Enrollment.objects.bulk_create(
        Enrollment(
            organization=organization,
            cohort=cohort,
            user=user,
            email=user.email,
            name=f"Student {user.pk}",
        )
        for user in users
    )


def _let_sign_in(users: list[Any]) -> None:
    for user in users:
        user.set_password(PASSWORD)
        user.save(update_fields=["password"])


def _person(user: Any, number: int, repositories: list[str]) -> dict[str, str]:
    return {
        "session": _session(user),
        "address": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "repository": repositories[number % len(repositories)],
        "email": user.email,
        "password": PASSWORD,
    }


def _session(user: Any) -> str:
    """Make a session as signing in does."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "grading.core.sign_in_backends.PasswordBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def queries() -> dict[str, list[int]]:
    """Return the queries of each page, for the smallest and the largest course with submissions."""
    from django_scopes import scope

    from grading.core.enums import AuditState
    from grading.models import Audit, Cohort, Organization

    sizes = {}

    for organization in Organization.objects.all():
        with scope(organization=organization):
            if Audit.objects.filter(state=AuditState.DONE).exists():
                sizes[organization] = Cohort.objects.get().enrollments.count()

    smallest, largest = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    counts = [_counts(organization) for organization in dict.fromkeys((smallest, largest))]
    return {page: [counted[page] for counted in counts if page in counted] for page in counts[-1]}


def _counts(organization: Any) -> dict[str, int]:
    from django_scopes import scope

    from grading.core.enums import AuditState, Role
    from grading.models import Audit, Membership

    with scope(organization=organization):
        audit = (
            Audit.objects.filter(state=AuditState.DONE)
            .select_related("submission__student__user")
            .first()
        )
        teacher = Membership.objects.select_related("user").get(role=Role.OWNER).user

    cohort = f"/o/{organization.slug}/c/evening/"
    assignment = f"{cohort}a/deadline/"
    pages = {"home": "/", "cohort": cohort, "assignment": assignment}
    counted = {f"teacher: {name}": _count(teacher, path) for name, path in pages.items()}
    counted |= {
        f"teacher: {name}": _count(teacher, f"{assignment}{name}/")
        for name in ("grades", "bulk", "export")
    }

    if audit is not None:
        student, path = audit.submission.student.user, f"/o/{organization.slug}/audits/{audit.pk}/"
        pages |= {"submit": f"{assignment}submit/", "report": path, "progress": f"{path}progress/"}
        pages |= {"report.md": f"{path}report.md"}
        counted |= {f"student: {name}": _count(student, path) for name, path in pages.items()}

    return counted


def _count(user: Any, path: str) -> int:
    """Count the queries of a page, including session and user; the page must answer 200."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"x-forwarded-proto": "https"})
    client.force_login(user, backend="grading.core.sign_in_backends.PasswordBackend")
    client.get(path, SERVER_NAME="127.0.0.1")
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(path, SERVER_NAME="127.0.0.1")

    if answer.status_code != HTTPStatus.OK:
        raise RuntimeError(f"{path} answered {answer.status_code}")

    return sum(
        not query["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"))
        for query in queries
    )


if __name__ == "__main__":
    main(sys.argv[1:])
