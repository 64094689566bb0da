"""Institutions that are made once for all questions a module asks of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction

from grading.core.enums import Anonymity
from tests.tenancy.identifiable_round import Masquerade
from tests.tenancy.world import World


@pytest.fixture(scope="module")
def institutes(kept: Path) -> World:
    return World()


@pytest.fixture
def world(institutes: World, db: None, kept_uploads: None) -> World:
    return institutes


@pytest.fixture(scope="module")
def masquerade(kept: Path, request: pytest.FixtureRequest) -> Iterator[Masquerade]:
    """Double blind unless a test names another anonymity, of which it is made anew.

    Both students have keys of their own, so there is only one at a time.
    """
    with transaction.atomic():
        yield Masquerade(getattr(request, "param", Anonymity.DOUBLE_BLIND))
        transaction.set_rollback(True)
