"""What the tests of the walls share: institutions that are made once for all questions a module asks of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from tests.tenancy.world import World


@pytest.fixture(scope="module")
def kept(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Rows that a fixture of the module makes stay until its end, their uploads in this folder.

    Each test takes back what it changed, in a transaction of its own inside this one.
    """
    uploads = tmp_path_factory.mktemp("media")
    with (
        django_db_blocker.unblock(),
        override_settings(MEDIA_ROOT=uploads),
        transaction.atomic(),
    ):
        yield uploads
        transaction.set_rollback(True)


@pytest.fixture
def kept_uploads(kept: Path) -> Iterator[None]:
    """Sees the uploads of the module's rows, where every other test has an empty folder."""
    with override_settings(MEDIA_ROOT=kept):
        yield


@pytest.fixture(scope="module")
def institutes(kept: Path) -> World:
    return World()


@pytest.fixture
def world(institutes: World, db: None, kept_uploads: None) -> World:
    return institutes
