"""The test's database behind PgBouncer."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from tests.network.pgbouncer import PORT, Pooler, pooler


@contextmanager
def connected_through(address: str, **options: Any) -> Iterator[None]:
    """Connect all threads of this process to the database at this address."""
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(HOST=address, PORT=str(PORT), OPTIONS=options)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


@pytest.fixture(scope="module")
def pooler_of_module(django_db_setup: None) -> Iterator[Pooler]:
    with pooler() as running:
        yield running


@pytest.fixture
def pooled(pooler_of_module: Pooler, transactional_db: None) -> Iterator[Pooler]:
    """A pooler of two server connections, through which the site connects."""
    with connected_through(pooler_of_module.address):
        yield pooler_of_module
