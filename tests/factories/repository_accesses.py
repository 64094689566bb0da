"""Accesses to private repositories: of students, of an organization, and the repositories it grants."""

from __future__ import annotations

from typing import Any

import factory
from django.utils import timezone

from grading.core.crypto import seal
from grading.core.enums import AccessKind
from grading.engine.repository_access import SEAL
from grading.models import Enrollment, RepositoryAccess, RepositoryGrant
from tests.factories.people import OrganizationFactory, TenantFactory

TOKEN = "glpat-canary-7d1e4b"


class RepositoryAccessFactory(TenantFactory):
    """The organization's token for everything below a group; `access_of` makes a student's."""

    class Meta:
        model = RepositoryAccess

    organization = factory.SubFactory(OrganizationFactory)
    kind = AccessKind.TOKEN
    host = "gitlab.example.edu"
    path = factory.Sequence(lambda n: f"course-{n}")
    username = "oauth2"
    sealed_secret = factory.LazyFunction(lambda: seal(TOKEN, purpose=SEAL))


class RepositoryGrantFactory(TenantFactory):
    class Meta:
        model = RepositoryGrant

    access = factory.SubFactory(RepositoryAccessFactory)
    organization = factory.SelfAttribute("access.organization")
    path = factory.LazyAttribute(lambda grant: f"{grant.access.path}/project")


def access_of(student: Enrollment, **fields: Any) -> RepositoryAccess:
    """A student's own access, by default with a token."""
    made: RepositoryAccess = RepositoryAccessFactory.create(
        organization=student.organization, student=student, owner=student.user, **fields
    )
    return made


def app_access_of(student: Enrollment, **fields: Any) -> RepositoryAccess:
    """A student's own access by the GitHub App (tests/factories/github_server.py)."""
    ids = {"installation_id": 7, "repository_id": 1, "account_id": 100, "account_login": "ada"}
    values = {"kind": AccessKind.GITHUB_APP, "sealed_secret": "", "username": ""} | ids | fields
    return access_of(student, **values)


def key_access_of(student: Enrollment, *, private_key: str, **fields: Any) -> RepositoryAccess:
    """A student's own access with a deploy key whose host key is confirmed."""
    values = {
        "kind": AccessKind.DEPLOY_KEY,
        "sealed_secret": seal(private_key, purpose=SEAL),
        "host_key_confirmed_at": timezone.now(),
    }
    return access_of(student, **values | fields)
