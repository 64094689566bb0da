"""Audits of the work itself that another one in their folder replaces, by the history."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from courtroom.analysis.git.history import Commit
from courtroom.analysis.project.replaced_audits import replaced_audits

OLD = {"path": "audit/mine/a.md", "about": "self", "repository": None, "opinions": 30}
NEW = {**OLD, "path": "audit/mine/b.md", "opinions": 20}


def commit(*paths: str) -> Commit:
    blank = Commit("c0", (), "Ada", "ada@example.org", "2026-01-01T00:00:00+00:00", "x", 0)
    return replace(blank, paths=paths)


HISTORY = (commit("audit/mine/a.md", "audit/mine/b.md"), commit("audit/mine/b.md"))


def test_audit_that_a_later_commit_replaces_is_known_by_its_last_change() -> None:
    assert replaced_audits([OLD, NEW], HISTORY) == {"audit/mine/a.md"}
    assert replaced_audits([OLD, NEW], HISTORY[:1]) == set()
    assert replaced_audits([OLD, NEW], ()) == set()


@pytest.mark.parametrize(
    "other",
    [
        {"about": "peer"},
        {"opinions": 2},
        {"path": "audit/other/b.md"},
        {"repository": "ada/other"},
    ],
)
def test_audit_of_another_work_or_without_opinions_replaces_none(other: dict[str, Any]) -> None:
    later = {**NEW, **other}
    history = (*HISTORY, commit(later["path"]))
    assert replaced_audits([OLD | {"repository": "ada/work"}, later], history) == set()
