"""Fixtures of every hostile case: a trap, a trial, and a line on the scoreboard."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.courtroom.in_process import read_in_process
from tests.hostile.child_memory import Starter
from tests.hostile.traps import Listener, Trap, listening, trial

Trial = Callable[..., AbstractContextManager[Path]]


@pytest.fixture(scope="session")
def listener() -> Iterator[Listener]:
    with listening() as open_one:
        yield open_one


@pytest.fixture(scope="session")
def starter() -> Iterator[Starter]:
    program = Starter()
    yield program
    program.close()


@pytest.fixture(scope="module")
def readers_in_process() -> Iterator[None]:
    """For texts that are hostile to judges alone; bytes that are hostile to readers need the child."""
    with pytest.MonkeyPatch.context() as patch:
        read_in_process(patch)
        yield


@pytest.fixture
def trap(listener: Listener, tmp_path: Path) -> Trap:
    return Trap(listener.url, tmp_path / "pwned")


@pytest.fixture
def on_trial(
    listener: Listener,
    starter: Starter,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> Trial:
    """`with on_trial(kind, deadline=seconds) as folder:` watches what the case does and writes it
    down.
    """

    def begin(kind: str, *, deadline: float, cases: int = 1) -> AbstractContextManager[Path]:
        return trial(
            kind,
            home=tmp_path,
            listener=listener,
            starter=starter,
            deadline=deadline,
            cases=cases,
            note=lambda toll: record_property("hostile", asdict(toll)),
        )

    return begin
