"""Facts of any software project: dangers, secrets, sizes, tooling, history, and how peers worked
together.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from courtroom.models.fact_model import FactModel, Place

UnsafeKind = Literal[
    "os_system",
    "shell_true",
    "eval_exec",
    "unsafe_deserialisation",
    "sql_from_strings",
    "path_traversal",
    "tls_unverified",
]


class UnsafeCall(Place):
    """A call a safe tool would not make. `call` is the dotted name as resolved through imports.

    Of the value that decides what happens: whether it is written out in the source, and whether it
    comes from outside (a parameter, the environment, the network). Null: not known before the
    program runs.
    """

    call: str
    kind: UnsafeKind
    argument_is_literal: bool | None = None
    from_outside: bool | None = None


class CommittedSecret(Place):
    """Where a secret stands in the tree; its value is nowhere on record."""

    kind: str


class LanguageShare(FactModel):
    """The text files of one language, packages of others apart."""

    language: str
    files: int
    lines: int


class ToolPlace(FactModel):
    """A tool the project is set up for, and the file that says so."""

    tool: str
    path: str


class ProjectFact(FactModel):
    """What every software project has or lacks, in any language; paths are those of the tree.

    `tests` counts test files, `test_folders` are the topmost folders that hold them.
    """

    languages: tuple[LanguageShare, ...]
    tests: int
    test_folders: tuple[str, ...]
    test_frameworks: tuple[ToolPlace, ...]
    manifests: tuple[str, ...]
    locks: tuple[str, ...]
    ci: tuple[str, ...]
    quality_tools: tuple[ToolPlace, ...]
    readme: str | None
    licence: str | None


class MinMaxFact(FactModel):
    """Audits on record: of peers (generated), of oneself (self), by peers (received). The JSON key
    is `self`.
    """

    generated: tuple[str, ...]
    self_: tuple[str, ...] = Field(alias="self")
    received: tuple[str, ...]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class EntryCounts(FactModel):
    """Entries of the communication log that were posted on the site, by what they tell of."""

    progress: int = Field(default=0, ge=0)
    blocker: int = Field(default=0, ge=0)
    design: int = Field(default=0, ge=0)

    @property
    def anything(self) -> int:
        return self.progress + self.blocker + self.design


class RelevanceFact(FactModel):
    """What the findings are worth that a student's own auditor stated about peers.

    `stated` counts each finding once, `duplicates` how often one was stated again; `with_place`: it
    names a file and a line; `confirmed`: the site's own audit of the same attempt has seen it too.
    """

    stated: int = Field(ge=0)
    with_place: int = Field(ge=0)
    confirmed: int = Field(ge=0)
    duplicates: int = Field(ge=0)


class ExchangeFact(FactModel):
    """What the site that keeps the rounds of peers knows of a student, as counts: nobody is named.
    The JSON key is `self`.

    `generated` and `received` are reports under a pairing, `self` those of the student's own
    auditor on itself. Of the findings received: how many have an answer or are gone (`answered`),
    are gone or mended in a commit that was looked at (`fixed`; `fixes_verified` those with such a
    commit), are deferred or contested with a reason. `relevance` is null where the student's own
    auditor stated no finding.
    """

    generated: int = Field(default=0, ge=0)
    self_: int = Field(default=0, ge=0, alias="self")
    received: int = Field(default=0, ge=0)
    findings_received: int = Field(default=0, ge=0)
    answered: int = Field(default=0, ge=0)
    fixed: int = Field(default=0, ge=0)
    fixes_verified: int = Field(default=0, ge=0)
    deferred: int = Field(default=0, ge=0)
    contested: int = Field(default=0, ge=0)
    entries: EntryCounts = EntryCounts()
    relevance: RelevanceFact | None = None

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class LogEntry(Place):
    """One dated entry of a communication log; `date` as written."""

    date: str
    kinds: tuple[Literal["progress", "blocker", "design"], ...]


class Deferral(FactModel):
    """Work put off with a stated reason, in a file, in a commit message or on a page of the report."""

    path: str | None = None
    line: int | None = None
    commit: str | None = None
    page: int | None = None
    text: str


class GraphShape(FactModel):
    """What follows from the graph's edges: who starts several at once, where several meet, what
    runs in a row.
    """

    fan_outs: dict[str, tuple[str, ...]]
    joins: dict[str, tuple[str, ...]]
    chains: tuple[tuple[str, ...], ...]


class StoryStage(FactModel):
    name: str
    commit: str


class CommitAuthor(FactModel):
    """As git has them; whoever must not be known to a reader is recognised by it elsewhere in the
    report.
    """

    name: str
    email: str


class HistoryFact(FactModel):
    """How the work is spread. Days are UTC; `busiest_hour` is the most commits within any sixty
    minutes.

    `authors` are those of the commits, each once, the first ones first.
    """

    first_at: str
    last_at: str
    days: int
    busiest_hour: int
    weak_messages: int
    stages: tuple[StoryStage, ...]
    authors: tuple[CommitAuthor, ...] = ()
