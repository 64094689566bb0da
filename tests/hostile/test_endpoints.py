"""Evil git servers: whatever they answer, the hand-in is refused in our words, in time, and nobody
else is called.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from courtroom.analysis.git.snapshot import take_snapshot
from courtroom.models.errors import CourtroomError
from tests.factories.git_server import GitHandler, serve_repositories
from tests.hostile.endpoints import SERVERS, EvilServer
from tests.hostile.traps import Trap


def test_there_are_as_many_as_promised() -> None:
    names = [server.name for server in SERVERS]
    assert (len(names) >= 9, len(names)) == (True, len(set(names)))


@pytest.mark.parametrize("case", SERVERS, ids=lambda case: case.name)
def test_a_hand_in_from_an_evil_server_is_refused(
    case: EvilServer, tmp_path: Path, trap: Trap, on_trial
) -> None:
    def answer(handler: GitHandler) -> None:
        case.act(handler, trap.url)

    take = partial(take_snapshot, ref=None, limits=case.limits, allow_local=True)
    with (
        serve_repositories(tmp_path, {"evil": answer}) as server,
        on_trial("endpoints", deadline=case.limits.clone_seconds + 10) as folder,
        pytest.raises(CourtroomError) as refused,
    ):
        take(f"{server.url}/evil/x.git", into=folder)
    assert (refused.value.code, list(folder.iterdir())) == (case.refused, [])
    assert "\x1b" not in refused.value.message
    assert "<" not in refused.value.message
