"""Uploads in a bucket of a real S3 server, for tests marked `processes` or `faults`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from django.conf import settings
from django.test import override_settings

from auditor_site import addresses
from grading.core import object_store
from tests.factories.object_store import StoreProxy, make_bucket, serve_buckets

NUMBERS = count()


@pytest.fixture(scope="session")
def store_of_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreProxy]:
    with serve_buckets(tmp_path_factory.mktemp("buckets")) as target:
        proxy = StoreProxy(target)
        yield proxy
        proxy.shutdown()
        proxy.server_close()


@pytest.fixture
def store(store_of_all_tests: StoreProxy, monkeypatch: pytest.MonkeyPatch) -> StoreProxy:
    """The store, which nobody has asked yet. A silent one is given up soon, after one try."""
    monkeypatch.setattr(object_store, "READ_SECONDS", 2.0)
    monkeypatch.setattr(object_store, "TRIES", 1)
    store_of_all_tests.requests.clear()
    return store_of_all_tests


@pytest.fixture
def bucket(store: StoreProxy) -> Iterator[str]:
    """Name of an empty bucket, where uploads go during the test."""
    name = f"bucket-{next(NUMBERS)}"
    with override_settings(STORAGES=storages_in(store, name)):
        make_bucket(name)
        store.requests.clear()
        yield name


def storages_in(store: StoreProxy, bucket: str) -> dict[str, object]:
    return settings.STORAGES | {"default": addresses.storage(store.url(bucket))}
