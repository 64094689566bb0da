"""Every hostile repository through a whole audit: turned away with its reason, or judged, and
nothing else happens.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.audits import Refusal, audited
from tests.hostile.histories import HISTORIES
from tests.hostile.repositories import TREES, HostileRepository

DEADLINE_SECONDS = 60


def test_there_are_as_many_as_promised() -> None:
    names = [case.name for case in (*TREES, *HISTORIES)]
    assert (len(names) >= 35, len(names)) == (True, len(set(names)))


@pytest.mark.parametrize("case", [*TREES, *HISTORIES], ids=lambda case: case.name)
def test_a_hostile_repository_ends_as_expected(
    case: HostileRepository, tmp_path: Path, trap, on_trial
) -> None:
    (tmp_path / "served").mkdir()
    case.make(tmp_path / "served" / "x.git", trap)
    with on_trial("repositories", deadline=DEADLINE_SECONDS) as folder:
        outcome = audited(tmp_path / "served" / "x.git", folder)
    if isinstance(outcome, Refusal):
        assert (outcome.code, outcome.is_a_sentence) == (case.refused, True)
        return
    facts = outcome["facts"]
    assert (None, case.facts) == (case.refused, {name: facts[name] for name in case.facts})
    assert tuple(sorted({error["code"] for error in outcome["errors"]})) == case.errors
    # A file of one line may show nothing that is found: then no constitution judges it.
    is_empty = not any(item["found"] for item in outcome["evidence"])
    assert outcome["status"] in ({"degraded"} if is_empty else {"verdict", "needs_review"})
