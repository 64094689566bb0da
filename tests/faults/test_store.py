"""The store of uploads fails under workers that are processes of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.test import override_settings
from django.utils import timezone

from grading.core.audit_queue import enqueue
from grading.models import Audit
from tests.factories import object_store as faults
from tests.factories.object_store import StoreProxy, make_bucket
from tests.factories.pdfs import Page, make_pdf
from tests.factories.people import everywhere
from tests.faults.conftest import Ends
from tests.faults.site import Crew, accepted, kill, now_of
from tests.store_fixtures import NUMBERS, storages_in
from tests.waiting import eventually


@pytest.fixture(scope="module")
def crews_bucket() -> str:
    """Name of a bucket not made yet: a process that runs other modules between makes a second."""
    return f"of-crew-{next(NUMBERS)}"


@pytest.fixture(scope="module")
def crew_environment(store_of_all_tests: StoreProxy, crews_bucket: str) -> Mapping[str, str]:
    return {"STORAGE_URL": store_of_all_tests.url(crews_bucket)}


@pytest.fixture(scope="module")
def crews_store(store_of_all_tests: StoreProxy, crews_bucket: str) -> Iterator[StoreProxy]:
    with override_settings(STORAGES=storages_in(store_of_all_tests, crews_bucket)):
        make_bucket(crews_bucket)
        yield store_of_all_tests


@pytest.fixture
def audit(site_crew: Crew, crews_store: StoreProxy, repository: Path, tmp_path: Path) -> Audit:
    """An audit with a report in the store, which no worker knows of yet."""
    report = make_pdf(tmp_path / "report.pdf", [Page(lines=["A report"])]).read_bytes()
    pdf = ContentFile(report, name="report.pdf")
    made = accepted(repository, queued=False, submission__pdf=pdf)
    crews_store.requests.clear()
    return made


def test_the_store_is_down_when_a_worker_fetches_the_report(
    audit: Audit, crews_store: StoreProxy, ends: Ends
) -> None:
    with crews_store.closed():
        enqueue(audit)
        eventually(lambda: now_of(audit).is_in_grace, describe=lambda: now_of(audit).failure_code)
    with everywhere():
        Audit.objects.filter(pk=audit.pk).update(grace_until=timezone.now())
    ends(audit)
    assert now_of(audit).run_attempt == 2


def test_a_worker_is_killed_while_the_store_is_silent(
    audit: Audit, site_crew: Crew, crews_store: StoreProxy, ends: Ends
) -> None:
    with crews_store.failing(faults.silent):
        enqueue(audit)
        eventually(lambda: crews_store.requests and site_crew.busy())
        first = now_of(audit).lease_until
        # The lease is renewed while the worker waits for the store.
        eventually(lambda: now_of(audit).lease_until != first)
        ((_worker, horse),) = site_crew.busy()
        kill(horse)
    ends(audit)
    assert now_of(audit).run_attempt == 2
