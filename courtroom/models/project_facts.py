"""Facts of any software project: dangers, secrets, sizes, tools, history and peer exchange."""

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
    """A call that a safe tool would not make. `call` is the dotted name as resolved through
    imports.

    `argument_is_literal`: the value that decides what happens is written in the source.
    `from_outside`: it comes from a parameter, the environment or the network. Null: not known
    before the program runs.
    """

    call: str
    kind: UnsafeKind
    argument_is_literal: bool | None = None
    from_outside: bool | None = None


class CommittedSecret(Place):
    """Place of a secret in the tree; its value is never recorded."""

    kind: str


class LanguageShare(FactModel):
    """The text files of one language, without vendored packages."""

    language: str
    files: int
    lines: int


class ToolPlace(FactModel):
    """A tool that the project is set up for, and the file that shows it."""

    tool: str
    path: str


class EntryPoint(Place):
    """A place that says the `target` file is run; `reaches` counts the Python files it imports."""

    target: str
    declared_by: Literal[
        "pyproject", "langgraph", "container", "makefile", "readme", "main_block", "streamlit"
    ]
    reaches: int


class AsideFiles(FactModel):
    """Files that are not the product, by a folder (`path` ends with a slash), file or pattern."""

    path: str
    kind: Literal["test", "fixture", "example", "benchmark", "archive", "generated", "vendored"]
    reason: str
    files: int


class IdleNode(Place):
    """Function that is named as a node, and that no code uses."""

    name: str


class UnlockedImport(Place):
    """Import of a package, by the name that the code imports; `part` is that of its function.

    `user` is a function that gives nothing where the failure of the import is caught. `is_listed`:
    another list or a build file of the root names the package.
    """

    name: str
    is_listed: bool = Field(default=False, exclude_if=lambda value: not value)
    part: str | None = Field(default=None, exclude_if=lambda part: part is None)
    user: str | None = Field(default=None, exclude_if=lambda user: user is None)


class SubmissionScope(FactModel):
    """The code that is the submission, and what is set apart from it.

    `main` is the file of the chosen entry point, for the `reason`. `reached` are files in folders
    of tests, examples and the like that the product runs, so that they belong to it. `unreached` are
    files of the product to which no import leads from an entry point, `idle_nodes` functions in the
    others that are named as nodes and that no code uses. `unlocked` are packages that the product
    imports and that an install by the file `lock`, the only one or the one of the README, does not
    bring.
    """

    main: str | None
    reason: str
    entry_points: tuple[EntryPoint, ...]
    product_files: int
    reached: tuple[str, ...]
    unreached: tuple[str, ...] = Field(default=(), exclude_if=lambda paths: not paths)
    idle_nodes: tuple[IdleNode, ...] = Field(default=(), exclude_if=lambda nodes: not nodes)
    lock: str | None = Field(default=None, exclude_if=lambda lock: lock is None)
    unlocked: tuple[UnlockedImport, ...] = Field(default=(), exclude_if=lambda rows: not rows)
    aside: tuple[AsideFiles, ...]

    def holds(self, path: str) -> bool:
        """Return whether a path is the product, as far as the groups tell."""
        return path in self.reached or not any(
            path.startswith(group.path) if group.path.endswith("/") else path == group.path
            for group in self.aside
        )


class ProjectFact(FactModel):
    """Properties of any software project, in any language; paths are those of the tree.

    `tests` counts test files, `test_folders` are the topmost folders that hold them. `code_files`
    counts files with a line that may be code, in the product or beside it; null in older reports.
    """

    languages: tuple[LanguageShare, ...]
    code_files: int | None = Field(default=None, ge=0)
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
    """Reports on record, by path: of peers (generated), of oneself (self), by peers (received).

    The JSON key is `self`. Of those generated, `scored` have criteria with scores, `placed` name
    files or lines, `argued` hold what several judges argued, `planned` say what to change. `unread`
    lie where reports do, and cannot be read here.
    """

    generated: tuple[str, ...]
    self_: tuple[str, ...] = Field(alias="self")
    received: tuple[str, ...]
    scored: tuple[str, ...] = ()
    placed: tuple[str, ...] = ()
    argued: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ReceivedFinding(FactModel):
    """A finding of a received report that asks for an answer; `path` and `line` are the report's.

    `criterion` and `file` are what it is about, where it names them.
    """

    path: str
    line: int | None = None
    text: str
    criterion: str | None = None
    file: str | None = None


class WrittenAnswer(FactModel):
    """A passage or a commit that names findings and says what was done.

    `findings` are places in the fact `received_findings`, from 0; `text` is a commit's subject.
    """

    path: str | None = None
    line: int | None = None
    commit: str | None = None
    text: str = ""
    findings: tuple[int, ...] = ()


class EntryCounts(FactModel):
    """Entries of the communication log that were posted on the site, by their kind."""

    progress: int = Field(default=0, ge=0)
    blocker: int = Field(default=0, ge=0)
    design: int = Field(default=0, ge=0)

    @property
    def anything(self) -> int:
        return self.progress + self.blocker + self.design


class RelevanceFact(FactModel):
    """Value of the findings that a student's own auditor stated about peers.

    `stated` counts each finding once, `duplicates` counts repeated statements. `with_place`: the
    finding names a file and a line. `confirmed`: the site's own audit of the same attempt reports
    it too.
    """

    stated: int = Field(ge=0)
    with_place: int = Field(ge=0)
    confirmed: int = Field(ge=0)
    duplicates: int = Field(ge=0)


class ExchangeFact(FactModel):
    """Counts of a student's peer exchange, from the site that runs the rounds; nobody is named.

    `generated` and `received` are reports under a pairing, `self` (the JSON key) those of the
    student's own auditor on itself. Of the findings received: `answered` have an answer that says
    what was done, or are gone; `fixed` are gone or were mended in a commit that was examined
    (`fixes_verified`: those that are gone and name such a commit); `deferred` and `contested` have
    a reason. Of those generated, `scored`, `placed`, `argued` and `planned` hold what MinMaxFact
    says. `relevance` is null where the student's own auditor stated no finding.
    """

    generated: int = Field(default=0, ge=0)
    self_: int = Field(default=0, ge=0, alias="self")
    received: int = Field(default=0, ge=0)
    scored: int = Field(default=0, ge=0)
    placed: int = Field(default=0, ge=0)
    argued: int = Field(default=0, ge=0)
    planned: int = Field(default=0, ge=0)
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
    """Work put off with a stated reason: in a file, a commit message or a page of the report."""

    path: str | None = None
    line: int | None = None
    commit: str | None = None
    page: int | None = None
    text: str


class GraphShape(FactModel):
    """Shape of the graph by its edges: parallel starts, joins, and nodes that run in a row."""

    fan_outs: dict[str, tuple[str, ...]]
    joins: dict[str, tuple[str, ...]]
    chains: tuple[tuple[str, ...], ...]


class StoryStage(FactModel):
    name: str
    commit: str


class CommitAuthor(FactModel):
    """Name and email as git has them, and what was done under them.

    An author who must stay anonymous is recognised by them elsewhere in the report. `person` is
    the same number for the addresses of one person, and null for a bot. `by_day` counts the
    commits of work by day of that author's clock, the first DAYS days of them; `co_authored` are
    commits of others that name this address.
    """

    name: str
    email: str
    person: int | None = None
    is_bot: bool = False
    by_day: dict[str, int] = Field(default_factory=dict)
    python_lines: int = 0
    co_authored: int = 0


class EarlierCommit(FactModel):
    """A commit that repeats or takes back an earlier one; null where that one is not known."""

    commit: str
    earlier: str | None


class SquashedCommit(FactModel):
    """A commit whose message lists the `commits` that were joined into it."""

    commit: str
    commits: int


class SameMessage(FactModel):
    """A message that several commits have."""

    text: str
    commits: int


class HistoryFact(FactModel):
    """Distribution of the commits over time, and their kinds.

    Days are by the authors' clocks; `busiest_hour` is the most commits within any sixty minutes.
    Both, and the messages, are about work: commits that change a file, without merges, bots'
    commits and repeats of a commit on another line. `authors` are those of the commits, each once,
    the first ones first. Of `files_ever` paths in the history `first_commit_files` came with its
    first commit, and not empty. Both are null where it was not read to its beginning, and for
    reports of before.
    """

    first_at: str
    last_at: str
    days: int
    busiest_hour: int
    weak_messages: int
    stages: tuple[StoryStage, ...]
    authors: tuple[CommitAuthor, ...] = ()
    merges: int | None = None
    bot_commits: int | None = None
    repeats: tuple[EarlierCommit, ...] = ()
    reverts: tuple[EarlierCommit, ...] = ()
    squashed: tuple[SquashedCommit, ...] = ()
    same_messages: tuple[SameMessage, ...] = ()
    first_commit_files: int | None = None
    files_ever: int | None = None
    # share of the Python lines that one run of commits brought, each within a minute of the last
    largest_run: float | None = None
