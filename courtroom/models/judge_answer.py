"""Opinions of the judges, and their failures to give one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from courtroom.models.evidence import Evidence, Location
from courtroom.models.frozen_record import Frozen

Persona = Literal["Prosecutor", "Defense", "TechLead"]
PERSONAS: tuple[Persona, ...] = ("Prosecutor", "Defense", "TechLead")
# Round of the answers on outcomes alone (synthesis/second_hearing.py).
OUTCOMES_ROUND = 0
HEURISTIC = "heuristic/"
Score = Literal[1, 2, 3, 4, 5]
FailureKind = Literal[
    "refusal",
    "truncated",
    "filtered",
    "invalid",
    "out_of_schema",
    "unfounded",
    "rate_limited",
    "server",
    "timeout",
    "auth",
    "context_length",
    "budget",
    "abstained",
    "internal",
]


class AskedPlace(Frozen):
    """Place that a judge asked to read, as it named it, and the lines read to it or why not."""

    place: str
    locations: tuple[Location, ...] = ()
    refusal: str = ""


class JudicialOpinion(Frozen):
    """A judge's validated answer on one criterion.

    `key` is a digest of the first question: the same key, the same answer. `round` counts from 1; 0
    is the answer on outcomes alone. `cited_evidence` holds ids, those of `cited_lines` included,
    which are evidence of this opinion's own: lines that it cites beyond what the detectives found.
    """

    judge: Persona
    criterion_id: str
    round: int = Field(ge=OUTCOMES_ROUND)
    score: Score
    argument: str
    cited_evidence: tuple[str, ...]
    model: str
    key: str
    invented_citations: int = Field(default=0, ge=0)
    cited_lines: tuple[Evidence, ...] = Field((), exclude_if=lambda lines: not lines)
    asked: tuple[AskedPlace, ...] = Field((), exclude_if=lambda places: not places)

    @property
    def is_by_model(self) -> bool:
        return not self.model.startswith(HEURISTIC)


class JudgeFailure(Frozen):
    """Failure of a judge to answer. It is never a score.

    `abstained`: the judge could not know. `unfounded`: its argument was too short, or cited nothing
    of what it was shown, twice. `internal`: our own code failed.
    """

    judge: Persona
    criterion_id: str
    round: int = Field(ge=OUTCOMES_ROUND)
    failure: FailureKind
    message: str
    model: str
    key: str
    asked: tuple[AskedPlace, ...] = Field((), exclude_if=lambda places: not places)
