"""Fixtures of every hostile case: a trap, a trial, and a line on the scoreboard."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.hostile.traps import Listener, Trap, listening, trial

Trial = Callable[..., AbstractContextManager[Path]]


@pytest.fixture(scope="session")
def listener() -> Iterator[Listener]:
    with listening() as open_one:
        yield open_one


@pytest.fixture
def trap(listener: Listener, tmp_path: Path) -> Trap:
    return Trap(listener.url, tmp_path / "pwned")


@pytest.fixture
def on_trial(
    listener: Listener, tmp_path: Path, record_property: Callable[[str, object], None]
) -> Trial:
    """`with on_trial(kind, deadline=seconds) as folder:` watches what the case does and writes it
    down.
    """

    def begin(kind: str, *, deadline: float) -> AbstractContextManager[Path]:
        return trial(
            kind,
            home=tmp_path,
            listener=listener,
            deadline=deadline,
            note=lambda toll: record_property("hostile", asdict(toll)),
        )

    return begin
