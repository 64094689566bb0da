"""Fixtures of the courtroom's tests: input is read in process unless marked `processes`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.courtroom.in_process import read_in_child, read_in_process


@pytest.fixture(autouse=True, scope="module")
def _readers_in_process() -> Iterator[None]:
    """Patch for the whole module, so that its module fixtures read in process as well."""
    with pytest.MonkeyPatch.context() as patch:
        read_in_process(patch)
        yield


@pytest.fixture(autouse=True)
def _uploads_stay_in_the_test() -> None:
    """Override the site's fixture: the courtroom does not import the site."""


@pytest.fixture(autouse=True)
def _confined_child(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("processes"):
        read_in_child(monkeypatch)
