"""What a student's own auditor wrote, as far as it could be read: frozen, and never taken for a verdict of ours.

Every text in here was written by others. Lines are 1-based in the text that was read.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from courtroom.models.record import Frozen, Persona

Priority = Literal["high", "medium", "low"]
About = Literal["self", "peer"]


class ReadingNote(Frozen):
    """What could not be read, or had to be guessed. `line` is null where it is about the whole text."""

    line: int | None = Field(default=None, ge=1)
    message: str


class ImportedScore(Frozen):
    """A score as its author gave it: 4/5, 21 of 35 points, 68 %, 3.4, or a level's name alone (`value` is null).

    `maximum` is null where the text names none: whoever compares must know the scale from elsewhere. `written` is the
    score in the text's own words.
    """

    value: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    maximum: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    level: str | None = None
    written: str

    @property
    def share(self) -> float | None:
        """Of the maximum, 0..1; null without one, and where the value is above it."""
        if self.value is None or self.maximum is None or self.value > self.maximum:
            return None
        return self.value / self.maximum


class ImportedOpinion(Frozen):
    """One judge on one criterion. `judge` is one of ours where the name says so, else as written.

    `score` is null where none was given, and where the text tells of a failure instead (then a note says so).
    """

    judge: Persona | str
    score: ImportedScore | None = None
    argument: str = ""
    cited: tuple[str, ...] = ()
    line: int | None = Field(default=None, ge=1)


class ImportedCriterion(Frozen):
    """`id` and `name` as written, the name without numbering and ornament. `excluded`: No Exchange, or the like."""

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
    """One thing that was found or is to be changed. `criterion` is an index into the report's criteria.

    `path` and `line` are of the audited repository, as the report names them; `source_line` is in the report.
    `action` is set where the text asks for a change.
    """

    criterion: int | None = Field(default=None, ge=0)
    text: str
    path: str | None = None
    line: int | None = Field(default=None, ge=1)
    action: str | None = None
    priority: Priority | None = None
    source_line: int | None = Field(default=None, ge=1)


class ImportedReport(Frozen):
    """`layout` says in a word or two how it was read. `repo_url`, `commit`, `date` and `author` are as written."""

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
    notes: tuple[ReadingNote, ...] = ()
