"""Secrets at rest are sealed, and no page, list, log or download gives one back, not even its sealed form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django_scopes import scope

from grading.engine.bench_settings import provider_of, sealed_key
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    BulkRun,
    LtiKey,
    LtiLaunch,
    LtiRegistration,
    Organization,
    OrganizationBench,
    PushLink,
    RepositoryAccess,
    Webhook,
)
from tests.factories.example_report import report_json
from tests.factories.institutes import institute
from tests.factories.people import UserFactory, everywhere, staff_user
from tests.factories.pushes import SECRET as PUSH_SECRET
from tests.factories.repository_accesses import TOKEN
from tests.factories.webhooks import SECRET
from tests.tenancy.matrix_rows import NOWHERE, ROWS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kept_uploads")]
SEALED_IN = (OrganizationBench, Webhook, Authenticator)
FURTHER_PAGES = ("history", "delete")
KEY, TOTP_SECRET = "sk-canary-5f2a9c", "JBSWY3DPEHPK3PXPCANARYAAAAAAAAAA"


@pytest.fixture(scope="module")
def organization(kept: Path) -> Organization:
    """With a model key of its own, and an instructor who has a second factor."""
    made = institute()
    with scope(organization=made):
        OrganizationBench.objects.update(sealed_key=sealed_key(KEY))
        Audit.objects.update(report=report_json(criteria=1))
    return made


@pytest.fixture(scope="module")
def instructor(organization: Organization) -> User:
    user = staff_user(organization)
    User.objects.filter(pk=user.pk).update(is_staff=True)
    TOTP.activate(user, TOTP_SECRET)
    return user


def secrets_now() -> list[str]:
    """Return secrets and their stored forms, none of which may be shown."""
    with everywhere():
        sealed = [bench.sealed_key for bench in OrganizationBench.objects.all()]
        sealed += [webhook.sealed_secret for webhook in Webhook.objects.all()]
        sealed += [key.sealed_private for key in LtiKey.objects.all()]
        sealed += [link.sealed_secret for link in PushLink.objects.all()]
        sealed += [access.sealed_secret for access in RepositoryAccess.objects.all()]
    factors = [str(row.data["secret"]) for row in Authenticator.objects.filter(type="totp")]
    return [KEY, TOTP_SECRET, SECRET, PUSH_SECRET, TOKEN, *sealed, *factors]


def lists_and_forms_of_the_administration() -> Iterator[str]:
    """Addresses of every list and form, and of every page about a row that holds a secret."""
    yield "/admin/"
    for model in admin.site._registry:
        yield page_of(model, "changelist")
        yield page_of(model, "add")
        pages = ("change", *FURTHER_PAGES) if model in SEALED_IN else ("change",)
        yield from pages_of_rows(model, pages)


def further_pages_of_the_administration() -> Iterator[str]:
    for model in admin.site._registry:
        yield from pages_of_rows(model, FURTHER_PAGES)


def pages_of_rows(model: type[Model], pages: Iterable[str]) -> Iterator[str]:
    with everywhere():
        rows = model._default_manager.values_list("pk", flat=True) if model._meta.managed else []
        keys = list(rows)
    yield from (page_of(model, page, pk) for pk in keys for page in pages)


def page_of(model: type[Model], page: str, *key: Any) -> str:
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}"
    return reverse(name, args=key)


def pages_of_the_site(organization: Organization) -> Iterator[str]:
    with scope(organization=organization):
        assignment, audit = Assignment.objects.select_related("cohort").get(), Audit.objects.get()
        shared = RepositoryAccess.objects.get()
        appeal, run, webhook = Appeal.objects.get(), BulkRun.objects.get(), Webhook.objects.get()
        registration, launch = LtiRegistration.objects.get(), LtiLaunch.objects.get()
    names = NOWHERE | {
        "org": organization.slug,
        "cohort": assignment.cohort.slug,
        "assignment": assignment.slug,
        "audit_id": audit.pk,
        "version_id": assignment.rubric_version_id,
        "appeal_id": appeal.pk,
        "bulk_id": run.pk,
        "webhook_id": webhook.pk,
        "shared_id": shared.pk,
        "platform": registration.key,
        "platform_id": registration.pk,
        "launch_id": launch.pk,
    }
    for route in ROWS:
        yield "/" + re.sub(r"<\w+:(\w+)>", lambda hole: str(names[hole[1]]), route)


def leaks_on(client: Client, pages: Iterator[str]) -> tuple[int, list[Any]]:
    """Return the number of pages read and the places where a secret stood."""
    hidden, read, leaks = secrets_now(), 0, []
    assert len(hidden) == 11
    for page in pages:
        text = client.get(page).content.decode()
        read += 1
        leaks += [(page, secret) for secret in hidden if secret in text]
    return read, leaks


def test_they_are_stored_sealed(organization, instructor):
    with connection.cursor() as cursor, scope(organization=organization):
        cursor.execute("SELECT sealed_key FROM grading_organizationbench")
        stored = cursor.fetchall()
        cursor.execute("SELECT data::text FROM mfa_authenticator")
        stored += cursor.fetchall()
        assert provider_of(OrganizationBench.objects.get())[0] == KEY
    assert [secret for (text,) in stored for secret in (KEY, TOTP_SECRET) if secret in text] == []
    assert (
        Authenticator.objects.get(user=instructor, type="totp").wrap().validate_code("000000")
        is False
    )


def client_of(role: str, instructor: User) -> Client:
    client = Client()
    client.force_login(
        instructor if role == "instructor" else UserFactory(is_staff=True, is_superuser=True)
    )
    return client


@pytest.mark.parametrize("role", ["instructor", "operator"])
def test_no_page_and_no_download_shows_one(role, organization, instructor):
    client = client_of(role, instructor)
    read, leaks = leaks_on(client, lists_and_forms_of_the_administration())
    assert (read > 50, leaks) == (True, [])
    read, leaks = leaks_on(client, pages_of_the_site(organization))
    assert (read, leaks) == (len(ROWS), [])


@pytest.mark.slow
@pytest.mark.parametrize("role", ["instructor", "operator"])
def test_no_history_and_no_deletion_of_any_row_shows_one(role, organization, instructor):
    read, leaks = leaks_on(client_of(role, instructor), further_pages_of_the_administration())
    assert (read > 50, leaks) == (True, [])
