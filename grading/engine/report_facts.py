"""Facts of a stored report that the site reads, as frozen records (grading.engine.report)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ReportRecord(BaseModel):
    """Base of every record: frozen; unknown keys are ignored, so that newer reports can be read."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Route(ReportRecord):
    """Conditional edge of a graph; the JSON keys are `from` and `to`."""

    source: str = Field(alias="from")
    targets: tuple[str, ...] = Field(alias="to")
    line: int | None = None
    path: str | None = None


class Graph(ReportRecord):
    """Graph of the audited project. `edge_paths` and `edge_lines` go with `edges`, or are empty."""

    path: str
    state_graph_line: int
    edges: tuple[tuple[str, str], ...] = ()
    conditional: tuple[Route, ...] = ()
    edge_paths: tuple[str, ...] = ()
    edge_lines: tuple[int | None, ...] = ()
    unresolved: tuple[str, ...] = ()


class Subgraph(Graph):
    """Graph that runs at a node of another; `at` is the path of node names from the outermost."""

    at: tuple[str, ...]


class MainGraph(Graph):
    """Graph that the entry point runs, with the graphs inside its nodes."""

    subgraphs: tuple[Subgraph, ...] = ()


class RepeatedNode(ReportRecord):
    """Node that runs several times by branches of different lengths, and those after it."""

    node: str
    followers: tuple[str, ...] = ()


class IdleNode(ReportRecord):
    node: str


class EndlessLoop(ReportRecord):
    """Nodes that run until LangGraph's recursion limit."""

    nodes: tuple[str, ...]


class StubRuns(ReportRecord):
    """Steps in which LangGraph runs each node of a graph, with empty nodes and along all routes."""

    steps: dict[str, tuple[int, ...]] = {}
    repeated: tuple[RepeatedNode, ...] | None = None
    idle: tuple[IdleNode, ...] | None = None
    endless: tuple[EndlessLoop, ...] | None = None


class InnerRuns(StubRuns):
    """Runs of the graph inside a node; `at` is the path of node names from the outermost."""

    at: tuple[str, ...]


class GraphRun(StubRuns):
    inner: tuple[InnerRuns, ...] = ()


class AuditFiles(ReportRecord):
    """Paths of audit reports in the repository: of peers, of oneself (key `self`), by peers.

    `unread` lie where reports do, and the audit could not read them.
    """

    generated: tuple[str, ...] = ()
    own: tuple[str, ...] = Field(default=(), alias="self")
    received: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.generated, *self.own, *self.received, *self.unread)


class LogEntry(ReportRecord):
    """Dated entry of a communication log in the repository; `date` as it is written there."""

    path: str
    line: int
    date: str = ""
    kinds: tuple[str, ...] = ()


class CommitAuthor(ReportRecord):
    """Author of a commit as git names them.

    `person` is the same for the addresses of one person. `by_day` counts their commits,
    `python_lines` the lines of Python that these added.
    """

    name: str
    email: str
    person: int | None = None
    is_bot: bool = False
    by_day: dict[str, int] = {}
    python_lines: int = 0


class History(ReportRecord):
    """Facts of the history that the site reads; a redacted edition has no authors."""

    authors: tuple[CommitAuthor, ...] = ()


class AsideFiles(ReportRecord):
    """Files that are not the product, by folder, file or pattern."""

    path: str
    kind: str
    reason: str
    files: int


class UnusedNode(ReportRecord):
    """Function that is named as a node, and that no code uses."""

    name: str
    path: str
    line: int


class Scope(ReportRecord):
    """The product of the work; `main` is the file that it starts at, for the `reason`."""

    main: str | None = None
    reason: str
    product_files: int
    unreached: tuple[str, ...] = ()
    idle_nodes: tuple[UnusedNode, ...] = ()
    aside: tuple[AsideFiles, ...] = ()


class Facts(ReportRecord):
    """Facts that the site reads; null where not established. `unknown` gives the reasons."""

    graph: MainGraph | None = None
    graph_run: GraphRun | None = None
    history: History | None = None
    minmax: AuditFiles | None = None
    communication_entries: tuple[LogEntry, ...] | None = None
    malformed_objects: bool | None = None
    scope: Scope | None = None
    unknown: dict[str, str] = {}
