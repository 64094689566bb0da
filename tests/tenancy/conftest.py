"""Institutions that are made once for all questions a module asks of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tenancy.world import World


@pytest.fixture(scope="module")
def institutes(kept: Path) -> World:
    return World()


@pytest.fixture
def world(institutes: World, db: None, kept_uploads: None) -> World:
    return institutes
