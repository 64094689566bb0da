"""Frozen records of a report that a student's own auditor wrote, never a verdict of ours.

Every text here is untrusted. Lines are 1-based in the text that was read. The site stores these
records as JSON, so field names are a contract.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from courtroom.models.frozen_record import Frozen
from courtroom.models.judge_answer import Persona

Priority = Literal["high", "medium", "low"]
About = Literal["self", "peer"]


class ImportNote(Frozen):
    """Frozen note on a part that was skipped or guessed.

    `line` is null for a note about the whole text.
    """

    line: int | None = Field(default=None, ge=1)
    message: str


class ImportedScore(Frozen):
    """Frozen score as its author gave it: 4/5, 21 of 35 points, 68 %, 3.4, or a level's name.

    `value` is null for a level's name alone. `maximum` is null where the text names none: then
    the scale must come from elsewhere. `written` is the score in the text's own words.
    """

    value: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    maximum: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    level: str | None = None
    written: str

    @property
    def share(self) -> float | None:
        """Share of the maximum, 0..1; null without one, and for a value above it."""
        if self.value is None or self.maximum is None or self.value > self.maximum:
            return None
        return self.value / self.maximum


class ImportedOpinion(Frozen):
    """Frozen opinion of one judge on one criterion.

    `judge` is one of our personas where the name matches, else as written. `score` is null where
    none was given, and where the judge failed (then a note says so). `times` is how often the text
    gives the judge an argument under this criterion and score.
    """

    judge: Persona | str
    score: ImportedScore | None = None
    argument: str = ""
    cited: tuple[str, ...] = ()
    line: int | None = Field(default=None, ge=1)
    times: int = Field(default=1, ge=1)


class ImportedCriterion(Frozen):
    """Frozen criterion; `id` as written, `name` without numbering and ornament.

    `excluded` means No Exchange, or the like: the criterion is not in the total.
    """

    id: str | None = None
    name: str
    score: ImportedScore | None = None
    level: str | None = None
    excluded: bool = False
    opinions: tuple[ImportedOpinion, ...] = ()
    dissent: str | None = None
    remediation: str | None = None
    line: int | None = Field(default=None, ge=1)


class ImportedFinding(Frozen):
    """Frozen finding or change. `criterion` is an index into the report's criteria.

    `path` and `line` are of the audited repository, as the report names them; `source_line` is
    in the report. `action` is set where the text asks for a change.
    """

    criterion: int | None = Field(default=None, ge=0)
    text: str
    path: str | None = None
    line: int | None = Field(default=None, ge=1)
    action: str | None = None
    priority: Priority | None = None
    source_line: int | None = Field(default=None, ge=1)


class ImportedReport(Frozen):
    """Frozen report; `layout` names in a word or two the form it was read from.

    `repo_url`, `commit`, `date` and `author` are as written.
    """

    layout: str
    title: str | None = None
    repo_url: str | None = None
    commit: str | None = None
    date: str | None = None
    author: str | None = None
    about: About | None = None
    overall: ImportedScore | None = None
    criteria: tuple[ImportedCriterion, ...] = ()
    findings: tuple[ImportedFinding, ...] = ()
    notes: tuple[ImportNote, ...] = ()
