"""Marks of the three judges on a page: name, letter, shape and colour, never colour alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judge:
    """`mark` is both the CSS class and the choice of shape in a mark on a score track."""

    id: str
    name: str
    letter: str
    mark: str
    seeks: str


JUDGES = (
    Judge("Prosecutor", "Prosecutor", "P", "prosecutor", "looks for gaps and flaws"),
    Judge("Defense", "Defense", "D", "defense", "looks for effort and intent"),
    Judge("TechLead", "Tech Lead", "T", "techlead", "asks if it works and can be maintained"),
)
JUDGE_BY_ID = {judge.id: judge for judge in JUDGES}
